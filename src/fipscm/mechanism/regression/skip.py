"""What is solved before the network is trained: a line, a parabola or a smooth curve per node, strictly causal.

Shapes: B rows, D variables, M waves, Q products of all nodes, P causes of one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Array, Mask, Order
from fipscm.mechanism.progress import OnStep, uncounted
from fipscm.mechanism.regression.axes import along_axes
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.regression.cosine import cosines, sines
from fipscm.mechanism.regression.linear import least_squares
from fipscm.mechanism.regression.products import pairs_of, products
from fipscm.mechanism.regression.usable import uncentred_rows
from fipscm.threads import on_one_thread

if TYPE_CHECKING:  # needed for a fit only, and slow to import
    import torch

    from fipscm.mechanism.regression.parabola import Parabola, ParabolaFit
    from fipscm.mechanism.regression.process import Process
    from fipscm.mechanism.regression.smooth import Fit, Waves

WAVES = 1_024  # with half as many, counterfactual errors grew; four times as many gain nothing, also with 400 rows
WAVES_PER_CAUSE = 256  # a line needs fewer to be filled evenly than a space
MOST_ROWS = 100_000  # that parabolas are fitted to
CHUNK = 4_096  # rows at a time: the waves of a million rows do not fit into memory


@dataclass(frozen=True)
class Skip:
    """x_i = intercept_i + <weights_i, x> + <bends_i, products(x)> + <amplitudes_i, cosines(x * relevance_i)>.

    The waves are those of `smooth.py`, the products those of `parabola.py`; a node has one or the other, or none. The
    waves of a sum are functions of one cause each.

    Attributes:
        weights: (D, D), row = effect, zero outside the causes.
        relevance: (D, D) inverse length scales, zero outside the causes.
        amplitudes: (D, M) of the cosines, zero for linear nodes.
        intercept: (D,).
        frequencies: (D, M).
        phases: (M,).
        products: (Q, 3), an effect and the two causes that are multiplied.
        bends: (Q,) the coefficients of these products.
        sums: (S,) the nodes that are sums of curves.
    """

    weights: Array
    relevance: Array
    amplitudes: Array
    intercept: Array
    frequencies: Array
    phases: Array
    products: NDArray[np.intp] = field(default_factory=lambda: np.zeros((0, 3), dtype=np.intp))
    bends: Array = field(default_factory=lambda: np.zeros(0))
    sums: Order = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    @classmethod
    def none(cls, variables: int) -> "Skip":
        """No skip at all: the paper's exact model."""
        square, empty = np.zeros((variables, variables)), np.zeros((variables, 0))
        return cls(square, square, empty, np.zeros(variables), empty, np.zeros(0))

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]]) -> "Skip":
        """From its arrays by name, others among them; an early file has neither products nor sums."""
        return cls(**{field.name: arrays[field.name] for field in fields(cls) if field.name in arrays})

    @classmethod
    def unsolved(cls, variables: int, generator: "torch.Generator") -> "Skip":
        """Waves without amplitudes, to be `solved`."""
        from fipscm.mechanism.regression.smooth import Waves

        waves, square = Waves.draw(variables, WAVES, generator), np.zeros((variables, variables))
        amplitudes, intercept = np.zeros((variables, WAVES)), np.zeros(variables)
        return cls(square, square, amplitudes, intercept, waves.frequencies.numpy(), waves.phases.numpy())

    @on_one_thread()
    def solved(
        self,
        z: Array,
        allowed: Mask,
        fitted: int,
        smoothness: "Mapping[int, Process]",
        on_step: OnStep = uncounted,
        unusable: Mask | None = None,
        parabolas: "Mapping[int, Parabola]" = MappingProxyType({}),
        nodes: Mask | None = None,
    ) -> "Skip":
        """Solve nodes on standardized rows (N, D): by least squares, and if curved, with waves on the first rows.

        The later rows are held out from curved nodes, to measure whether the network improves on them. `smoothness` has
        that of every curved node; `parabolas` are not among these. No node is fitted on the rows that are `unusable`
        (N, D) for it. Of `nodes` (D,), all unless given, the others stay as they are.
        """
        import torch

        from fipscm.mechanism.regression.parabola import fit_parabola
        from fipscm.mechanism.regression.smooth import Waves, fit_waves

        anew = np.ones(len(allowed), dtype=bool) if nodes is None else nodes
        straight = least_squares(z, allowed & anew[:, None], unusable)
        weights = np.where(anew[:, None], straight, self.weights)
        intercept = np.where(anew, _intercepts(z, straight, unusable), self.intercept)
        relevance, amplitudes = (np.where(anew[:, None], 0.0, each) for each in (self.relevance, self.amplitudes))
        waves = Waves(torch.from_numpy(self.frequencies), torch.from_numpy(self.phases))
        curved = [node for node in smoothness if anew[node]]
        for step, node in enumerate(curved, start=1):
            causes, process = np.flatnonzero(allowed[node]), smoothness[node]
            rows = uncentred_rows(z[:fitted], node, unusable)
            count = min(len(self.phases), WAVES_PER_CAUSE * len(causes))
            own = waves.of(causes.tolist(), count)
            solution = fit_waves(rows[:, causes], rows[:, node], own.suited_to(process), process)
            weights[node, causes], relevance[node, causes] = solution.weights, process.relevance
            amplitudes[node, :count], intercept[node] = solution.amplitudes, solution.intercept
            on_step(step, len(curved))
        sums = np.array([node for node, process in smoothness.items() if process.additive], dtype=np.intp)
        skip = replace(
            self, weights=weights, relevance=relevance, amplitudes=amplitudes, intercept=intercept, sums=sums
        )
        for node in (node for node in parabolas if anew[node]):
            causes, rows = np.flatnonzero(allowed[node]), uncentred_rows(z[:MOST_ROWS], node, unusable)
            skip = skip.with_parabola(node, causes, fit_parabola(rows[:, causes], rows[:, node], parabolas[node]))
        return skip

    def with_node(self, node: int, intercept: float, causes: Order, weights: Array, amplitudes: Array) -> "Skip":
        """The same skip, where one node has other weights (P,) of its causes (P,) and amplitudes (M,)."""
        changed = replace(
            self, weights=self.weights.copy(), amplitudes=self.amplitudes.copy(), intercept=self.intercept.copy()
        )
        changed.weights[node, causes] = weights
        changed.amplitudes[node], changed.intercept[node] = amplitudes, intercept
        return changed

    def with_parabola(self, node: int, causes: Order, fit: "ParabolaFit") -> "Skip":
        """The same skip, where one node is a parabola of its causes (P,)."""
        straight = self.without_form(node)
        straight = straight.with_node(node, fit.intercept, causes, fit.weights, np.zeros(self.amplitudes.shape[1]))
        products = np.column_stack([np.full(len(fit.bends), node), causes[pairs_of(len(causes))]])
        return replace(
            straight,
            products=np.vstack([straight.products, products]),
            bends=np.concatenate([straight.bends, fit.bends]),
        )

    def with_curve(self, node: int, causes: Order, process: "Process", fit: "Fit") -> "Skip":
        """The same skip, where one node is a curve of its causes (P,), of as many of the waves as were fitted."""
        amplitudes = np.zeros(self.amplitudes.shape[1])
        amplitudes[: len(fit.amplitudes)] = fit.amplitudes
        changed = self.without_form(node).with_node(node, fit.intercept, causes, fit.weights, amplitudes)
        relevance = self.relevance.copy()
        relevance[node] = 0
        if len(fit.amplitudes):
            relevance[node, causes] = process.relevance
        sums = np.append(changed.sums, node) if process.additive else changed.sums
        return replace(changed, relevance=relevance, sums=sums)

    def without_form(self, node: int) -> "Skip":
        """The same skip, where one node is neither a parabola nor a sum."""
        others = self.products[:, 0] != node
        return replace(
            self, products=self.products[others], bends=self.bends[others], sums=self.sums[self.sums != node]
        )

    @property
    def is_parabola(self) -> Mask:
        """(D,), which nodes are."""
        return np.isin(np.arange(len(self.weights)), self.products[:, 0])

    def is_curved(self, node: int) -> bool:
        """Whether a node is more than a line."""
        return bool(self.amplitudes[node].any() or self.is_parabola[node])

    def node(self, z: Array, node: int) -> Array:
        """(B, D) -> (B,), the skip part of one node."""
        straight = z @ self.weights[node] + self.intercept[node]
        own = self.products[:, 0] == node
        if own.any():
            straight = straight + products(z, self.products[own, 1:]) @ self.bends[own]
        if not self.amplitudes[node].any():
            return np.asarray(straight)
        causes, amplitudes, stretched, phases = self._waves(node)
        inputs = z[:, causes]
        pieces = [
            cosines(inputs[start : start + CHUNK] @ stretched + phases) @ amplitudes
            for start in range(0, len(z), CHUNK)
        ]
        return np.asarray(straight + np.concatenate([np.zeros(0), *pieces]))

    def slopes(self, z: Array, node: int) -> Array:
        """(B, D) -> (B, D) derivatives of one node."""
        slopes = np.broadcast_to(self.weights[node], z.shape).copy()
        own = self.products[:, 0] == node
        for (_, one, other), bend in zip(self.products[own], self.bends[own], strict=True):
            slopes[:, one] += bend * z[:, other]
            slopes[:, other] += bend * z[:, one]
        if self.amplitudes[node].any():
            causes, amplitudes, stretched, phases = self._waves(node)
            slopes[:, causes] -= (sines(z[:, causes] @ stretched + phases) * amplitudes) @ stretched.T
        return slopes

    @on_one_thread()
    def __call__(self, z: Array, box: Box) -> Array:
        """(B, D) -> (B, D), the skip part of all nodes, beyond the box along their tangents."""
        nodes = range(z.shape[1])
        tangents = (box.tangent(z, partial(self.node, node=node), partial(self.slopes, node=node)) for node in nodes)
        return np.column_stack([nearest + rise for nearest, rise in tangents])

    def _waves(self, node: int) -> tuple[Mask, Array, Array, Array]:
        """A node's causes (D,), and the amplitudes (M,), stretched frequencies (P, M) and phases (M,) of its waves.

        A cosine and a sine of the same frequency, which stand side by side, are one cosine, and take half of the time.
        """
        causes, running, frequencies = self._running(node)
        amplitudes, phases = self.amplitudes[node, running], self.phases[running]
        if np.array_equal(frequencies[:, ::2], frequencies[:, 1::2]):
            both = (amplitudes * np.exp(1j * phases)).reshape(-1, 2).sum(axis=1)
            amplitudes, phases, frequencies = np.abs(both), np.angle(both), frequencies[:, ::2]
        return causes, amplitudes, self.relevance[node, causes, None] * frequencies, phases

    def waves_of(self, node: int) -> "Waves":
        """The waves that a node has, of its causes alone, before they are suited to its process."""
        import torch

        from fipscm.mechanism.regression.smooth import Waves

        causes, running = self.relevance[node] > 0, self.amplitudes[node] != 0
        frequencies = self.frequencies[np.ix_(causes, running)]
        return Waves(torch.from_numpy(frequencies), torch.from_numpy(self.phases[running]))

    def _running(self, node: int) -> tuple[Mask, Mask, Array]:
        """A node's causes (D,), which waves (M,) it has, and their frequencies in these causes."""
        causes, running = self.relevance[node] > 0, self.amplitudes[node] != 0
        frequencies = self.frequencies[np.ix_(causes, running)]
        return causes, running, along_axes(frequencies) if node in self.sums else frequencies


@on_one_thread()
def learn_smoothness(
    z: Array, allowed: Mask, curved: Mask, known: "Mapping[int, Process] | None" = None, unusable: Mask | None = None
) -> "dict[int, Process]":
    """The smoothness of every curved node in its causes, on standardized rows (N, D).

    What is `known` of a node with the same causes is kept.
    """
    from fipscm.mechanism.regression.process import learn_process

    smoothness = {}
    for node in np.flatnonzero(curved & allowed.any(axis=1)).tolist():
        causes, process = allowed[node], (known or {}).get(node)
        if process is None or len(process.relevance) != causes.sum():
            rows = uncentred_rows(z, node, unusable)
            process = learn_process(rows[:, causes], rows[:, node])
        smoothness[node] = process
    return smoothness


def _intercepts(z: Array, weights: Array, unusable: Mask | None) -> Array:
    """(D,), zero for centred columns; a node that some rows say nothing about need not be centred in the others."""
    intercept = np.zeros(len(weights))
    if unusable is None:
        return intercept
    for node in np.flatnonzero(unusable.any(axis=0)):
        rows = uncentred_rows(z, node, unusable)
        intercept[node] = (rows[:, node] - rows @ weights[node]).mean()
    return intercept
