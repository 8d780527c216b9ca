"""The zero-shot graph as a picture."""

from pathlib import Path

import networkx as nx
from matplotlib.figure import Figure

from fipscm.files import write_whole
from fipscm.graph import to_networkx
from fipscm.order.zeroshot import ZeroShot


def draw_graph(answer: ZeroShot, path: str | Path) -> None:
    """Draw the likely edges, causes on the left; an arrow is as dark as its edge is probable."""
    names = list(answer.edges.columns)
    graph = to_networkx(answer.adjacency(), names)
    for layer, generation in enumerate(nx.topological_generations(graph)):
        for name in generation:
            graph.nodes[name]["layer"] = layer
    places = nx.multipartite_layout(graph, subset_key="layer")
    darkness = [float(answer.edges.loc[cause, effect]) for cause, effect in graph.edges]
    figure = Figure(figsize=(8, 5), layout="constrained")
    axis = figure.subplots()
    axis.set_axis_off()
    nx.draw_networkx_nodes(graph, places, ax=axis, node_size=900, node_color="#dfe8f2", edgecolors="#3b5b7d")
    nx.draw_networkx_labels(graph, places, ax=axis, font_size=9)
    nx.draw_networkx_edges(graph, places, ax=axis, alpha=darkness, node_size=900, connectionstyle="arc3,rad=0.1")
    write_whole(path, lambda file: figure.savefig(file, format="png", dpi=120))
