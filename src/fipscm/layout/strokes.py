"""How an edge is drawn: colour by sign, width by strength, pale where its direction is in doubt."""

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx

from fipscm.layout.picture import Route

POSITIVE, NEGATIVE = "#2b6cb0", "#c05621"


@dataclass(frozen=True)
class Stroke:
    """The line of one edge; `strength` is the number that it shows, `confidence` is None where it is not known."""

    strength: float
    width: float
    confidence: float | None

    @property
    def colour(self) -> str:
        """One colour for what raises, one for what lowers."""
        return POSITIVE if self.strength >= 0 else NEGATIVE

    @property
    def opacity(self) -> float:
        """1 where the direction is certain, 1/4 where both directions are equally likely."""
        sure = 1.0 if self.confidence is None else 2 * self.confidence - 1
        return 1 / 4 + 3 / 4 * min(1.0, max(0.0, sure))


def strokes(graph: nx.DiGraph, routes: Sequence[Route], strength: str = "weight") -> list[Stroke]:
    """A stroke for each route, by the edge attributes `strength` (1 where there is none) and `confidence`."""
    edges = [graph.edges[route.cause, route.effect] for route in routes]
    values = [float(edge.get(strength, 1.0)) for edge in edges]
    strongest = max(map(abs, values), default=1.0) or 1.0
    return [
        Stroke(value, 0.8 + 3.2 * abs(value) / strongest, edge.get("confidence"))
        for value, edge in zip(values, edges, strict=True)
    ]
