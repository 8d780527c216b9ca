"""Whatever is asked of the explorer, as its OpenAPI description allows or not, it answers or refuses, and goes on."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from fipscm.estimator import FiP
from fipscm.explore.session import Data, Session
from fipscm.explore.web.guard import Access
from fipscm.explore.web.routes import make_app

NAMES = ["age", "dose", "ward", "7"]
ODD = ["A", "B", "=a", "", "\0", "\ud800", "nan", "__proto__", "x" * 1001]
WORDS = st.sampled_from([*NAMES, *ODD]) | st.text(max_size=4)
NUMBERS = st.sampled_from([0, 1, -1, 0.5, 50, 399, 400, 1e60, 1e100, -1e100, 1e308, 2**63, 10**30]) | st.floats()
ANYTHING = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
SIGNS = ["{", "}", "[", "]", "->", "<-", "<->", "--", "=", ";", '"', "dir=both", "\n", "\\", "1"]
KEYS = ["dag", "pdag", "digraph", "graph", "node", "edge", "id", "label", "source", "target", "directed", "hidden"]
GRAPHS = st.lists(st.sampled_from([*NAMES, *SIGNS, *KEYS, "multigraph"]), max_size=14).map(" ".join)
PARTS = st.sampled_from(["dot", "gml", "dagitty", "main.js", "..%2f", "x", "%00"])
BROKEN = [b"[" * 100_000, b"\xff\xfe", b'{"do": ' + b"9" * 5000 + b"}", b"null", b'{"a":1,"a":2}']


def of_schema(schema, parts):
    """What a schema describes."""
    if "$ref" in schema:
        found = of_schema(parts[schema["$ref"].rpartition("/")[2]], parts)
    elif "anyOf" in schema:
        found = st.one_of([of_schema(each, parts) for each in schema["anyOf"]])
    elif "enum" in schema:
        found = st.sampled_from(schema["enum"])
    elif "prefixItems" in schema:
        found = st.tuples(*(of_schema(each, parts) for each in schema["prefixItems"])).map(list)
    elif "properties" in schema:
        fields = {name: of_schema(each, parts) for name, each in schema["properties"].items()}
        required = {name: fields.pop(name) for name in schema.get("required", [])}
        found = st.fixed_dictionaries(required, optional=fields)
    elif schema.get("type") == "object":
        found = st.dictionaries(WORDS, of_schema(schema.get("additionalProperties", {}), parts), max_size=2)
    elif schema.get("type") == "array":
        found = st.lists(of_schema(schema["items"], parts), max_size=3)
    else:
        plain = {"string": WORDS | GRAPHS, "number": NUMBERS, "integer": st.integers(-1, 500), "null": st.none()}
        found = plain.get(schema.get("type"), ANYTHING)
    return found


@pytest.fixture(scope="module")
def client():
    """A model of numbers and names, and an application that shows it."""
    rng = np.random.default_rng(0)
    age = rng.normal(50, 10, 400)
    ward = np.where(rng.random(400) < 0.3, "A", np.where(age > 50, "B", "C"))
    table = pd.DataFrame({"age": age, "dose": age + rng.normal(size=400), "ward": ward, 7: rng.normal(size=400) - age})
    session = Session(Data(table, "data.csv"), lambda _: FiP(order=list(table.columns)).fit(table)).start()
    session.wait(120)
    app = make_app(session, Access())
    yield TestClient(app, "http://127.0.0.1", raise_server_exceptions=False), app.app.openapi()
    session.cancel()
    session.wait(120)


@st.composite
def requests(draw, description):
    """A method, a path and a body."""
    path = draw(st.sampled_from(sorted(description["paths"])))
    method = draw(st.sampled_from(sorted(description["paths"][path])))
    asked = description["paths"][path][method].get("requestBody")
    parts = description.get("components", {}).get("schemas", {})
    body = st.just(b"")
    if asked:
        described = of_schema(asked["content"]["application/json"]["schema"], parts)
        as_json = (described | described | described | ANYTHING).map(lambda value: json.dumps(value).encode())
        body = as_json | st.binary(max_size=20)
    for name in ("name", "kind"):
        path = path.replace(f"{{{name}}}", draw(PARTS))
    return method, path, draw(body)


def is_answered_or_refused(browser, method, path, body):
    answer = browser.request(method, path, content=body, headers={"content-type": "application/json"})
    assert answer.status_code < 500, (method, path, body, answer.text)
    if answer.status_code >= 400:
        assert answer.json()["message"]


@given(st.data())
def test_no_request_breaks_the_explorer(client, data):
    browser, description = client
    is_answered_or_refused(browser, *data.draw(requests(description)))


@pytest.mark.parametrize("body", BROKEN)
def test_a_body_that_is_no_request_is_refused(client, body):
    answer = client[0].post("/api/what-if", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 413, 422)
