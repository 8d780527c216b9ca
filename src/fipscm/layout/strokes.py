"""How an edge is drawn: colour by sign, width by strength; without an arrow head where its direction is open.

The levels of a category have no up and down: an edge from or to one has no sign. An open edge has neither sign nor
strength, which would be those of one of the two directions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import networkx as nx

from fipscm.layout.picture import Route

RAISES, LOWERS, CHANGES, OPEN = "raises", "lowers", "changes", "open"
COLOURS = {RAISES: "#2b6cb0", LOWERS: "#c05621", CHANGES: "#5a6778", OPEN: "#8794a5"}
OPEN_WIDTH = 1.4
DASHES = (4, 3)  # of an open edge: drawn and left out, in points


@dataclass(frozen=True)
class Stroke:
    """The line of one edge; `strength` is the number that it shows, `confidence` is None where it is not known.

    `directed` is false where the direction is open.
    """

    strength: float
    width: float
    confidence: float | None
    has_sign: bool = True
    directed: bool = True

    @property
    def verb(self) -> str:
        """What the cause does to the effect; "open" where nobody knows which of the two is the cause."""
        if not self.directed:
            return OPEN
        return (RAISES if self.strength >= 0 else LOWERS) if self.has_sign else CHANGES

    @property
    def colour(self) -> str:
        """One colour for each verb."""
        return COLOURS[self.verb]


def strokes(graph: nx.DiGraph, routes: Sequence[Route], strength: str = "weight") -> list[Stroke]:
    """A stroke for each route, by the edge attributes `strength` (1 where there is none), `confidence` and `directed`.

    The attribute `kind` of a node tells whether it is a category.
    """
    edges = [graph.edges[route.cause, route.effect] for route in routes]
    values = [float(edge.get(strength, 1.0)) for edge in edges]
    directed = [bool(edge.get("directed", True)) for edge in edges]  # unless it was assessed, an edge is an arrow
    strongest = max((abs(value) for value, stands in zip(values, directed, strict=True) if stands), default=1.0) or 1.0
    widths = [
        0.8 + 3.2 * abs(value) / strongest if stands else OPEN_WIDTH
        for value, stands in zip(values, directed, strict=True)
    ]
    return [
        Stroke(value, width, edge.get("confidence"), _has_sign(graph, route), stands)
        for value, width, edge, route, stands in zip(values, widths, edges, routes, directed, strict=True)
    ]


def _has_sign(graph: nx.DiGraph, route: Route) -> bool:
    return all(graph.nodes[name].get("kind") != "categorical" for name in (route.cause, route.effect))
