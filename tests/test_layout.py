"""A picture of a graph that can be read: promises over random DAGs of up to 60 columns."""

import json
from dataclasses import asdict
from itertools import combinations
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.textpath import TextPath

from fipscm.errors import GraphError
from fipscm.layout import around, label_places, layered, to_svg
from fipscm.layout.picture import FONT

NAMES = ["x", "blood pressure", "W" * 12, "血圧", "Größe [cm]", "$price_2$", "illi", "%@&mw", "НАПРЯЖЕНИЕ"]
LONG = "a_name_that_somebody_wrote_without_any_spaces_into_the_first_line_of_a_file"


@st.composite
def dags(draw, most=60):
    nodes = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    names = [f"{[*NAMES, LONG][node % (len(NAMES) + 1)]} {node}" for node in rng.permutation(nodes)]
    edges = np.argwhere(np.triu(rng.random((nodes, nodes)) < draw(st.floats(0, 5)) / nodes, 1))
    graph = nx.DiGraph()
    graph.add_nodes_from(sorted(names))
    graph.add_edges_from((names[cause], names[effect]) for cause, effect in edges)
    return graph


def by_name(layout):
    return {box.name: box for box in layout.boxes}


def apart(one, other):
    return (
        abs(one.x - other.x) >= (one.width + other.width) / 2 + 5
        or abs(one.y - other.y) >= (one.height + other.height) / 2 + 5
    )


