"""What a report says, and what it refuses."""

import re
from copy import copy
from dataclasses import replace
from html import unescape

import networkx as nx
import numpy as np
import pytest
from plotly.offline import get_plotlyjs

from fipscm import FiP, load
from fipscm.errors import DataError, UnknownNameError
from fipscm.fip.rows import observations
from fipscm.report.document import write_document
from fipscm.report.hidden import HiddenCauses
from fipscm.report.limits import limits
from fipscm.report.page import render


@pytest.fixture(scope="module")
def document(model, table):
    seen = observations(model._fitted, table)
    return write_document(copy(model).assess(), seen, True, None, np.random.default_rng(0))


def own_text(report):
    """The page without the library that draws its charts."""
    return report.html.replace(get_plotlyjs(), "")


def test_it_is_small_enough_and_names_no_address(report):
    assert len(report.html.encode()) < 6e6
    assert "http" not in own_text(report).replace("http-equiv", "")
    assert "//" not in re.sub(r"\n\s*// .*", "", own_text(report))


def test_the_verdict_comes_first(report):
    text = own_text(report)
    places = [text.index(f'<section id="{part}"') for part in ("verdict", "graph", "order", "effects", "limits")]
    assert places == sorted(places)


def test_the_same_model_and_table_give_the_same_page(model, table, report):
    assert model.report(table, target=report_target(report)).html == report.html


def report_target(report):
    (target,) = re.findall(r"<title>Causal report: (.*)</title>", report.html)
    return unescape(target)


def test_a_report_leaves_the_model_as_it_was(model, table):
    assert not hasattr(model, "order_confidence_")
    assert all("confidence" not in facts for *_, facts in model.graph_.edges(data=True))


def test_a_saved_model_is_reported_like_the_one_that_was_saved(model, table, report, tmp_path):
    model.save(tmp_path / "model.fip")
    again = load(tmp_path / "model.fip").report(table, target=report_target(report))
    assert again.html == report.html


def test_an_order_that_was_given_is_said_to_be_given(table):
    order = list(table.columns[::-1])
    text = own_text(FiP(order=order, random_state=0).fit(table).report(table))
    assert "The order was given." in text
    assert "% sure" not in text


def test_the_target_is_by_default_the_last_effect(document, model):
    assert document.target == [name for name in model.causal_order_ if model.graph_.in_degree(name)][-1]


def test_the_strongest_effects_come_first_and_have_intervals(document):
    sizes = [abs(strong.standardized[1]) for strong in document.effects]
    assert sizes == sorted(sizes, reverse=True)
    assert all(strong.effect.low < strong.effect.estimate < strong.effect.high for strong in document.effects)


def test_every_edge_has_a_curve_and_every_column_its_histograms(document, model):
    assert sum(len(mechanism.charts) for mechanism in document.mechanisms) == model.graph_.number_of_edges()
    assert len(document.noises) == len(document.comparisons) == len(model.causal_order_)


def test_hidden_common_causes_are_drawn_and_warned_of_where_they_are_known(document):
    a, b = document.order[:2]
    hidden = HiddenCauses(True, ((a, b, 0.8),))
    told = list(limits(graph_of(document), document.check, True, hidden))
    page = render(replace(document, hidden=hidden, limits=told)).html
    assert "Effects between columns that may share a hidden cause" in page
    assert "dashed arc" in page
    assert "are not available" in render(replace(document, hidden=HiddenCauses(False))).html
    none_seen = limits(graph_of(document), document.check, True, HiddenCauses(True))
    assert "Claims that nothing outside of the table matters" in [limit.use for limit in none_seen]


def test_where_directions_are_in_doubt_the_headline_says_so(document):
    passed = replace(document.check, findings=tuple(replace(each, passed=True) for each in document.check.findings))
    doubtful = [(cause, effect, 0.6) for cause, effect, _ in document.edges]
    sure, unsure = (render(replace(document, check=passed, doubtful=pairs)).html for pairs in ([], doubtful))
    assert "As far as a table can tell, yes" in sure
    assert "which way every edge points is in doubt" in unsure
    assert "As far as a table can tell, yes" not in unsure
    one = render(replace(document, check=passed, doubtful=doubtful[:1])).html
    assert "which way some edges point is in doubt" in one


def graph_of(document):
    return nx.DiGraph([(cause, effect) for cause, effect, _ in document.edges])


def test_doubtful_directions_are_named_as_no_ground_to_act(document):
    graph = graph_of(document)
    cause, effect = next(iter(graph.edges))
    graph.edges[cause, effect].update(confidence=0.6, directed=False)
    (limit,) = [limit for limit in limits(graph, document.check, True, HiddenCauses(False)) if "doubt" in limit.use]
    assert limit.cases == (f"{cause} - {effect}: 60% for {cause} first",)


def test_an_effect_across_an_open_direction_names_what_it_takes_for_granted(document):
    strong = document.effects[0]
    unsure, sure = (replace(strong, effect=replace(strong.effect, precedes=share)) for share in (0.6, 0.95))
    assert unsure.premise == f"if {strong.cause} comes before {strong.outcome}, of which it is 60% sure"
    assert sure.premise == ""
    assert "of which it is 60% sure" in render(replace(document, effects=[unsure])).html


def test_an_open_edge_stands_in_the_table_without_a_strength(document):
    edges = [
        (cause, effect, replace(stroke, directed=False, confidence=0.6)) for cause, effect, stroke in document.edges
    ]
    page = render(replace(document, edges=edges, doubtful=[(cause, effect, 0.6) for cause, effect, _ in edges])).html
    rows = re.search(r'aria-label="Table of edges">(.*?)</table>', page, re.DOTALL)[1].split("<tr>")[2:]
    assert len(rows) == len(edges)
    for row in rows:
        assert "direction open</td>" in row
        assert not re.search(r"[+\N{MINUS SIGN}]", row)


def test_a_report_tells_the_figure_that_an_effect_tells(document, model):
    strong = document.effects[0].effect
    asked = strong.question
    alone = model.effect(asked.treatment, on=asked.outcome)
    assert (alone.question.treated, alone.question.control) == (asked.treated, asked.control)
    assert (alone.estimate, alone.low, alone.high) == (strong.estimate, strong.low, strong.high)


def test_serious_findings_are_the_first_limit(document):
    finding = replace(document.check.findings[0], passed=False, serious=True, verdict="Something is wrong.")
    check = replace(document.check, findings=(finding, *document.check.findings[1:]))
    first = next(limits(graph_of(document), check, True, HiddenCauses(False)))
    assert "Something is wrong." in first.cases
    page = render(replace(document, check=check)).html
    assert "Only with great care: 1 serious check failed." in " ".join(page.split())


def test_a_table_that_does_not_match_names_the_columns(model, table):
    with pytest.raises(DataError, match=r"lack the columns \$x_1\$ %\{y\}, alone"):
        model.report(table[table.columns[2:]])


def test_a_target_that_is_no_column_is_refused(model, table):
    with pytest.raises(UnknownNameError, match="'nothing'"):
        model.report(table, target="nothing")


def test_a_notebook_shows_the_page_in_a_frame(report):
    shown = report._repr_html_()
    assert shown.startswith("<iframe")
    assert "<script" not in shown
    assert "save(" in repr(report)
