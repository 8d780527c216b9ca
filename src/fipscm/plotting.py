"""A causal graph as a picture: causes to the left, edge width by strength, colour by sign."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import matplotlib.pyplot as plt
import networkx as nx
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fipscm.errors import FileError
from fipscm.tables.write import require_writable, write_whole

PICTURES = (".png", ".pdf", ".svg")
POSITIVE, NEGATIVE, NODE = "#2b6cb0", "#c05621", "#edf2f7"


def plot_graph(graph: nx.DiGraph, axes: Axes | None = None, strength: str = "weight") -> Axes:
    """Draw a DAG in layers, each node right of all its causes; the edge attribute `strength` sets width and colour.

    Where edges have a `confidence`, that the cause precedes the effect, the doubtful ones are pale.
    """
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
    weights = [float(data.get(strength, 1.0)) for *_, data in layered.edges(data=True)]
    nx.draw_networkx_nodes(layered, position, ax=axes, node_color=NODE, edgecolors="#4a5568", node_size=1500)
    # A dollar sign would start a formula.
    labels = {node: str(node).replace("$", r"\$") for node in layered}
    nx.draw_networkx_labels(layered, position, labels, ax=axes, font_size=10)
    nx.draw_networkx_edges(
        layered,
        position,
        ax=axes,
        width=_widths(weights),
        edge_color=[POSITIVE if weight >= 0 else NEGATIVE for weight in weights],
        alpha=[_opacity(data.get("confidence", 1.0)) for *_, data in layered.edges(data=True)],
        node_size=1500,
        arrowsize=16,
        connectionstyle="arc3,rad=0.12",
    )
    if strength == "weight":
        axes.plot([], [], color=POSITIVE, label="raises")
        axes.plot([], [], color=NEGATIVE, label="lowers")
        axes.legend(loc="upper left", frameon=False, fontsize=8)
    doubt = ", pale where the direction is in doubt" if nx.get_edge_attributes(graph, "confidence") else ""
    axes.set_title(f"Causes to the left, width by {strength}{doubt}", fontsize=11)
    axes.margins(0.18)
    axes.set_axis_off()
    return axes


def save_picture(axes: Axes, path: str | Path) -> None:
    """Write the picture in the format of the suffix; the file appears whole or not at all."""
    require_writable_picture(path)
    figure, kind = cast(Figure, axes.figure), Path(path).suffix.removeprefix(".").lower()
    write_whole(path, lambda file: figure.savefig(file, format=kind, dpi=120, bbox_inches="tight"))
    plt.close(figure)


def require_writable_picture(path: str | Path) -> None:
    """Raise now the error that `save_picture` would raise later, after long work."""
    if Path(path).suffix.lower() not in PICTURES:
        raise FileError(f"Cannot draw '{path}': a picture's name ends in {', '.join(PICTURES[:-1])} or {PICTURES[-1]}.")
    require_writable(path)


def _opacity(confidence: float) -> float:
    """1 where the direction is certain, 1/6 where both directions are equally likely."""
    return 1 / 6 + 5 / 6 * min(1.0, max(0.0, 2 * confidence - 1))


def _widths(weights: Sequence[float]) -> list[Any]:
    strongest = max((abs(weight) for weight in weights), default=1.0) or 1.0
    return [0.8 + 3.2 * abs(weight) / strongest for weight in weights]
