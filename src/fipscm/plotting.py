"""A causal graph as a picture: causes to the left, edge width by strength, colour by sign."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import networkx as nx
from matplotlib.axes import Axes

POSITIVE, NEGATIVE, NODE = "#2b6cb0", "#c05621", "#edf2f7"


def plot_graph(graph: nx.DiGraph, axes: Axes | None = None, title: str | None = None) -> Axes:
    """Draw a DAG in layers, each node right of all its causes; edges may carry a signed `weight`."""
    if axes is None:
        layers = nx.dag_longest_path_length(graph, weight=None) + 1
        tallest = max(len(layer) for layer in nx.topological_generations(graph))
        _, axes = plt.subplots(figsize=(2.2 + 1.6 * layers, 1.8 + 0.9 * tallest))
    layered: nx.DiGraph = nx.DiGraph()
    for depth, layer in enumerate(nx.topological_generations(graph)):
        layered.add_nodes_from(layer, layer=depth)
    layered.add_edges_from(graph.edges(data=True))
    position = nx.multipartite_layout(layered, subset_key="layer")
    for node, layer in layered.nodes(data="layer"):
        position[node][1] += (0.0, 0.3, -0.3)[layer % 3]  # lets edges pass between the nodes of the layers they skip
    weights = [float(data.get("weight", 1.0)) for *_, data in layered.edges(data=True)]
    nx.draw_networkx_nodes(layered, position, ax=axes, node_color=NODE, edgecolors="#4a5568", node_size=1500)
    nx.draw_networkx_labels(layered, position, ax=axes, font_size=10)
    nx.draw_networkx_edges(
        layered,
        position,
        ax=axes,
        width=_widths(weights),
        edge_color=[POSITIVE if weight >= 0 else NEGATIVE for weight in weights],
        node_size=1500,
        arrowsize=16,
        connectionstyle="arc3,rad=0.12",
    )
    axes.plot([], [], color=POSITIVE, label="raises")
    axes.plot([], [], color=NEGATIVE, label="lowers")
    axes.legend(loc="upper left", frameon=False, fontsize=8)
    axes.set_title(title or "Causal graph, causes to the left", fontsize=11)
    axes.margins(0.18)
    axes.set_axis_off()
    return axes


def _widths(weights: Sequence[float]) -> list[Any]:
    strongest = max((abs(weight) for weight in weights), default=1.0) or 1.0
    return [0.8 + 3.2 * abs(weight) / strongest for weight in weights]
