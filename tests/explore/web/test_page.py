"""The page in a real browser, as a person uses it."""

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fipscm.estimator import FiP
from fipscm.explore.session import Data, Session
from fipscm.explore.units import UNITS

MARKUP = "<b>pain</b> & $x$"
PICTURES = Path(__file__).resolve().parents[3] / "docs" / "pictures"


def card(page, column):
    return page.locator(".variable").filter(has=page.locator("h3", has_text=re.compile(f"^{re.escape(column)}$")))


def number(text):
    return float(text.replace("\N{MINUS SIGN}", "-"))


def average(page, column):
    return number(card(page, column).locator(".after-mean").inner_text())


def move(page, column, value):
    """Drag the slider of a column; wait for the answer."""
    with page.expect_response("**/api/what-if"):
        card(page, column).locator("input[type=range]").fill(str(value))
    page.wait_for_selector("#answer b")


def expected(session, column, do):
    return session.screen.model.intervene(do, n=UNITS, random_state=0)[column].mean()


def test_a_moved_slider_changes_the_numbers_of_what_depends_on_it(visit, session):
    page = visit(session)
    before = average(page, "sleep"), average(page, "age")
    move(page, "dose", 12)
    assert average(page, "sleep") == pytest.approx(expected(session, "sleep", {"dose": 12.0}), abs=0.05)
    assert average(page, "sleep") > before[0]
    assert average(page, "age") == before[1]  # a cause does not move
    assert "dose is set to 12" in page.inner_text("#answer")
    page.get_by_role("button", name="Reset sliders").click()
    page.wait_for_selector("#answer.idle")
    assert average(page, "sleep") == before[0]


def test_a_shift_keeps_everyone_different(visit, session):
    page = visit(session)
    card(page, "dose").get_by_role("button", name="dose: shift").click()
    number = card(page, "dose").get_by_label("dose: value")
    number.fill("2")
    with page.expect_response("**/api/what-if"):
        number.press("Enter")
    page.wait_for_selector("#answer b")
    assert "dose is shifted by +2" in page.inner_text("#answer")


def test_beyond_the_rows_there_is_a_warning(visit, session):
    page = visit(session)
    number = card(page, "dose").get_by_label("dose: value")
    number.fill("1000")
    number.press("Enter")
    page.get_by_text("beyond them the answer is a guess").wait_for()


def test_a_row_beside_its_counterfactual_and_why_it_is_unusual(visit, session):
    page = visit(session)
    move(page, "dose", 12)
    page.locator("#row").fill("7")
    page.locator("#row").press("Enter")
    line = page.locator("#panel-row tbody tr", has_text="sleep")
    line.wait_for()
    row = session.data.table.iloc[[7]]
    told = [number(text) for text in line.locator("td").all_inner_texts()[:2]]
    wanted = session.screen.model.counterfactual(row, {"dose": 12.0})["sleep"].iloc[0]
    assert told == pytest.approx([row["sleep"].iloc[0], wanted], abs=0.02)
    assert "standard deviations" in page.locator(".reasons").inner_text()


def test_a_target_asks_for_a_recommendation_and_shows_it(visit, session):
    page = visit(session)
    page.get_by_role("tab", name="Reach a target").click()
    page.locator("#target").select_option("sleep")
    page.locator("#wanted").fill("9")
    page.locator("#wanted").press("Tab")
    page.get_by_role("button", name="Recommend").click()
    page.get_by_role("button", name="Show it on the sliders").click()
    page.wait_for_selector("#answer b")
    assert average(page, "sleep") == pytest.approx(9, abs=0.15)


def test_an_edge_is_forbidden_and_the_refit_obeys(visit, fresh):
    page = visit(fresh)
    edge = page.locator("[data-cause=age][data-effect=dose]")
    edge.dispatch_event("click")
    page.get_by_role("button", name="Forbid").click()
    page.get_by_text("age → dose forbidden").wait_for()
    assert "forbidden" in edge.get_attribute("class")
    page.get_by_role("button", name="Refit on this knowledge").click()
    page.get_by_text("What changed").wait_for()
    assert page.locator(".changes .gone", has_text="age → dose").count() == 1
    assert edge.count() == 0
    move(page, "age", 70)
    assert average(page, "dose") == pytest.approx(expected(fresh, "dose", {}), abs=0.05)  # no longer an effect


def test_a_shared_link_shows_the_same(visit, session, new_page):
    page = visit(session)
    move(page, "dose", 12)
    page.locator("#row").fill("3")
    page.locator("#row").press("Enter")
    page.get_by_role("tab", name="Reach a target").click()
    page.locator("#target").select_option(MARKUP)
    told = average(page, "sleep")
    other = new_page(1200, 900)
    other.goto(page.url)
    other.wait_for_selector("#answer b")
    assert average(other, "sleep") == told
    assert other.locator("#row").input_value() == "3"
    assert other.locator("#target").input_value() == MARKUP
    assert other.inner_text("#answer") == page.inner_text("#answer")


def test_a_link_with_strange_names_says_so(visit, session):
    page = visit(session)
    page.evaluate("location.hash = 'set.nobody=1&row=99999'")
    page.get_by_text("nobody = 1; row 99999").wait_for()


