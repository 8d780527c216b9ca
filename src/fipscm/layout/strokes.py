"""How an edge is drawn: colour by sign, width by strength, pale where its direction is in doubt.

The levels of a category have no up and down: an edge from or to one has no sign.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx

from fipscm.layout.picture import Route

RAISES, LOWERS, CHANGES = "raises", "lowers", "changes"
COLOURS = {RAISES: "#2b6cb0", LOWERS: "#c05621", CHANGES: "#5a6778"}


@dataclass(frozen=True)
class Stroke:
    """The line of one edge; `strength` is the number that it shows, `confidence` is None where it is not known."""

    strength: float
    width: float
    confidence: float | None
    has_sign: bool = True

    @property
    def verb(self) -> str:
        """What the cause does to the effect."""
        return (RAISES if self.strength >= 0 else LOWERS) if self.has_sign else CHANGES

    @property
    def colour(self) -> str:
        """One colour for each verb."""
        return COLOURS[self.verb]

    @property
    def opacity(self) -> float:
        """1 where the direction is certain, 1/4 where both directions are equally likely."""
        sure = 1.0 if self.confidence is None else 2 * self.confidence - 1
        return 1 / 4 + 3 / 4 * min(1.0, max(0.0, sure))


def strokes(graph: nx.DiGraph, routes: Sequence[Route], strength: str = "weight") -> list[Stroke]:
    """A stroke for each route, by the edge attributes `strength` (1 where there is none) and `confidence`.

    The attribute `kind` of a node tells whether it is a category.
    """
    edges = [graph.edges[route.cause, route.effect] for route in routes]
    values = [float(edge.get(strength, 1.0)) for edge in edges]
    strongest = max(map(abs, values), default=1.0) or 1.0
    return [
        Stroke(value, 0.8 + 3.2 * abs(value) / strongest, edge.get("confidence"), _has_sign(graph, route))
        for value, edge, route in zip(values, edges, routes, strict=True)
    ]


def _has_sign(graph: nx.DiGraph, route: Route) -> bool:
    return all(graph.nodes[name].get("kind") != "categorical" for name in (route.cause, route.effect))
