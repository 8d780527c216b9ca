"""The routes: right answers, and for bad input the right status, one message, and a server that goes on."""

from concurrent.futures import ThreadPoolExecutor
from io import StringIO

import httpx
import numpy as np
import pandas as pd
import pytest
from starlette.testclient import TestClient

from fipscm.explore.units import SEED, UNITS
from fipscm.explore.web.guard import Access
from fipscm.explore.web.routes import make_app

LOCAL = "http://127.0.0.1"
JSON = {"content-type": "application/json"}
SET_DOSE = {"do": [{"column": "dose", "kind": "set", "value": 12.0}]}


@pytest.fixture
def client(session):
    return TestClient(make_app(session, Access()), LOCAL, raise_server_exceptions=False)


@pytest.fixture
def editor(fresh):
    return TestClient(make_app(fresh, Access()), LOCAL, raise_server_exceptions=False)


def test_averages_and_curves_of_every_column(client, session):
    answer = client.post("/api/what-if", json=SET_DOSE).json()["after"]
    expected = session.screen.model.intervene({"dose": 12.0}, n=UNITS, random_state=SEED).mean()
    assert {name: facts["mean"] for name, facts in answer.items()} == pytest.approx(expected.to_dict(), rel=1e-5)
    assert all(len(facts["density"]) == 64 for facts in answer.values())


def test_shifts_are_shifts(client):
    shifted = client.post("/api/what-if", json={"do": [{"column": "dose", "kind": "shift", "value": 2.0}]}).json()
    before = client.get("/api/state").json()["screen"]["variables"]
    assert shifted["after"]["dose"]["mean"] == pytest.approx(before["dose"]["mean"] + 2, rel=1e-4)
    assert shifted["after"]["dose"]["spread"] == pytest.approx(before["dose"]["spread"], rel=1e-4)


def test_a_row_beside_its_counterfactual(client, session):
    found = client.post("/api/row", json={**SET_DOSE, "row": 7}).json()
    row = session.data.table.iloc[[7]]
    expected = session.screen.model.counterfactual(row, {"dose": 12.0}).iloc[0]
    for each in found["columns"]:
        assert each["fact"] == pytest.approx(row[each["column"]].iloc[0], rel=1e-5)
        assert each["counterfactual"] == pytest.approx(expected[each["column"]], rel=1e-5)
    assert found["reasons"]


def test_a_recommendation(client):
    found = client.post("/api/recommend", json={"target": "sleep", "value": 9.0, "using": ["dose"]}).json()
    assert found["column"] == "dose"
    assert abs(found["expected"] - 9.0) < 0.1


def test_answers_as_tables(client, session):
    answers = pd.read_csv(StringIO(client.post("/api/answers", json={**SET_DOSE, "row": 7}).text), index_col="column")
    assert answers.loc["dose", "mean_after"] == 12.0
    assert answers.loc["age", "fact"] == pytest.approx(session.data.table["age"].iloc[7])
    units = pd.read_csv(StringIO(client.post("/api/units", json={**SET_DOSE, "rows": 50}).text))
    assert units.shape == (50, 4)
    assert (units["dose"] == 12.0).all()


@pytest.mark.parametrize("kind", ["dagitty", "dot", "gml"])
def test_a_graph_goes_out_and_comes_back(editor, kind):
    edited = editor.put("/api/edits", json={"forbidden": [["age", "dose"]], "hidden": [["age", "sleep"]]})
    assert edited.status_code == 200
    text = editor.get(f"/api/graph/{kind}").text
    assert "<->" in text or kind != "dagitty"
    assert editor.put("/api/edits", json={}).json()["hidden"] == []
    taken = editor.post("/api/import", json={"text": text}).json()
    assert taken["forbidden"] == [["age", "dose"]]
    assert taken["hidden"] == [["age", "sleep"]]
    assert editor.get(f"/api/graph/{kind}").text == text


def test_a_refit_on_knowledge(editor, fresh):
    editor.put("/api/edits", json={"forbidden": [["age", "dose"]]})
    assert editor.post("/api/refit", json={}).status_code == 202
    fresh.wait(60)
    screen = editor.get("/api/state").json()["screen"]
    assert ["age", "dose"] in screen["changes"]["gone"]
    assert screen["version"] == 2
    assert "knowledge=Knowledge(forbidden_edges=[('age', 'dose')])" in editor.post("/api/python", json={}).text


