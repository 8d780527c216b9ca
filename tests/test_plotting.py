from itertools import combinations

import matplotlib as mpl
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from fipscm.errors import FileError
from fipscm.layout.strokes import COLOURS
from fipscm.plotting import draw_graph, plot_graph

mpl.use("Agg")


def arrows(axes):
    return [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]


def test_edges_are_drawn_by_strength_and_sign(tmp_path):
    graph = nx.DiGraph()
    graph.add_edge("a", "b", weight=2.0)
    graph.add_edge("b", "c", weight=-0.5)
    axes = plot_graph(graph)
    strong, weak = arrows(axes)
    assert strong.get_linewidth() > weak.get_linewidth()
    assert (to_hex(strong.get_edgecolor()), to_hex(weak.get_edgecolor())) == (COLOURS["raises"], COLOURS["lowers"])
    axes.figure.savefig(tmp_path / "graph.png")
    assert (tmp_path / "graph.png").stat().st_size > 1000


def test_every_node_stands_right_of_its_causes():
    graph = nx.DiGraph([("effect2", "end"), ("cause", "effect2"), ("cause", "end"), ("other", "end")])
    axes = plot_graph(graph)
    x = {text.get_text(): text.get_position()[0] for text in axes.texts}
    assert all(x[cause] < x[effect] for cause, effect in graph.edges)


def test_a_graph_without_edges_can_be_drawn():
    graph = nx.DiGraph()
    graph.add_node("only")
    assert np.isfinite(plot_graph(graph).get_xlim()).all()


@pytest.mark.parametrize("width", [4, 12])
def test_names_stand_whole_inside_their_boxes_whatever_the_size(width):
    graph = nx.DiGraph([("a long name of a column", "$price$ in $"), ("a long name of a column", "Größe (µm)")])
    figure, axes = plt.subplots(figsize=(width, 3))
    plot_graph(graph, axes)
    figure.draw_without_rendering()
    boxes = [patch.get_window_extent() for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    assert {text.get_text().replace("\n", " ") for text in axes.texts} == set(graph)
    for text in axes.texts:
        drawn = text.get_window_extent()
        assert any(box.containsx(drawn.x0) and box.containsx(drawn.x1) and box.containsy(drawn.y0) for box in boxes)
    plt.close(figure)


def test_arrows_end_at_the_borders_of_boxes():
    graph = nx.DiGraph([("cause", "a much longer name"), ("cause", "short")])
    axes = plot_graph(graph)
    left_borders = {patch.get_bbox().x0 - 4 for patch in axes.patches if isinstance(patch, FancyBboxPatch)}
    for arrow in arrows(axes):
        tip = arrow._path_original.vertices[-1, 0]
        assert min(abs(tip - border) for border in left_borders) < 1e-6


def test_numbers_are_written_on_demand_and_apart():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "c", 0.25), ("b", "c", -1.5), ("a", "d", 2.0), ("b", "d", 3.0)])
    names = {text.get_text() for text in plot_graph(graph).texts}
    axes = plot_graph(graph, numbers=True)
    numbers = [text for text in axes.texts if text.get_text() not in names]
    assert sorted(text.get_text() for text in numbers) == ["+0.25", "+2.00", "+3.00", "-1.50"]
    for one, other in combinations(numbers, 2):
        assert not one.get_window_extent().overlaps(other.get_window_extent())


def test_of_many_columns_those_around_a_target_are_drawn_and_the_title_says_so():
    graph = nx.path_graph(100, create_using=nx.DiGraph)
    axes = plot_graph(graph)
    assert len(axes.texts) == 60
    assert "60 of 100" in axes.get_title(loc="left")
    assert {text.get_text() for text in plot_graph(graph, target=3).texts} >= {"2", "3", "4"}


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("PDF", b"%PDF"), ("svg", b"<?xml"), ("dot", b"digraph")]
)
def test_a_picture_is_what_its_name_says(tmp_path, suffix, start):
    path = tmp_path / f"graph.{suffix}"
    draw_graph(nx.DiGraph([("a", "b")]), path)
    assert path.read_bytes().startswith(start)


@pytest.mark.parametrize("name", ["graph.doc", "graph"])
def test_a_format_that_cannot_be_drawn_is_refused(tmp_path, name):
    with pytest.raises(FileError, match=r"\.png, \.pdf, \.svg or \.dot"):
        draw_graph(nx.DiGraph([("a", "b")]), tmp_path / name)


def test_dot_keeps_any_name_and_the_numbers(tmp_path):
    graph = nx.DiGraph()
    graph.add_edge('a "quoted" \\ name', "line\nend", weight=0.5)
    draw_graph(graph, tmp_path / "graph.dot")
    text = (tmp_path / "graph.dot").read_text()
    assert r'"a \"quoted\" \\ name" -> "line\nend" [weight=0.5];' in text
