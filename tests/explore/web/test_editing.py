"""What an expert knows, edited in the page: edges, tiers, hidden causes, a graph as text."""

from fipscm.estimator import FiP
from fipscm.explore.session import Data, Session


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
