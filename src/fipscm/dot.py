"""A causal graph as text in the DOT language, which graphviz and most graph editors read."""

import networkx as nx


def to_dot(graph: nx.DiGraph) -> str:
    r"""Nodes and edges in their order, every name in quotes, and what is known of the edges as their attributes.

    An edge whose direction is open is a dashed line without a head and without a weight.

    >>> print(to_dot(nx.DiGraph([("dose", 'the "pain"')])))
    digraph {
      rankdir=LR;
      node [shape=box];
      "dose";
      "the \"pain\"";
      "dose" -> "the \"pain\"";
    }
    <BLANKLINE>
    """
    nodes = [f"{quoted(name)};" for name in graph]
    edges = [
        f"{quoted(cause)} -> {quoted(effect)}{_attributes(data)};" for cause, effect, data in graph.edges(data=True)
    ]
    lines = ["rankdir=LR;", "node [shape=box];", *nodes, *edges]
    return "\n".join(["digraph {", *(f"  {line}" for line in lines), "}\n"])


def quoted(name: object) -> str:
    """A name as text in quotes, whatever signs it holds."""
    # A backslash starts an escape in a label, and a line end would end the line.
    escaped = str(name).replace("\\", "\\\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{escaped}"'


def _attributes(data: dict[str, float | str]) -> str:
    known = {name: value for name, value in data.items() if name != "directed"}
    if not data.get("directed", True):
        told_of_arrows = ("weight", "acts_on")
        kept = {name: value for name, value in known.items() if name not in told_of_arrows}
        known = {"dir": "none", "style": "dashed", **kept}
    told = (f"{name}={quoted(value) if isinstance(value, str) else f'{value:.6g}'}" for name, value in known.items())
    return f" [{', '.join(told)}]" if known else ""
