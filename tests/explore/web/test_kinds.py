"""A table with all kinds of columns in the explorer: levels are chosen, told and changed by name."""

import re

import pytest
from starlette.testclient import TestClient

from fipscm.estimator import FiP
from fipscm.explore.session import Data, Session
from fipscm.explore.units import SEED, UNITS
from fipscm.explore.web.guard import Access
from fipscm.explore.web.routes import make_app

pytestmark = pytest.mark.filterwarnings("ignore:.*filled in")
TO_C = {"do": [{"column": "ward", "kind": "set", "value": "C"}]}


@pytest.fixture(scope="module")
def session(clinic):
    """A session to edit and refit at the end of the module."""
    fit = FiP(order=list(clinic.columns), random_state=0).fit
    started = Session(Data(clinic, "clinic.csv"), lambda report: fit(clinic, on_progress=report)).start()
    started.wait(120)
    return started


@pytest.fixture
def client(session):
    return TestClient(make_app(session, Access()), "http://127.0.0.1", raise_server_exceptions=False)


def test_shares_are_those_of_the_public_interface(client, session):
    variables = client.get("/api/state").json()["screen"]["variables"]
    assert list(variables) == ["age", "ward", "pain", "visits", "cured"]
    assert variables["pain"]["levels"] == ["low", "middle", "high"]
    assert variables["visits"]["levels"] is None
    assert variables["age"]["missing"] == pytest.approx(3 / 400)
    after = client.post("/api/what-if", json=TO_C).json()["after"]
    drawn = session.screen.model.intervene({"ward": "C"}, n=UNITS, random_state=SEED)
    assert after["ward"]["shares"] == [0, 0, 1]
    assert after["cured"]["shares"][1] == pytest.approx((drawn["cured"] == "yes").mean(), rel=1e-4)
    assert after["visits"]["mean"] == pytest.approx(drawn["visits"].mean(), rel=1e-4)


def test_a_row_is_told_by_names_and_gaps(client, session):
    found = {each["column"]: each for each in client.post("/api/row", json={**TO_C, "row": 50}).json()["columns"]}
    row = session.data.table.iloc[[50]]
    assert found["age"]["fact"] is None
    assert found["ward"]["fact"] == row["ward"].iloc[0]
    assert found["ward"]["counterfactual"] == "C"
    assert found["ward"]["deviations"] is None
    wanted = session.screen.model.counterfactual(row, {"ward": "C"})
    assert found["pain"]["counterfactual"] == wanted["pain"].iloc[0]
    assert client.post("/api/answers", json={**TO_C, "row": 50}).status_code == 200
    assert client.post("/api/units", json={**TO_C, "rows": 3}).text.count(",C,") == 3


def test_a_recommendation_names_a_level(client):
    found = client.post("/api/recommend", json={"target": "visits", "value": 6.0, "using": ["pain"]}).json()
    assert found["setting"] == "high"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"column": "ward", "kind": "set", "value": "D"}, "choose one of"),
        ({"column": "ward", "kind": "set", "value": 7}, "'7' is not a level"),
        ({"column": "pain", "kind": "shift", "value": 1}, "cannot be shifted"),
        ({"column": "age", "kind": "set", "value": "old"}, "give a number"),
        ({"column": "visits", "kind": "set", "value": -1}, "is none: give a whole number"),
        ({"column": "ward", "kind": "set", "value": "x" * 2_000}, "value"),
    ],
)
def test_values_of_the_wrong_kind_are_refused(client, change, says):
    answer = client.post("/api/what-if", json={"do": [change]})
    assert answer.status_code == 422
    assert says in answer.json()["message"]


@pytest.mark.parametrize(
    ("kinds", "says"),
    [
        ({"ward": "count"}, "not count"),
        ({"ward": "rank"}, "kinds"),
        ({"nobody": "count"}, "nobody"),
        ({"ward": "first < second"}, "told as first, second"),
    ],
)
def test_kinds_that_cannot_be_are_refused(client, kinds, says):
    answer = client.put("/api/edits", json={"kinds": kinds})
    assert answer.status_code == 422
    assert says in answer.json()["message"]


def card(page, column):
    return page.locator(f".variable[data-column={column}]")


def widths(page, column):
    return [
        float(re.sub("%|px", "", bar))
        for bar in card(page, column)
        .locator(".share.after")
        .evaluate_all("bars => bars.map(bar => bar.style.width || '0')")
    ]


def test_a_level_is_chosen_a_row_is_told_and_a_kind_is_changed(new_page, running, session):
    page = new_page(1440, 900)
    url = running(session)
    page.goto(url)
    page.wait_for_selector(".variable")
    assert card(page, "ward").locator("input[type=range]").count() == 0
    of_category = page.locator('.edge[data-cause="ward"], .edge[data-effect="ward"]')
    assert page.locator(".edge.changes").count() == of_category.count() > 0
    with page.expect_response("**/api/what-if"):
        card(page, "ward").get_by_label("ward: set its level").select_option(label="B & co")
    page.wait_for_selector("#answer b")
    assert "ward is set to B & co" in page.inner_text("#answer")
    assert widths(page, "ward") == [0, 100, 0]
    shares = session.screen.units.under({"ward": "B & co"})[:, 2]
    assert widths(page, "pain") == pytest.approx([100 * (shares == code).mean() for code in range(3)], abs=0.01)
    assert "set.ward=B" in page.url
    page.reload()
    page.wait_for_selector("#answer b")
    assert widths(page, "ward") == [0, 100, 0]

    page.locator("#row").fill("0")
    page.locator("#row").press("Enter")
    line = page.locator("#panel-row tbody tr", has_text="ward")
    line.wait_for()
    assert line.locator("td").all_inner_texts()[:2] == [session.data.table["ward"].iloc[0], "B & co"]

    page.get_by_role("tab", name="Edit the graph").click()
    page.get_by_text("Kinds of columns").click()
    page.get_by_label("visits: kind").select_option("continuous")
    page.get_by_text("visits is continuous").wait_for()
    page.get_by_role("button", name="Refit on this knowledge").click()
    page.get_by_role("heading", name=re.compile("What changed|same edges")).wait_for()
    assert session.screen.model.kinds_["visits"] == "continuous"
    page.get_by_role("tab", name="Export").click()
    page.get_by_role("button", name="Python", exact=True).click()
    page.get_by_text("kinds={'visits': 'continuous'}").wait_for()
    assert page.complaints == []
    assert session.screen.version == 2
