"""How far the noise of one node spreads, given its causes: a positive, smooth function. Shapes: N rows, P inputs.

The logarithm of the spread has the same parts as a mean: a level, a line and waves. It is fitted by the likelihood of
normal noise, one regression per step of Fisher scoring: the information about the logarithm of a spread is the same
in every row, so that all steps share one factorisation. A row counts as three standard deviations at most: neither
heavy tails nor a few wild rows decide, and with noise of any law the shape found is the true one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fipscm.arrays import Array, Order
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.regression.skip import Skip

if TYPE_CHECKING:  # needed for a fit only, and slow to import
    from fipscm.mechanism.regression.process import Process
    from fipscm.mechanism.regression.smooth import Fit, Waves

WAVES, WAVES_PER_INPUT = 512, 128  # half of those of a mean: squares of noises tell less than their sum
SMALLEST_SHARE = 0.05  # of the residuals: the logarithms of those nearest to zero say nothing but that they are small
FARTHEST = 3.0  # standard deviations that a row counts at most
STEPS, SETTLED = 12, 2e-2  # of Fisher scoring; the last one changes no logarithm by more
INFORMATION = 2.0  # of one row about the logarithm of its spread
NARROWEST = 1e-3  # of the average spread
SIZE_OF_NORMAL = 0.635  # minus the mean logarithm of the size of standard normal noise


@dataclass(frozen=True)
class Spread:
    """The logarithm of a spread whose mean square is one over the training rows; constant beyond them.

    Attributes:
        log: a skip with one node.
        low: (P,) and
        high: (P,) the box of the training rows.
        least: the lowest logarithm, and
        most: the highest one.
    """

    log: Skip
    low: Array
    high: Array
    least: Array
    most: Array

    def __call__(self, inputs: Array) -> Array:
        """(N, P) -> (N,), positive."""
        return np.exp(np.clip(self._unbounded(inputs), self.least, self.most))

    def slopes(self, inputs: Array) -> Array:
        """(N, P), the derivatives of the spread; zero where it is constant."""
        nearest, beyond = self._box.split(inputs)
        log = self._unbounded(inputs)
        moves = (beyond == 0) & ((log > self.least) & (log < self.most))[:, None]
        return np.where(moves, self(inputs)[:, None] * self.log.slopes(nearest, 0), 0.0)

    def among(self, columns: Order, count: int) -> "Spread":
        """The same spread as a function of `count` columns, of which it reads these (P,)."""

        def wide(narrow: Array, axis: int) -> Array:
            shape = list(narrow.shape)
            shape[axis] = count
            array = np.zeros(shape)
            array[(slice(None),) * axis + (columns,)] = narrow
            return array

        log = replace(
            self.log,
            weights=wide(self.log.weights, 1),
            relevance=wide(self.log.relevance, 1),
            frequencies=wide(self.log.frequencies, 0),
        )
        return replace(self, log=log, low=wide(self.low, 0), high=wide(self.high, 0))

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Everything learned, as named arrays."""
        own = {name: np.asarray(getattr(self, name)) for name in _BOUNDS}
        return own | {field.name: getattr(self.log, field.name) for field in fields(Skip)}

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Self:
        """From `arrays()`."""
        return cls(Skip.restore(arrays), *(arrays[b] for b in _BOUNDS))

    def _unbounded(self, inputs: Array) -> Array:
        return self.log.node(self._box.split(inputs)[0], 0)

    @property
    def _box(self) -> Box:
        return Box(self.low, self.high)


_BOUNDS = ("low", "high", "least", "most")


@dataclass(frozen=True)
class SpreadSmoothness:
    """How smooth the logarithm of a spread is, and the waves that it is made of."""

    process: "Process"
    waves: "Waves"

    @classmethod
    def learn(cls, inputs: Array, residual: Array) -> "SpreadSmoothness":
        """From inputs (N, P) and residuals (N,) in random order; without waves where the logarithm is a line.

        The waves are always the same, so that no node depends on what was drawn for others.
        """
        import torch

        from fipscm.mechanism.regression.process import Process, is_curved, learn_process
        from fipscm.mechanism.regression.smooth import Waves

        log, unit = _standardized_logarithms(residual)
        count = min(WAVES, WAVES_PER_INPUT * inputs.shape[1])
        start = Process(np.full(inputs.shape[1], 0.4), 0.5, 0.5, -np.inf)  # one will do: most of it is noise
        waves = Waves.draw(inputs.shape[1], count, torch.Generator().manual_seed(0))
        process = learn_process(inputs, log, start)
        curved = is_curved(process, inputs, log)
        known = Process(process.relevance, process.signal * unit**2, 1 / INFORMATION, process.evidence)
        return cls(known, waves if curved else waves.of(list(range(inputs.shape[1])), 0))


def fit_spread(inputs: Array, residual: Array, smoothness: SpreadSmoothness, start: Spread | None = None) -> Spread:
    """The spread that makes residuals (N,) of mean zero most likely, given inputs (N, P); `start` is near to it."""
    from fipscm.mechanism.regression.smooth import WaveRegression

    regression = WaveRegression(inputs, smoothness.waves, smoothness.process)
    fit = regression.fit(_logarithms(residual) if start is None else _rescaled_logarithms(start(inputs), residual))
    log = regression.predict(fit)
    for _ in range(STEPS):
        squares = np.square(np.minimum(np.abs(residual) * np.exp(-log), FARTHEST))
        fit = regression.fit(log + (squares - 1) / INFORMATION)
        before, log = log, regression.predict(fit)
        if np.abs(log - before).max() < SETTLED:
            break
    level = np.log(np.square(np.exp(log - log.max())).mean()) / 2 + log.max()
    bounds = np.maximum(log.min() - level, np.log(NARROWEST)), log.max() - level
    skip = _one_node(fit, level, smoothness)
    return Spread(skip, inputs.min(axis=0), inputs.max(axis=0), *map(np.asarray, bounds))


def _one_node(fit: "Fit", level: float, smoothness: SpreadSmoothness) -> Skip:
    waves = smoothness.waves
    return Skip(
        weights=fit.weights[None],
        relevance=smoothness.process.relevance[None],
        amplitudes=fit.amplitudes[None],
        intercept=np.array([fit.intercept - level]),
        frequencies=waves.frequencies.numpy(),
        phases=waves.phases.numpy(),
    )


def _logarithms(residual: Array) -> Array:
    """(N,), of the absolute residuals: the logarithm of the spread, and noise."""
    size = np.abs(residual)
    small, large = np.quantile(size, [SMALLEST_SHARE, 1 - SMALLEST_SHARE])
    return np.asarray(np.log(np.maximum(size, max(small, NARROWEST * large, 1e-300))))


def _rescaled_logarithms(spread: Array, residual: Array) -> Array:
    """(N,), of a spread (N,), at the level of the residuals (N,): by logarithms, which wild rows hardly move."""
    return np.asarray(np.log(spread) + _logarithms(residual / spread).mean() + SIZE_OF_NORMAL)


def _standardized_logarithms(residual: Array) -> tuple[Array, float]:
    log = _logarithms(residual)
    unit = max(float(log.std()), 1e-12)
    return (log - log.mean()) / unit, unit
