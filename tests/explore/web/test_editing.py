"""What an expert knows, edited in the page: edges, tiers, hidden causes, a graph as text; and what is open in it."""

import pandas as pd
import pytest

from fipscm.estimator import FiP
from fipscm.explore.edits import Edits
from fipscm.explore.session import Data, Session
from fipscm.knowledge import Knowledge

MARKUP = "<b>pain</b> & $x$"


def _choose_edge(page, cause, effect):
    page.get_by_role("tab", name="Edit the graph").click()
    page.locator("#edit-cause").select_option(cause)
    page.locator("#edit-effect").select_option(effect)


def test_an_edit_that_makes_a_cycle_is_refused_with_the_cycle(visit, fresh):
    page = visit(fresh)
    _choose_edge(page, "sleep", "age")
    page.get_by_role("button", name="Require").click()
    page.get_by_text("close a cycle").wait_for()
    assert "sleep → age" in page.locator("#panel-edit .trouble").inner_text()
    page.complaints.clear()  # browsers report every status above 400 in the console


def test_hidden_causes_and_tiers_are_drawn_and_taken_back(visit, fresh):
    page = visit(fresh)
    _choose_edge(page, "age", "sleep")
    page.get_by_role("button", name="Hidden common cause").click()
    page.locator("path.hidden-cause").wait_for(state="attached")
    page.locator("#tier-column").select_option("age")
    page.get_by_role("button", name="Put").click()
    page.get_by_text("age in tier 1").wait_for()
    page.get_by_role("button", name="Take back: age in tier 1").click()
    page.get_by_text("age in tier 1").wait_for(state="detached")
    assert fresh.edits.hidden == (("age", "sleep"),)


def test_what_the_server_told_before_an_edit_does_not_undo_it(visit, fresh):
    page = visit(fresh)
    page.wait_for_selector(".verdict:not(.pending)")
    told = []

    def hold_back(route):
        """The first look finds a check that is not done yet, so that the page looks again; that answer is late."""
        response = route.fetch()
        told.append((route, response))
        if len(told) == 1:
            state = response.json()
            state["verdict"]["pending"] = True
            route.fulfill(json=state)

    page.route("**/api/state", hold_back, times=2)
    page.reload()
    _choose_edge(page, "age", "sleep")
    for _ in range(100):
        if len(told) == 2:
            break
        page.wait_for_timeout(50)
    page.get_by_role("button", name="Hidden common cause").click()
    page.locator("path.hidden-cause").wait_for(state="attached")
    route, response = told[1]
    with page.expect_response("**/api/state"):
        route.fulfill(response=response)
    page.get_by_role("button", name="Put").click()
    page.get_by_text("in tier 1").wait_for()
    assert fresh.edits.hidden == (("age", "sleep"),)


def test_a_graph_comes_in_as_text(visit, fresh):
    page = visit(fresh)
    page.get_by_role("tab", name="Export").click()
    page.locator("#graph-text").fill("dag { age -> dose -> sleep }")
    page.get_by_role("button", name="Take over as knowledge").click()
    page.get_by_text("Taken over").wait_for()
    assert ("dose", "sleep") in fresh.edits.knowledge.required_edges


def test_suggestions_are_shown_and_one_click_applies_them(visit, table):
    rows = table[["age", "dose"]].head(100)
    session = Session(Data(rows, "data.csv"), lambda report: FiP(random_state=0).fit(rows, on_progress=report)).start()
    session.wait(60)
    page = visit(session)
    card = page.locator("#suggestions")
    card.get_by_text("age: no causes among the other columns").wait_for()
    card.get_by_role("button", name="Apply").click()
    card.wait_for(state="hidden")
    session.wait(60)
    assert session.edits.knowledge.roots == ("age",)


@pytest.fixture
def unsure(folder):
    """A session whose model leaves the direction of one edge open."""
    model = FiP.load(folder / "m.fip")
    model.graph_.edges["age", "dose"].update(confidence=0.6, directed=False)
    data = Data(pd.read_csv(folder / "data.csv"), str(folder / "data.csv"), str(folder / "m.fip"))
    started = Session(data, lambda report: model).start()
    started.wait(60)
    return started


def test_an_open_edge_has_no_head_and_no_weight(visit, unsure):
    page = visit(unsure)
    edge = page.locator(".edge[data-cause=age][data-effect=dose]")
    assert edge.locator(".line").get_attribute("marker-end") is None
    assert edge.get_attribute("aria-label").startswith("age - dose, direction open (60 % for age first)")
    assert page.locator(".edge .line[marker-end]").count() == page.locator(".edge").count() - 1
    assert page.locator(".legend .open").is_visible()
    page.locator(".variable[data-column=dose] input[type=number]").fill("12")
    page.locator(".variable[data-column=dose] input[type=number]").press("Enter")
    page.get_by_text("It is open which comes first, age or dose.").wait_for()
    _choose_edge(page, "age", "dose")
    assert page.locator("#edge-facts").inner_text().startswith("Direction open: 60 % for age first")


def test_an_edge_is_turned_against_another_open_one(visit, unsure):
    page = visit(unsure)
    _choose_edge(page, "age", MARKUP)  # age - dose is open, and dose acts on it
    page.get_by_role("button", name="Turn round").click()
    page.get_by_text(f"{MARKUP} → age required").wait_for()
    assert unsure.edits.knowledge.required_edges == ((MARKUP, "age"),)


def test_what_has_no_causes_is_a_chip_that_can_be_taken_back(visit, fresh):
    fresh.edit(Edits(Knowledge(roots=["age"])))
    page = visit(fresh)
    page.get_by_role("tab", name="Edit the graph").click()
    page.get_by_role("button", name="Take back: age has no causes").click()
    page.get_by_text("age has no causes").wait_for(state="detached")
    assert fresh.edits.knowledge.roots == ()


def test_a_target_can_be_asked_for_while_it_is_typed(visit, session):
    page = visit(session)
    page.get_by_role("tab", name="Reach a target").click()
    page.locator("#target").select_option("sleep")
    page.locator("#wanted").press_sequentially("6")
    assert page.get_by_role("button", name="Recommend").is_enabled()


def test_an_effect_comes_with_its_interval(visit, session):
    page = visit(session)
    page.get_by_role("tab", name="Effect").click()
    page.locator("#effect-of").select_option("age")
    page.locator("#effect-on").select_option("sleep")
    page.locator("#effect-treated").fill("60")
    page.locator("#effect-control").fill("50")
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("Setting age to 60 instead of 50 changes sleep by").wait_for()
    assert "95% interval" in page.locator("#panel-effect .found").inner_text()