def points_on(route, count=12):
    """Points of each Bezier curve of a route."""
    chain, t = np.array(route.points), np.linspace(0, 1, count)[:, None]
    for start in range(0, len(chain) - 1, 3):
        a, b, c, d = chain[start : start + 4]
        yield from (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d


@settings(max_examples=40, deadline=None)
@given(dags())
def test_boxes_stand_apart_inside_the_picture_and_right_of_their_causes(graph):
    layout = layered(graph)
    box = by_name(layout)
    assert set(box) == set(graph)
    assert all(apart(one, other) for one, other in combinations(layout.boxes, 2))
    for cause, effect in graph.edges:
        assert box[cause].x + box[cause].width / 2 < box[effect].x - box[effect].width / 2
    for one in layout.boxes:
        assert one.width / 2 < one.x < layout.width - one.width / 2
        assert one.height / 2 < one.y < layout.height - one.height / 2


@settings(max_examples=25, deadline=None)
@given(dags())
def test_edges_join_the_borders_of_their_boxes_and_run_behind_no_other(graph):
    layout = layered(graph)
    box = by_name(layout)
    assert {(route.cause, route.effect) for route in layout.routes} == set(graph.edges)
    corners = np.array([[one.x, one.y, one.width / 2, one.height / 2] for one in layout.boxes])
    for route in layout.routes:
        (start_x, start_y), (end_x, end_y) = route.points[0], route.points[-1]
        cause, effect = box[route.cause], box[route.effect]
        assert start_x == pytest.approx(cause.x + cause.width / 2)
        assert end_x == pytest.approx(effect.x - effect.width / 2)
        assert abs(start_y - cause.y) < cause.height / 2
        assert abs(end_y - effect.y) < effect.height / 2
        for point in points_on(route):
            inside = (np.abs(point - corners[:, :2]) < corners[:, 2:] - 1e-6).all(axis=1)
            assert not inside.any()
            assert 0 < point[0] < layout.width
            assert 0 < point[1] < layout.height


@settings(max_examples=20, deadline=None)
@given(dags(), st.randoms(use_true_random=False))
def test_the_same_graph_gives_the_same_picture(graph, random):
    nodes, edges = list(graph), list(graph.edges)
    random.shuffle(nodes)
    random.shuffle(edges)
    shuffled = nx.DiGraph()
    shuffled.add_nodes_from(nodes)
    shuffled.add_edges_from(edges)
    assert layered(graph) == layered(shuffled)


@settings(max_examples=20, deadline=None)
@given(dags(), st.data())
def test_boxes_keep_their_layers_and_their_order_when_an_edge_goes(graph, data):
    if not graph.edges:
        return
    before = layered(graph)
    smaller = graph.copy()
    smaller.remove_edge(*data.draw(st.sampled_from(sorted(graph.edges))))
    after = layered(smaller, like=before)
    assert [(box.name, box.layer) for box in after.boxes] == [(box.name, box.layer) for box in before.boxes]
    assert all(apart(one, other) for one, other in combinations(after.boxes, 2))


@settings(max_examples=20, deadline=None)
@given(dags(30), dags(30))
def test_any_graph_can_be_drawn_like_any_other(graph, other):
    layout = layered(graph, like=layered(other))
    box = by_name(layout)
    assert set(box) == set(graph)
    assert all(box[cause].layer < box[effect].layer for cause, effect in graph.edges)
    assert all(apart(one, other) for one, other in combinations(layout.boxes, 2))


@pytest.mark.parametrize("name", [*NAMES[:3], *NAMES[4:], "a very long name of a column, with its unit (mmol/l)", LONG])
def test_a_box_holds_the_whole_name(name):
    graph = nx.DiGraph()
    graph.add_node(name)
    (box,) = layered(graph).boxes
    assert "".join(box.lines) == name
    for line in box.lines:
        drawn = TextPath((0, 0), line.strip().replace("$", r"\$"), size=FONT).get_extents()
        assert drawn.width < box.width - 8
        assert drawn.height * len(box.lines) < box.height - 4


def test_few_edges_cross_where_none_need_to():
    tree = nx.balanced_tree(2, 4, create_using=nx.DiGraph)
    layout = layered(tree)
    box = by_name(layout)
    edges = list(tree.edges)
    for (a, b), (c, d) in combinations(edges, 2):
        if box[a].layer == box[c].layer:
            assert (box[a].y - box[c].y) * (box[b].y - box[d].y) >= 0


def test_a_layout_is_ready_for_json():
    graph = nx.DiGraph([("a", "b"), ("b", "c"), ("a", "c")])
    facts = json.loads(json.dumps(asdict(layered(graph))))
    assert {box["name"] for box in facts["boxes"]} == {"a", "b", "c"}
    assert all(len(route["points"]) % 3 == 1 for route in facts["routes"])


def test_an_empty_graph_is_an_empty_picture():
    assert layered(nx.DiGraph()).boxes == ()


def test_a_cycle_is_refused():
    with pytest.raises(GraphError, match="cycle"):
        layered(nx.DiGraph([("a", "b"), ("b", "a")]))


def test_around_keeps_what_is_nearest_to_the_target():
    graph = nx.path_graph(100, create_using=nx.DiGraph)
    graph.add_edge(200, 201)
    part = around(graph, 50)
    assert len(part) == 60
    assert {49, 50, 51} <= set(part)
    assert max(abs(node - 50) for node in part) == 30
    assert set(around(graph, 200)) == {200, 201}


def test_around_refuses_a_column_that_is_not_there():
    with pytest.raises(ValueError, match="nothing"):
        around(nx.DiGraph([("a", "b")]), "nothing")


@settings(max_examples=20, deadline=None)
@given(dags(20))
def test_a_label_lies_on_the_curve_of_its_edge(graph):
    layout = layered(graph)
    for route, place in zip(layout.routes, label_places(layout.routes), strict=True):
        curve = np.array(list(points_on(route, count=100)))
        assert np.hypot(*(curve - place).T).min() < 3


def test_svg_holds_names_as_text_a_sentence_per_edge_and_dashed_arcs():
    graph = nx.DiGraph()
    graph.add_edge("<b>a</b>", "b", weight=-0.5, confidence=0.75)
    graph.add_edge("c & d", "b", weight=1.0)
    drawn = ET.fromstring(to_svg(graph, layered(graph), [("<b>a</b>", "c & d")]))
    assert {"".join(text.itertext()) for text in drawn.iter("text")} == set(graph)
    said = [title.text for title in drawn.iter("title")]
    assert "<b>a</b> lowers b: 0.50 standard deviations per standard deviation; its direction is 75% sure" in said[1]
    assert said[0] == "<b>a</b> and c & d may share a hidden cause"
    widths = {path.get("class"): float(path.get("stroke-width")) for path in drawn.iter("path") if path.get("class")}
    assert widths["edge raises"] > widths["edge lowers"]
    top = float(drawn.get("viewBox").split()[1])
    assert top <= 0


def test_an_edge_of_a_category_has_no_sign():
    graph = nx.DiGraph()
    graph.add_node("ward", kind="categorical")
    graph.add_edge("ward", "age", weight=-2.0, confidence=0.9)
    graph.add_edge("age", "pain", weight=1.0)
    drawn = ET.fromstring(to_svg(graph, layered(graph)))
    assert sorted(path.get("class") for path in drawn.iter("path") if path.get("class")) == [
        "edge changes",
        "edge raises",
    ]
    assert "ward changes age; its direction is 90% sure" in [title.text for title in drawn.iter("title")]
