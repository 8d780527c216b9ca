"""Set an order right where it was unsure and the rows say otherwise. Shapes: N rows, D variables."""

from dataclasses import dataclass, replace

import numpy as np
import torch

from fipscm.graph import Mask, Order, allowed_from_order, descendants
from fipscm.intervention import Array
from fipscm.mechanism.direction import evidence_of_reversal
from fipscm.mechanism.edges import find_edges

# Regressions are imperfect and their flaws do not average out: plain significance would turn true edges around.
ENOUGH = 6.0
FEWEST_VALUES = 100  # below, a column has no density


@dataclass(frozen=True)
class OrderedGraph:
    """An order (D,) and the likely edges (D, D) on it, row = cause."""

    order: Order
    edges: Mask

    def with_causes(self, node: int, causes: list[int]) -> "OrderedGraph":
        """The same order, with other causes of one node."""
        edges = self.edges.copy()
        edges[:, node] = False
        edges[causes, node] = True
        return replace(self, edges=edges)

    def ancestors(self, node: int) -> Mask:
        """(D,), true for all direct and indirect causes of a node."""
        return np.asarray(descendants(self.edges)[:, node])

    def reversed(self, cause: int, effect: int) -> "OrderedGraph | None":
        """The graph with one edge turned around, or None if the cause also acts through others.

        The effect and those of its causes that stand between the two move before the cause.
        """
        causes = [other for other in np.flatnonzero(self.edges[:, effect]) if other != cause]
        turned = self.with_causes(effect, causes)
        early = turned.ancestors(effect)
        if early[cause]:
            return None
        first, last = (int(np.flatnonzero(self.order == node)[0]) for node in (cause, effect))
        between = self.order[first:last]
        order = [*self.order[:first], *between[early[between]], effect, *between[~early[between]]]
        edges = turned.edges.copy()
        edges[effect, cause] = True
        return OrderedGraph(np.array([*order, *self.order[last + 1 :]], dtype=np.intp), edges)


def reorder(
    z: Array, graph: OrderedGraph, unsure: Mask, possible: Mask, before: Mask, generator: torch.Generator
) -> Order:
    """Turn edges into unsure nodes around where the likelihood of standardised rows (N, D) is beyond doubt higher.

    Args:
        z: the rows.
        graph: the order to improve, and its likely edges.
        unsure: (D,), true for nodes that may stand too late.
        possible: (D, D), true where column j may cause row i at all.
        before: (D, D), true at [i, j] where i must stand before j.
        generator: of all random choices.
    """
    continuous = np.array([len(np.unique(column)) >= FEWEST_VALUES for column in z.T])
    allowed = allowed_from_order(graph.order) & possible
    found = find_edges(z, allowed & (unsure & continuous)[:, None], generator)
    rows = torch.as_tensor(z, dtype=torch.float32)
    for node in graph.order[::-1]:
        # Linear mechanisms fit both ways, or are told apart by the order model already.
        if not found.kept[node].any() or not found.curved[node]:
            continue
        # An edge turned around before may have carried the node past one of its causes.
        graph = graph.with_causes(node, list(np.flatnonzero(found.kept[node] & allowed_from_order(graph.order)[node])))
        while True:
            turned = {
                int(cause): other
                for cause in np.flatnonzero(graph.edges[:, node] & continuous & possible[:, node])
                if (other := graph.reversed(cause, node)) and not (before & allowed_from_order(other.order)).any()
            }
            evidence = {cause: _evidence(rows, graph, cause, int(node), generator) for cause in turned}
            best = max(evidence, key=evidence.__getitem__, default=None)
            if best is None or evidence[best] < ENOUGH:
                break
            graph = turned[best]
    return graph.order


def _evidence(rows: torch.Tensor, graph: OrderedGraph, cause: int, effect: int, generator: torch.Generator) -> float:
    others = (graph.edges[:, cause] | graph.edges[:, effect]) & ~np.isin(np.arange(len(graph.order)), [cause, effect])
    return evidence_of_reversal(rows, cause, effect, [int(node) for node in np.flatnonzero(others)], generator)
