"""A report of a table with all kinds of columns: levels by name, shares as bars, one box for a category."""

import warnings
from html import unescape

import numpy as np
import pytest

from fipscm import FiP
from fipscm.fip.rows import observations
from fipscm.report.curves import partial_dependence
from fipscm.report.document import write_document
from fipscm.report.page import render

ORDER = ["age", "ward", "pain", "visits", "cured"]


@pytest.fixture(scope="module")
def model(clinic):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the cells that are filled in
        return FiP(order=ORDER, random_state=0).fit(clinic)


@pytest.fixture(scope="module")
def document(model, clinic):
    return write_document(model, observations(model._fitted, clinic), False, None, np.random.default_rng(0))


@pytest.fixture(scope="module")
def words(document):
    return " ".join(unescape(render(document).html).split())


def test_a_category_is_one_column_and_shares_are_bars(document):
    assert document.names == ORDER
    kinds = {chart.drawing["title"]: chart.drawing["kind"] for chart in document.comparisons}
    assert kinds == {"age": "histogram", "ward": "bars", "pain": "bars", "visits": "histogram", "cured": "bars"}
    for chart in document.comparisons:
        if chart.drawing["kind"] == "bars":
            assert all(sum(heights) == pytest.approx(100, abs=0.1) for heights in chart.drawing["heights"].values())


def test_probabilities_of_levels_follow_a_cause_and_sum_to_one(model, clinic):
    rows = observations(model._fitted, clinic).values
    curve = partial_dependence(model, "age", "ward", rows)
    assert curve.told == ("<i>A</i>", "B & co", "C")
    assert curve.y.sum(axis=1) == pytest.approx(1)
    assert curve.ends[0][2] > 0.5 > curve.ends[1][2]  # the young are in C
    steps = partial_dependence(model, "pain", "cured", rows)
    assert steps.told == ("yes",)
    assert steps.y[0, 0] > steps.y[1, 0] > steps.y[2, 0]
    assert partial_dependence(model, "ward", "pain", rows).y.shape == (3, 1)


def test_effects_name_levels_and_probabilities(document):
    told = {(each.cause, each.outcome): each for each in document.effects}
    cured = told["pain", "cured"]
    assert set(cured.values) < {"low", "middle", "high"}
    assert cured.changed == "the probability that cured is yes"
    assert "percentage points" in cured.amount
    assert told["ward", "pain"].values[1] in ("B & co", "C")


def test_what_makes_no_sense_for_a_kind_is_left_out_and_said(document, words):
    assert [chart.drawing["title"] for chart in document.noises] == ["age"]
    assert document.noises_left_out == ["ward", "pain", "visits", "cured"]
    assert "Left out are ward, pain, visits and cured" in words


def test_kinds_and_missing_cells_are_told(document, words):
    facts = {column.name: column for column in document.facts}
    assert facts["ward"].kind == "categorical"
    assert facts["ward"].values == "<i>A</i>, B & co, C"
    assert facts["age"].missing == pytest.approx(3 / 400)
    assert facts["cured"].missing == 0
    assert "Cells were missing in age and ward" in words


def test_a_picture_has_one_box_for_a_category(model):
    assert [text.get_text() for text in model.plot().texts if text.get_text() in ORDER].count("ward") == 1


def test_the_browser_shows_it_without_a_complaint(new_page, document, tmp_path):
    render(document).save(tmp_path / "report.html")
    page = new_page()
    page.goto((tmp_path / "report.html").as_uri())
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function("[...document.querySelectorAll('.chart')].every(chart => chart.querySelector('.main-svg'))")
    assert page.complaints == []
    assert sorted(page.locator("svg.graph text").all_text_contents()) == sorted(ORDER)
    bars = page.locator("#fit .chart.bars").first
    assert bars.locator(".point path").count() == 6  # three levels, real and sampled
    assert bars.locator(".xtick").all_text_contents() == ["<i>A</i>", "B & co", "C"]
