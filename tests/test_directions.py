"""An edge whose direction is open has neither an arrow head nor a weight, wherever it is shown."""

import xml.etree.ElementTree as ET
from itertools import product

import matplotlib as mpl
import networkx as nx
import numpy as np
import pandas as pd
import pytest

from fipscm import Knowledge
from fipscm.cli.doubt import doubt
from fipscm.directions import DIRECTION_THRESHOLD, NAMED_EDGES, in_words, open_edges, with_directions
from fipscm.display import graph_card
from fipscm.dot import to_dot
from fipscm.layout import layered, to_svg
from fipscm.plotting import plot_graph

mpl.use("Agg")
NAMES = ["age", "dose", "pain"]


@pytest.fixture
def graph():
    """The first edge stands, the second is open."""
    found = nx.DiGraph()
    found.add_edge("age", "dose", weight=0.5, score=3.0, confidence=0.97, directed=True)
    found.add_edge("dose", "pain", weight=-12.5, score=4.0, acts_on="mean", confidence=0.62, directed=False)
    return found


def confidence(share):
    """Every column precedes the later ones with this confidence."""
    upper = np.triu(np.full((3, 3), share), 1)
    return pd.DataFrame(upper + np.tril(1 - upper.T, -1), NAMES, NAMES)


def test_a_direction_stands_from_the_threshold_on_and_the_graph_given_stays_as_it_was():
    edges = nx.DiGraph([("age", "dose"), ("dose", "pain")])
    for share in (0.5, DIRECTION_THRESHOLD - 1e-9, DIRECTION_THRESHOLD, 1.0):
        marked = with_directions(edges, confidence(share), None)
        assert {stands for *_, stands in marked.edges(data="directed")} == {share >= DIRECTION_THRESHOLD}
        assert len(open_edges(marked)) == (0 if share >= DIRECTION_THRESHOLD else 2)
    assert all(facts == {} for *_, facts in edges.edges(data=True))


@pytest.mark.parametrize(
    "known",
    [
        Knowledge(tiers=[["age"], ["dose", "pain"]]),
        Knowledge(roots=["age"]),
        Knowledge(leaves=["dose"]),
        Knowledge(required_edges=[("age", "dose")]),
        Knowledge(forbidden_edges=[("dose", "age")]),
    ],
    ids=["tiers", "roots", "leaves", "required", "forbidden"],
)
def test_what_rules_out_the_turned_edge_settles_its_direction(known):
    marked = with_directions(nx.DiGraph([("age", "dose")]), confidence(0.5), known)
    assert marked.edges["age", "dose"]["directed"]
    assert (
        with_directions(nx.DiGraph([("age", "dose")]), confidence(0.5), None).edges["age", "dose"]["directed"] is False
    )


def test_open_edges_come_least_sure_first_and_a_long_list_is_cut():
    found = nx.DiGraph()
    for place, (one, other) in enumerate(product("abc", "xyz")):
        found.add_edge(one, other, confidence=0.9 - place / 20, directed=False)
    shares = [share for *_, share in open_edges(found)]
    assert shares == sorted(shares)
    assert in_words(open_edges(found)).endswith(f", and {9 - NAMED_EDGES} more")
    assert open_edges(nx.DiGraph([("age", "dose")])) == []


def test_svg_has_no_head_and_no_number_on_an_open_edge(graph):
    drawn = ET.fromstring(to_svg(graph, layered(graph)))
    edges = {path.get("class"): path for path in drawn.iter("path") if (path.get("class") or "").startswith("edge")}
    assert edges.keys() == {"edge raises", "edge open"}
    assert edges["edge raises"].get("marker-end")
    assert not edges["edge open"].get("marker-end")
    assert edges["edge open"].get("stroke-dasharray")
    assert edges["edge open"].find("title").text == "dose - pain, direction open (62% for dose first)"


def test_dot_has_no_head_and_no_weight_on_an_open_edge(graph):
    stands, is_open = (line for line in to_dot(graph).splitlines() if "->" in line)
    assert "dir=" not in stands
    assert "weight=0.5" in stands
    assert 'dir="none"' in is_open
    assert "weight" not in is_open
    assert "directed" not in to_dot(graph)


def test_a_picture_has_no_head_and_no_number_on_an_open_edge(graph):
    axes = plot_graph(graph, numbers=True)
    heads = [type(patch.get_arrowstyle()).__name__ for patch in axes.patches if hasattr(patch, "get_arrowstyle")]
    assert sorted(heads) == ["Curve", "CurveFilledB"]
    assert {text.get_text() for text in axes.texts} == {*NAMES, "+0.50"}
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["raises", "direction open"]


def test_the_strength_of_an_open_edge_does_not_make_the_others_thin(graph):
    alone = graph.copy()
    alone.remove_edge("dose", "pain")
    widths = [
        float(path.get("stroke-width"))
        for each in (graph, alone)
        for path in ET.fromstring(to_svg(each, layered(each))).iter("path")
        if path.get("class") == "edge raises"
    ]
    assert widths[0] == widths[1]


def test_a_card_and_a_command_say_how_many_are_open(graph):
    assert "The direction of 1 of 2 edges is open" in graph_card("FiP", graph, NAMES)
    assert doubt(graph).startswith("Direction open for 1 of 2 edges: dose - pain (62% for dose first).")
    graph.edges["dose", "pain"]["directed"] = True
    assert "open" not in graph_card("FiP", graph, NAMES)
    assert doubt(graph) == ""
