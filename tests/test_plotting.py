import matplotlib as mpl
import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

from fipscm.errors import FileError
from fipscm.plotting import NEGATIVE, POSITIVE, plot_graph, save_picture

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
    assert (to_hex(strong.get_edgecolor()), to_hex(weak.get_edgecolor())) == (POSITIVE, NEGATIVE)
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


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("PDF", b"%PDF"), ("svg", b"<?xml")])
def test_a_picture_is_what_its_name_says(tmp_path, suffix, start):
    path = tmp_path / f"graph.{suffix}"
    save_picture(plot_graph(nx.DiGraph([("a", "b")])), path)
    assert path.read_bytes().startswith(start)


@pytest.mark.parametrize("name", ["graph.doc", "graph"])
def test_a_format_that_cannot_be_drawn_is_refused(tmp_path, name):
    with pytest.raises(FileError, match=r"\.png, \.pdf or \.svg"):
        save_picture(plot_graph(nx.DiGraph([("a", "b")])), tmp_path / name)
