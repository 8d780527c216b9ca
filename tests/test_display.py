"""What a notebook shows of a model and of its answers."""

from html.parser import HTMLParser

import networkx as nx
import numpy as np
import pytest

from fipscm import FiP
from fipscm.display import card, graph_card, interval_picture, table
from fipscm.simulate import known_scm

NAMES = ["<script>alert(1)</script>", "dose & unit", "pain"]


@pytest.fixture(scope="module")
def rows():
    return known_scm("triangle").sample(500, np.random.default_rng(0)).set_axis(NAMES, axis=1)


@pytest.fixture(scope="module")
def model(rows):
    return FiP(order=NAMES, random_state=0).fit(rows)


def tags(html):
    """The tags of HTML, each of which must be closed in turn."""
    seen, still_open = [], []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, _):
            seen.append(tag)
            still_open.append(tag)

        def handle_startendtag(self, tag, _):
            seen.append(tag)

        def handle_endtag(self, tag):
            assert still_open.pop() == tag

    Reader().feed(html)
    assert not still_open
    return seen


def test_a_model_shows_its_graph_and_order(model):
    html = model._repr_html_()
    assert "svg" in tags(html)
    assert "script" not in tags(html)
    assert f"3 columns, {model.graph_.number_of_edges()} edges" in html
    assert model._repr_mimebundle_()["text/html"] == html


def test_a_model_that_is_not_fitted_says_so():
    assert "not fitted" in FiP()._repr_html_()


def test_a_large_model_shows_what_is_nearest_to_its_last_column():
    graph = nx.path_graph(100, create_using=nx.DiGraph)
    assert "Shown: the 60 columns nearest to 99." in graph_card("FiP", graph, list(graph))


def test_an_effect_shows_its_interval(model):
    effect = model.effect(NAMES[0], on="pain")
    assert {"svg", "p"} <= set(tags(effect._repr_html_()))
    assert "script" not in tags(effect._repr_html_())


def test_a_recommendation_says_what_to_set(model):
    html = model.recommend("pain", value=1.0)._repr_html_()
    assert "is wanted" in html
    assert "script" not in tags(html)


def test_a_check_shows_its_verdict_and_every_figure(model, rows):
    result = model.check(rows)
    html = result._repr_html_()
    assert "script" not in tags(html)
    assert tags(html).count("tr") == len(result.findings) + 1


def test_everything_given_as_text_is_escaped():
    assert "<i>" not in card("<i>") + table(["<i>"], [["<i>"]])


def test_an_interval_lies_on_its_side_of_zero():
    picture = interval_picture(-3.0, -2.0, -1.0)
    assert 'x1="10.0"' in picture
    assert interval_picture(0.0, 0.0, 0.0)
