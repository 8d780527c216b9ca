"""SCMs that are evaluated node by node, causes first, and their equivalence with fixed-point SCMs.

Shapes: N rows, D variables, E noises.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from fipscm.arrays import Adjacency, Array, Mask, Order
from fipscm.errors import GraphError, InterventionError
from fipscm.graph import is_order_of
from fipscm.scm.base import SCM
from fipscm.scm.fixed_point import FixedPointSCM
from fipscm.scm.intervention import Do, Intervention


@dataclass(frozen=True)
class NodewiseSCM(SCM):
    """An SCM that computes one node after the other and holds the interventions on it."""

    interventions: tuple[Intervention, ...] = field(default=(), kw_only=True)

    @abstractmethod
    def node_value(self, node: int, rows: Array, noise: Array) -> Array:
        """(N,) the natural value of one node, given its noise (N,) and rows (N, D) that hold its causes."""

    @abstractmethod
    def node_noise(self, node: int, rows: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """(N,) the noise with which one node takes these values (N,), given rows (N, D) that hold its causes.

        Where there are several such noises, one is drawn, or without a generator their median taken.
        """

    def noise_place(self, node: int) -> int | slice:
        """Where the noise of one node stands among all noises: one column for each, unless a node has several."""
        return node

    def noises(self, rows: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """(N, E) noises with which all nodes take these values (N, D), given rows (N, D) that hold their causes."""
        nodes = range(len(self.names))
        return np.column_stack([self.node_noise(node, rows, values[:, node], rng) for node in nodes])

    def noise_to_sample(self, noise: Array) -> Array:
        """Compute every node once, causes first: the fixed point in a single pass."""
        checked = self.checked_noise(noise)
        return self.recomputed(np.zeros((len(checked), len(self.names))), checked, self.order)

    def recomputed(self, rows: Array, noise: Array, nodes: Order) -> Array:
        """The rows (N, D), with some nodes, causes first, computed anew from their noises (N, E) and from the others.

        What a change reaches is often a small part of a wide model.
        """
        rows = rows.copy()
        for node in nodes:
            value = self.node_value(node, rows, noise[:, self.noise_place(node)])
            for intervention in self.interventions:
                value = intervention.at(node, value, rows, self.order)
            rows[:, node] = value
        return rows

    def on_the_way(self, sources: Sequence[int], targets: Sequence[int] | None = None) -> Order:
        """Sources and all that a change of them reaches, causes first; only what lies on a way to targets, if given."""
        reached = _reached(sources, self.order, self.adjacency)
        if targets is not None:
            reached &= _reached(targets, self.order[::-1], self.adjacency.T)
        return self.order[reached[self.order]]

    def sample_to_noise(self, rows: Array, rng: np.random.Generator | None = None) -> Array:
        """Invert every node at its observed causes."""
        values = np.asarray(rows, dtype=np.float64)
        natural = values
        for intervention in reversed(self.interventions):
            natural = intervention.naturalized(natural)
        return self.noises(values, natural, rng)

    def do(self, intervention: Do | Intervention) -> Self:
        """Return the model under one more intervention."""
        return replace(self, interventions=(*self.interventions, Intervention.parse(intervention, self.names)))

    def to_fixed_point(self, order: Order | None = None) -> FixedPointSCM:
        """Return the unique fixed-point SCM with the same equations on a given (or this) order."""
        if self.interventions:
            raise InterventionError("Convert the SCM before intervening: call to_fixed_point() first, then do(...).")
        order = self.order if order is None else order
        if not is_order_of(order, self.adjacency):
            raise GraphError("The order puts an effect before its cause: pass a topological order of the graph.")
        position = np.argsort(order)
        columns = np.arange(self.noise_width)
        placed = [np.atleast_1d(columns[self.noise_place(node)]) for node in order]
        ends = np.cumsum([len(each) for each in placed]).tolist()
        slots = [
            end - 1 if len(each) == 1 else slice(end - len(each), end) for end, each in zip(ends, placed, strict=True)
        ]

        def mechanism(x: Array, n: Array) -> Array:
            rows, values = x[:, position], np.empty_like(x)
            for node, slot in zip(order, slots, strict=True):
                values[:, node] = self.node_value(node, rows, n[:, slot])
            return values[:, order]

        def inverse(x: Array, target: Array) -> Array:
            return self.noises(x[:, position], target[:, position])[:, np.concatenate(placed)]

        return FixedPointSCM(self.names, order, self.noise, mechanism, inverse, np.concatenate(placed))


def _reached(sources: Sequence[int], order: Order, adjacency: Adjacency) -> Mask:
    """(D,), some nodes and all that edges (D, D), row = cause, lead to from them; the order (D,) has causes first."""
    reached = np.zeros(len(order), dtype=np.bool_)
    reached[list(sources)] = True
    for node in order:
        reached[node] |= bool(adjacency[reached, node].any())
    return reached
