"""Which edges of a graph have a direction that stands, and which are open: the one definition of doubt.

A direction stands if it follows from what the user knows, or if the confidence in it reaches a threshold. Lists,
pictures and reports show every other edge without an arrow head and without a weight, which would be that of an arrow.
"""

from collections.abc import Hashable, Sequence

import networkx as nx
import pandas as pd

from fipscm.knowledge import Knowledge

NAMED_EDGES = 5  # edges, the least sure ones: a longer list is not read
DIRECTION_THRESHOLD = 0.9  # of a calibrated confidence: one direction in ten that stands may still be wrong
OpenEdge = tuple[Hashable, Hashable, float]  # as it is in the graph, and the confidence in that direction


def with_directions(graph: nx.DiGraph, confidence: pd.DataFrame, knowledge: Knowledge | None) -> nx.DiGraph:
    """A copy of a graph whose edges tell their `confidence`, and whether they are `directed`.

    Confidence is P(row precedes column). Where knowledge rules out the edge the other way round, the direction stands.

    >>> confidence = pd.DataFrame([[0.5, 0.62], [0.38, 0.5]], ["dose", "pain"], ["dose", "pain"])
    >>> graph = nx.DiGraph([("dose", "pain")])
    >>> with_directions(graph, confidence, None).edges["dose", "pain"]
    {'confidence': 0.62, 'directed': False}
    >>> with_directions(graph, confidence, Knowledge(roots=["dose"])).edges["dose", "pain"]["directed"]
    True
    """
    names = list(confidence.columns)
    place = {name: position for position, name in enumerate(names)}
    shares, possible = confidence.to_numpy(), (knowledge or Knowledge()).allowed(names)  # possible: row = effect
    marked = graph.copy()
    for cause, effect, facts in marked.edges(data=True):
        sure = float(shares[place[cause], place[effect]])
        is_known = not possible[place[cause], place[effect]]
        facts |= {"confidence": sure, "directed": bool(is_known or sure >= DIRECTION_THRESHOLD)}
    return marked


def open_edges(graph: nx.DiGraph) -> list[OpenEdge]:
    """The edges whose direction is open, the least sure first; none in a graph that was not assessed."""
    found = [
        (cause, effect, facts["confidence"])
        for cause, effect, facts in graph.edges(data=True)
        if not facts.get("directed", True)
    ]
    return sorted(found, key=lambda edge: edge[2])


def in_words(edges: Sequence[OpenEdge]) -> str:
    """Open edges as part of a sentence.

    >>> in_words([("dose", "pain", 0.62)])
    'dose - pain (62% for dose first)'
    """
    told = [f"{cause} - {effect} ({share:.0%} for {cause} first)" for cause, effect, share in edges[:NAMED_EDGES]]
    return ", ".join([*told, f"and {len(edges) - NAMED_EDGES} more"] if len(edges) > NAMED_EDGES else told)
