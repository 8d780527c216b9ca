"""What is solved before the network is trained: a linear and a smooth part per node, both strictly causal.

Shapes: B rows, D variables, M waves.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from fipscm.arrays import Array, Mask
from fipscm.mechanism.progress import OnStep, uncounted
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.regression.linear import least_squares
from fipscm.mechanism.regression.smooth import (
    FINE,
    ROUGH,
    Relevance,
    Waves,
    fit_waves,
    learn_relevance,
    numpy_on_one_thread,
)

WAVES = 1_000  # with half as many, counterfactual errors grew


@dataclass(frozen=True)
class Skip:
    """x_i = intercept_i + <weights_i, x> + <amplitudes_i, cosines(x * relevance_i)>, the waves of `smooth.py`.

    Attributes:
        weights: (D, D), row = effect, zero outside the causes.
        relevance: (D, D) inverse length scales, zero outside the causes.
        amplitudes: (D, M) of the cosines, zero for linear nodes.
        intercept: (D,).
        frequencies: (D, M).
        phases: (M,).
    """

    weights: Array
    relevance: Array
    amplitudes: Array
    intercept: Array
    frequencies: Array
    phases: Array

    @classmethod
    def none(cls, variables: int) -> "Skip":
        """No skip at all: the paper's exact model."""
        square, empty = np.zeros((variables, variables)), np.zeros((variables, 0))
        return cls(square, square, empty, np.zeros(variables), empty, np.zeros(0))

    @classmethod
    @numpy_on_one_thread()
    def fit(
        cls,
        z: Array,
        allowed: Mask,
        curved: Mask,
        fitted: int,
        generator: torch.Generator,
        smoothness: Mapping[int, Relevance] | None = None,
        on_step: OnStep = uncounted,
        intervened: Mask | None = None,
    ) -> "Skip":
        """Solve each node on standardized rows (N, D): by least squares, and if curved, with waves on the first rows.

        The later rows are held out from curved nodes, to measure whether the network improves on them. `smoothness` has
        the length scales that the edge test found, from which those of the same causes start. No node is fitted on the
        rows in which it was `intervened` (N, D) on.
        """
        variables = len(allowed)
        weights, relevance = least_squares(z, allowed, intervened), np.zeros((variables, variables))
        intercept, amplitudes = _intercepts(z, weights, intervened), np.zeros((variables, WAVES))
        waves = Waves.draw(variables, WAVES, generator)
        first = torch.as_tensor(z[:fitted], dtype=torch.float32)
        nodes = np.flatnonzero(curved & allowed.any(axis=1))
        for step, node in enumerate(nodes, start=1):
            causes = np.flatnonzero(allowed[node])
            own = waves.of(torch.as_tensor(causes))
            rows = first if intervened is None else first[torch.from_numpy(~intervened[:fitted, node])]
            inputs, output = rows[:, causes], rows[:, node]
            start = (smoothness or {}).get(int(node))
            if start is None or len(start.inverse_lengths) != len(causes):
                start = learn_relevance(inputs, output, own, ROUGH, generator)
            learned = learn_relevance(inputs, output, own, FINE, generator, start)
            solution = fit_waves(inputs, output, own, learned)
            weights[node, causes] = solution.weights.numpy()
            relevance[node, causes] = learned.inverse_lengths.numpy()
            amplitudes[node], intercept[node] = solution.amplitudes.numpy() * 2**0.5, float(solution.intercept)
            on_step(step, len(nodes))
        frequencies, phases = waves.frequencies.double().numpy(), waves.phases.double().numpy()
        return cls(weights, relevance, amplitudes, intercept, frequencies, phases)

    def node(self, z: Array, node: int, box: Box) -> Array:
        """(B, D) -> (B,), the skip part of one node; beyond the box its waves go on along their tangent."""
        straight = z @ self.weights[node] + self.intercept[node]
        if not self.amplitudes[node].any():
            return np.asarray(straight)
        nearest, beyond = box.split(z)
        waves, inputs, relevance = self._smooth_part(nearest, node)
        smooth = waves.cosines(inputs, relevance).numpy() @ self.amplitudes[node]
        beyond = beyond[:, self.relevance[node] > 0]
        outside = np.flatnonzero(beyond.any(axis=1))
        slopes = waves.slopes(inputs[outside], relevance, torch.from_numpy(self.amplitudes[node])).numpy()
        smooth[outside] += (slopes * beyond[outside]).sum(axis=1)
        return np.asarray(straight + smooth)

    def __call__(self, z: Array, box: Box) -> Array:
        """(B, D) -> (B, D), the skip part of all nodes."""
        return np.column_stack([self.node(z, node, box) for node in range(z.shape[1])])

    def jacobian(self, z: Array, box: Box) -> Array:
        """(B, D) -> (B, D, D) derivatives, row = effect, column = cause."""
        derivative = np.broadcast_to(self.weights, (len(z), *self.weights.shape)).copy()
        nearest, beyond = box.split(z)
        outside = np.flatnonzero(beyond.any(axis=1))
        for node in np.flatnonzero(self.amplitudes.any(axis=1)):
            waves, inputs, relevance = self._smooth_part(nearest, node)
            amplitudes, causes = torch.from_numpy(self.amplitudes[node]), self.relevance[node] > 0
            slopes = waves.slopes(inputs, relevance, amplitudes).numpy()
            along = beyond[outside][:, causes]
            bends = waves.bends(inputs[outside], relevance, amplitudes, torch.from_numpy(along)).numpy()
            slopes[outside] += np.where(along == 0, bends, 0)
            derivative[:, node, causes] += slopes
        return derivative

    def _smooth_part(self, z: Array, node: int) -> tuple[Waves, torch.Tensor, torch.Tensor]:
        """The waves of a node's causes, the causes (B, P) and their relevance (P,).

        As tensors, because their sine and cosine are several times faster than NumPy's.
        """
        causes = self.relevance[node] > 0
        waves = Waves(torch.from_numpy(self.frequencies[causes]), torch.from_numpy(self.phases))
        return waves, torch.from_numpy(z[:, causes]), torch.from_numpy(self.relevance[node, causes])


def _intercepts(z: Array, weights: Array, intervened: Mask | None) -> Array:
    """(D,), zero for centred columns; a node that was set in some rows need not be centred in the others."""
    intercept = np.zeros(len(weights))
    if intervened is None:
        return intercept
    for node in np.flatnonzero(intervened.any(axis=0)):
        usable = z[~intervened[:, node]]
        intercept[node] = (usable[:, node] - usable @ weights[node]).mean()
    return intercept