def focused(page, selector):
    return page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector)


def tab_to(page, selector, most=60):
    for _ in range(most):
        page.keyboard.press("Tab")
        if focused(page, selector):
            return
    raise AssertionError(f"the Tab key never reaches {selector}")


def test_the_keyboard_alone_is_enough(visit, fresh):
    page = visit(fresh)
    tab_to(page, ".skip")
    page.keyboard.press("Enter")
    tab_to(page, ".variable[data-column=age] input[type=range]")
    with page.expect_response("**/api/what-if"):
        page.keyboard.press("PageUp")
    page.wait_for_selector("#answer b")
    changed = average(page, "dose")
    page.keyboard.press("Escape")
    page.wait_for_selector("#answer.idle")
    assert average(page, "dose") != changed
    page.locator("#theme").focus()
    tab_to(page, "#graph [data-column]")
    for _ in range(4):  # past the four boxes to the first edge
        page.keyboard.press("ArrowRight")
    assert focused(page, "#graph [data-cause=age]")
    page.keyboard.press("Enter")
    tab_to(page, "#panel-edit .actions button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel-edit .chip.forbidden")


@pytest.mark.parametrize("width", [320, 390, 1440])
def test_nothing_is_wider_than_the_screen(visit, session, width):
    page = visit(session, width=width, height=800)
    move(page, "dose", 12)
    for tab in page.get_by_role("tab").all():
        tab.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    slider = card(page, "age").locator("input[type=range]")
    slider.scroll_into_view_if_needed()
    assert slider.bounding_box()["width"] > 200


def test_a_graph_that_does_not_fit_can_have_the_whole_width(visit, session):
    fits = visit(session, width=1440, height=900)
    assert fits.locator("#enlarge").is_hidden()
    page = visit(session, width=1000, height=120)
    before = page.locator("#graph").bounding_box()["width"]
    page.get_by_role("button", name="Enlarge").click()
    assert page.locator("#graph").bounding_box()["width"] > 1.5 * before


def test_names_are_text(visit, session):
    page = visit(session)
    assert card(page, MARKUP).count() == 1
    assert page.locator(".box", has_text=MARKUP).count() == 1
    assert page.evaluate("document.querySelectorAll('.variable h3 b, .box b, option b, label b').length") == 0


def test_light_and_dark(visit, session):
    page = visit(session, color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.locator("#theme").click()
    assert page.evaluate(ground) != dark


def test_from_a_table_to_a_changed_slider(visit, folder):
    table = pd.read_csv(folder / "data.csv")
    fitting = Session(Data(table, "data.csv"), lambda report: FiP(random_state=0).fit(table, on_progress=report))
    page = visit(fitting.start())
    first = page.locator(".variable").first.get_attribute("data-column")
    before = page.inner_text("#answer")
    move(page, first, table[first].max())
    assert page.inner_text("#answer") != before


def clinic(rows=800):
    """A table that a reader of the docs understands at once."""
    rng = np.random.default_rng(3)
    draw = {
        name: rng.laplace(0, 1, rows) for name in ("stress", "exercise", "weight", "dose", "pressure", "pain", "sleep")
    }
    age = rng.normal(52, 9, rows)
    stress = 5 - 0.03 * (age - 52) + 0.8 * draw["stress"]
    exercise = 4 - 0.05 * (age - 52) - 0.3 * (stress - 5) + 0.7 * draw["exercise"]
    weight = 76 - 2.2 * (exercise - 4) + 5 * draw["weight"]
    dose = 20 + 0.35 * (age - 52) + 2 * draw["dose"]
    pressure = (
        128 + 0.5 * (age - 52) + 0.6 * (weight - 76) + 2 * (stress - 5) - 0.9 * (dose - 20) + 3 * draw["pressure"]
    )
    pain = 4 - 0.15 * (dose - 20) + 0.3 * (stress - 5) + 0.6 * draw["pain"]
    sleep = 7 - 0.5 * (pain - 4) - 0.25 * (stress - 5) + 0.4 * draw["sleep"]
    columns = age, stress, exercise, weight, dose, pressure, pain, sleep
    names = "age", "stress", "exercise", "weight", "dose", "blood pressure", "pain", "sleep"
    return pd.DataFrame(dict(zip(names, columns, strict=True))).round(2)


@pytest.mark.skipif("FIPSCM_PICTURES" not in os.environ, reason="set FIPSCM_PICTURES=1 to renew the pictures in docs")
def test_the_picture_in_the_docs(visit):
    table = clinic()
    order = list(table.columns)
    shown = Session(Data(table, "clinic.csv"), lambda report: FiP(order=order, random_state=0).fit(table)).start()
    page = visit(shown, width=1360, height=850)
    page.wait_for_selector("#verdict:not(.pending)")
    move(page, "dose", 28)
    page.locator("#panel-row .chip").first.click()
    page.wait_for_selector("#panel-row tbody")
    page.wait_for_timeout(500)  # for colours that fade in
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=PICTURES / "explore.png")
    assert (PICTURES / "explore.png").stat().st_size < 300_000