def change(**facts):
    return {"do": [{"column": "dose", "kind": "set", "value": 1.0} | facts]}


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("what-if", change(column="dosis"), 422, "did you mean 'dose'"),
        ("what-if", change(kind="push"), 422, "kind"),
        ("what-if", change(value="much"), 422, "number"),
        ("what-if", change(more=1), 422, "more"),
        ("what-if", {"do": change()["do"] * 2}, 422, "twice"),
        ("what-if", {"do": change()["do"] * 3_000}, 422, "do"),
        ("what-if", change(column="x" * 2_000), 422, "column"),
        ("what-if", [1, 2], 422, ""),
        ("row", {"row": 400}, 404, "rows 0 to 399"),
        ("row", {"row": -1}, 422, "row"),
        ("row", {}, 422, "row"),
        ("recommend", {"target": "sleepp", "value": 1}, 422, "sleep"),
        ("recommend", {"target": "age", "value": 1}, 422, "has no causes"),
        ("recommend", {"target": "sleep", "value": 1, "using": ["nobody"]}, 422, "nobody"),
        ("units", {"rows": 1_000_000}, 422, "10000"),
        ("units", {"rows": 0}, 422, "rows"),
        ("answers", {"row": 10**9}, 404, "no row"),
        ("import", {"text": "dag { dose -> nobody }"}, 422, "nobody"),
        ("import", {"text": "dag { dose -> age -> dose }"}, 409, "cycle"),
        ("import", {"text": "no graph"}, 422, "no graph"),
        ("import", {"text": "x" * 600_000}, 422, "text"),
    ],
)  # fmt: skip
def test_bad_questions(client, path, body, status, says):
    answer = client.post(f"/api/{path}", json=body)
    assert answer.status_code == status
    assert says in answer.json()["message"]
    assert len(answer.json()["message"]) < 1_000
    assert client.post("/api/what-if", json=SET_DOSE).status_code == 200  # the server goes on


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "null", '"NaN"'])
def test_numbers_are_finite(client, number):
    for path, body in (
        ("what-if", f'{{"do": [{{"column": "dose", "kind": "set", "value": {number}}}]}}'),
        ("recommend", f'{{"target": "sleep", "value": {number}}}'),
    ):
        answer = client.post(f"/api/{path}", content=body, headers=JSON)
        assert answer.status_code == 422
        assert answer.json()["message"]


def test_absurd_numbers_are_answered_or_refused(client):
    assert client.post("/api/what-if", json=change(value=1e308)).status_code == 422
    assert client.post("/api/what-if", json=change(value=1e90)).status_code == 200
    assert client.post("/api/row", json={**change(value=-1e90), "row": 0}).status_code == 200
    assert client.post("/api/what-if", content=b"{", headers=JSON).status_code == 422


@pytest.mark.parametrize(
    ("edits", "status", "says"),
    [
        ({"required": [["sleep", "age"]]}, 409, "→"),
        ({"required": [["dose", "dose"]]}, 409, "dose → dose"),
        ({"required": [["age", "dose"]], "forbidden": [["age", "dose"]]}, 409, "required"),
        ({"tiers": [["dose"], ["age"]], "required": [["age", "dose"]]}, 409, "contradicts"),
        ({"tiers": [["dose"], ["dose"]]}, 409, "two tiers"),
        ({"required": [["age", "nobody"]]}, 422, "nobody"),
        ({"hidden": [["age", "age"]]}, 409, "two effects"),
        ({"required": [["age"]]}, 422, "required"),
    ],
)  # fmt: skip
def test_edits_that_cannot_be(editor, fresh, edits, status, says):
    answer = editor.put("/api/edits", json=edits)
    assert answer.status_code == status
    assert says in answer.json()["message"]
    assert editor.get("/api/state").json()["edits"]["required"] == []


def test_a_cycle_is_named_column_by_column(editor):
    cycle = editor.put("/api/edits", json={"required": [["sleep", "age"]]}).json()["cycle"]
    assert cycle[0] == cycle[-1]
    assert {"age", "sleep"} <= set(cycle)


def test_unknown_places(client):
    assert client.get("/api/graph/pdf").status_code == 404
    assert client.get("/nowhere").status_code == 404
    assert client.get("/docs").status_code == 404
    assert client.get("/openapi.json").status_code == 404


def test_before_the_first_model_the_page_is_there_and_questions_wait(waiting):
    client = TestClient(make_app(waiting, Access()), LOCAL)
    assert "<main" in client.get("/").text
    assert client.get("/api/state").json()["screen"] is None
    assert client.post("/api/what-if", json=SET_DOSE).status_code == 503
    assert client.post("/api/refit", json={}).status_code == 409


def test_fifty_sliders_at_once(session, running):
    url = running(session)
    expected = session.screen.units.under({"dose": 12.0}).mean(axis=0)

    def ask(_):
        return httpx.post(f"{url}api/what-if", json=SET_DOSE, timeout=60)

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(ask, range(50)))
    assert {answer.status_code for answer in answers} == {200}
    for answer in answers:
        means = [facts["mean"] for facts in answer.json()["after"].values()]
        np.testing.assert_allclose(means, expected, rtol=1e-4)


def test_an_effect_is_that_of_the_public_interface(client, session):
    told = client.post("/api/effect", json={"treatment": "age", "outcome": "sleep"}).json()
    found = session.screen.model.effect("age", on="sleep", rows=session.data.table)
    assert told["text"] == str(found)
    assert told["low"] == pytest.approx(found.low, rel=1e-5)
    far = client.post(
        "/api/effect", json={"treatment": "age", "outcome": "sleep", "treated": 500, "control": 50}
    ).json()
    assert "has seen no 'age' near 500" in far["remarks"][0]
    wrong = client.post("/api/effect", json={"treatment": "age", "outcome": "sleep", "treated": "old"})
    assert (wrong.status_code, "'old' is none" in wrong.json()["message"]) == (422, True)


def test_roots_and_leaves_are_told_and_taken_back(editor, fresh):
    told = editor.put("/api/edits", json={"roots": ["age"], "leaves": ["sleep"]}).json()
    assert (told["roots"], told["leaves"]) == (["age"], ["sleep"])
    assert editor.put("/api/edits", json={}).json()["roots"] == ["age"]  # what is not named stays
    assert editor.put("/api/edits", json={"roots": []}).json()["roots"] == []
    assert fresh.edits.knowledge.leaves == ("sleep",)
