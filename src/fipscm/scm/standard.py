"""Standard SCMs: a graph and one function per node, and their equivalence with fixed-point SCMs.

Shapes: N rows, D variables, P parents of a node.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from fipscm.arrays import Adjacency, Array, Order
from fipscm.graph import as_adjacency, topological_order
from fipscm.scm.base import NoiseLaw
from fipscm.scm.fixed_point import FixedPointSCM
from fipscm.scm.nodewise import NodewiseSCM


class NodeFunction(Protocol):
    """One structural equation, x = f(parents, noise), with its inverse in the noise."""

    def __call__(self, parents: Array, noise: Array) -> Array:
        """(N, P) parents in increasing column order and (N,) noises -> (N,) values."""
        ...

    def invert(self, parents: Array, values: Array) -> Array:
        """(N, P) parents and (N,) values -> (N,) noises."""
        ...


@dataclass(frozen=True)
class StandardSCM(NodewiseSCM):
    """A graph, independent noises, and one function per node, evaluated causes first."""

    names: tuple[Hashable, ...]
    edges: Adjacency
    noise: NoiseLaw
    functions: tuple[NodeFunction, ...]
    order: Order

    @classmethod
    def build(
        cls,
        adjacency: Adjacency,
        noise: NoiseLaw,
        functions: tuple[NodeFunction, ...],
        names: tuple[Hashable, ...] | None = None,
    ) -> Self:
        """Check the graph, name the columns x0, x1, ... unless told otherwise, and order them causes first."""
        names = names or tuple(f"x{column}" for column in range(len(adjacency)))
        checked = as_adjacency(adjacency, names)
        return cls(names, checked, noise, functions, topological_order(checked))

    @property
    def adjacency(self) -> Adjacency:
        """(D, D), 1 where the row causes the column; read-only, for the functions rely on it."""
        view = self.edges.view()
        view.flags.writeable = False
        return view

    def node_value(self, node: int, rows: Array, noise: Array) -> Array:
        """Evaluate the node's function."""
        return self.functions[node](self._parents(rows, node), noise)

    def node_noise(self, node: int, rows: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """Invert the node's function."""
        return self.functions[node].invert(self._parents(rows, node), values)

    @classmethod
    def from_fixed_point(cls, scm: FixedPointSCM) -> Self:
        """Return the standard SCM with the same noises whose graph is the causal graph of the fixed-point SCM."""
        adjacency = scm.adjacency
        functions = tuple(_Coordinate(scm, node, np.flatnonzero(adjacency[:, node])) for node in range(len(scm.names)))
        return cls(scm.names, adjacency, scm.noise, functions, scm.order)

    def _parents(self, rows: Array, node: int) -> Array:
        return rows[:, np.flatnonzero(self.adjacency[:, node])]


@dataclass(frozen=True)
class _Coordinate:
    """One coordinate of a fixed-point SCM as a function of its parents: the other coordinates do not matter."""

    scm: FixedPointSCM
    node: int
    parents: Order

    def __call__(self, parents: Array, noise: Array) -> Array:
        return self.scm.apply(*self._embedded(parents, noise))[:, self.node]

    def invert(self, parents: Array, values: Array) -> Array:
        rows, _ = self._embedded(parents, values)
        rows[:, self.node] = values
        # The other coordinates are zero, perhaps outside their support: their noises are not read.
        with np.errstate(all="ignore"):
            return self.scm.sample_to_noise(rows)[:, self.node]

    def _embedded(self, parents: Array, noise: Array) -> tuple[Array, Array]:
        rows = np.zeros((len(noise), len(self.scm.names)))
        noises = np.zeros_like(rows)
        rows[:, self.parents] = parents
        noises[:, self.node] = noise
        return rows, noises
