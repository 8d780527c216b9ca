"""Graphs as real tables have them: hidden causes, columns that measure another one, columns that belong to nothing.

Shapes: D visible columns, H hidden roots.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Adjacency, Mask
from fipscm.simulate.graphs import sample_graph
from fipscm.simulate.priors import PRIORS

IN_FAMILIES = PRIORS["released"]["lin-in"].families
COPIED, IRRELEVANT, CONFOUNDED = 0.15, 0.2, 0.25  # shares of the graphs that have any


@dataclass(frozen=True)
class Structure:
    """A graph of visible columns and hidden roots.

    Attributes:
        edges: (D + H, D + H), the visible columns first.
        visible: D.
        copies: for each column that measures another one, which one; that is its only cause.
        irrelevant: columns without any edge on purpose.
    """

    edges: Adjacency
    visible: int
    copies: dict[int, int]
    irrelevant: tuple[int, ...]

    @property
    def adjacency(self) -> Adjacency:
        """(D, D) the graph of the visible columns."""
        return self.edges[: self.visible, : self.visible]

    @property
    def confounded(self) -> Mask:
        """(D, D) symmetric, true for two columns with a hidden cause in common."""
        hidden = self.edges[self.visible :, : self.visible].astype(np.int64)
        shared = hidden.T @ hidden > 0
        np.fill_diagonal(shared, False)
        return np.asarray(shared)


def sample_structure(nodes: int, rng: np.random.Generator) -> Structure:
    """Draw a graph of P_IN and change it: now and then columns become copies or irrelevant, and hidden roots join."""
    edges = sample_graph(str(rng.choice(IN_FAMILIES)), nodes, rng)
    shuffled = rng.permutation(nodes)
    copied = _count(COPIED, nodes // 10, nodes - 1, rng)
    apart = copied + _count(IRRELEVANT, nodes // 5, nodes - copied - 1, rng)
    ordinary = shuffled[apart:]
    edges[shuffled[:apart]] = 0
    edges[:, shuffled[:apart]] = 0
    copies = {int(copy): int(rng.choice(ordinary)) for copy in shuffled[:copied]}
    for copy, source in copies.items():
        edges[source, copy] = 1
    hidden = _hidden_roots(ordinary, nodes, rng)
    whole = np.zeros((nodes + len(hidden),) * 2, dtype=np.int8)
    whole[:nodes, :nodes], whole[nodes:, :nodes] = edges, hidden
    return Structure(whole, nodes, copies, tuple(shuffled[copied:apart].tolist()))


def _count(share: float, usual: int, most: int, rng: np.random.Generator) -> int:
    """None most of the time, else at least one if that many are possible."""
    return min(most, int(rng.integers(1, max(usual, 1) + 1))) if rng.random() < share else 0


def _hidden_roots(ordinary: NDArray[np.int64], nodes: int, rng: np.random.Generator) -> Adjacency:
    """(H, D) which columns each hidden root moves: two or three of the ordinary ones."""
    count = _count(CONFOUNDED, len(ordinary) // 6, len(ordinary) // 2, rng)
    effects = np.zeros((count, nodes), dtype=np.int8)
    for root in effects:
        root[rng.choice(ordinary, min(len(ordinary), int(rng.integers(2, 4))), replace=False)] = 1
    return effects
