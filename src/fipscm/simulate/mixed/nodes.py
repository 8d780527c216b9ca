"""Nodes of every kind: values as codes, and the noises that could be behind a value.

Shapes: N rows, P parents, L levels, W noises of one node.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import expit, logit, logsumexp
from scipy.stats import poisson

from fipscm.arrays import Array
from fipscm.simulate.mechanisms import Location
from fipscm.simulate.noises import NOISES


class MixedNode(Protocol):
    """One structural equation. A discrete value leaves open which of many noises is behind it."""

    @property
    def kind(self) -> str:
        """One of continuous, count, ordinal, binary and categorical."""
        ...

    @property
    def levels(self) -> tuple[str, ...]:
        """The names that codes 0, 1, 2, ... stand for; none where values are numbers."""
        ...

    def noise(self, rows: int, rng: np.random.Generator) -> Array:
        """Draw (N, W) noises."""
        ...

    def value(self, parents: Array, noise: Array) -> Array:
        """(N, P), (N, W) -> (N,)."""
        ...

    def abduct(self, parents: Array, values: Array, rng: np.random.Generator) -> Array:
        """Draw (N, W) noises as probable as they are given that they led to these values (N,)."""
        ...


@dataclass(frozen=True)
class Continuous:
    """Additive noise of a named law, in units of `std`."""

    location: Location
    law: str
    loudness: float
    std: float = 1.0
    kind: str = "continuous"
    levels: tuple[str, ...] = ()

    def noise(self, rows: int, rng: np.random.Generator) -> Array:
        """(N, 1)."""
        return self.loudness * NOISES[self.law](rng, (rows, 1))

    def value(self, parents: Array, noise: Array) -> Array:
        """(N, P), (N, 1) -> (N,)."""
        return np.asarray((self.location(parents) + noise[:, 0]) / self.std)

    def abduct(self, parents: Array, values: Array, rng: np.random.Generator) -> Array:
        """Nothing is left open."""
        return np.asarray(values * self.std - self.location(parents))[:, None]


@dataclass(frozen=True)
class ThresholdNode:
    """The step that a latent value with logistic noise reaches: ordinal, or binary with one threshold."""

    location: Location
    cuts: Array
    kind: str
    levels: tuple[str, ...]

    def noise(self, rows: int, rng: np.random.Generator) -> Array:
        """(N, 1)."""
        return rng.logistic(size=(rows, 1))

    def value(self, parents: Array, noise: Array) -> Array:
        """(N, P), (N, 1) -> (N,)."""
        return np.searchsorted(self.cuts, self.location(parents) + noise[:, 0]).astype(np.float64)

    def abduct(self, parents: Array, values: Array, rng: np.random.Generator) -> Array:
        """Between the two thresholds around the value."""
        ends = np.concatenate([[-np.inf], self.cuts, [np.inf]])
        step, location = values.astype(int), self.location(parents)
        low, high = expit(ends[step] - location), expit(ends[step + 1] - location)
        return np.asarray(logit(_between(low, high, rng)))[:, None]


@dataclass(frozen=True)
class CountNode:
    """A Poisson count: the quantile at a uniform noise."""

    log_rate: Location
    kind: str = "count"
    levels: tuple[str, ...] = ()

    def noise(self, rows: int, rng: np.random.Generator) -> Array:
        """(N, 1)."""
        return rng.random((rows, 1))

    def value(self, parents: Array, noise: Array) -> Array:
        """(N, P), (N, 1) -> (N,)."""
        return np.asarray(poisson.ppf(noise[:, 0], np.exp(self.log_rate(parents))), dtype=np.float64)

    def abduct(self, parents: Array, values: Array, rng: np.random.Generator) -> Array:
        """Between the probabilities of fewer, and of at most as many."""
        rate = np.exp(self.log_rate(parents))
        return _between(poisson.cdf(values - 1, rate), poisson.cdf(values, rate), rng)[:, None]


@dataclass(frozen=True)
class Named:
    """The level with the largest sum of a utility, which the causes make, and a Gumbel noise of its own."""

    utilities: tuple[Location, ...]
    levels: tuple[str, ...]
    kind: str = "categorical"

    def noise(self, rows: int, rng: np.random.Generator) -> Array:
        """(N, L)."""
        return rng.gumbel(size=(rows, len(self.levels)))

    def value(self, parents: Array, noise: Array) -> Array:
        """(N, P), (N, L) -> (N,)."""
        return np.asarray((self._utilities(parents) + noise).argmax(axis=1), dtype=np.float64)

    def abduct(self, parents: Array, values: Array, rng: np.random.Generator) -> Array:
        """The largest sum first, whichever level it belongs to; the sums of all others lie below it."""
        utilities = self._utilities(parents)
        largest = (logsumexp(utilities, axis=1) + rng.gumbel(size=len(values)))[:, None]
        below = -np.logaddexp(-largest, -(utilities + rng.gumbel(size=utilities.shape)))
        chosen = values.astype(int)[:, None] == np.arange(len(self.levels))
        return np.asarray(np.where(chosen, largest, below) - utilities)

    def _utilities(self, parents: Array) -> Array:
        return np.column_stack([utility(parents) for utility in self.utilities])


def _between(low: Array, high: Array, rng: np.random.Generator) -> Array:
    """Uniform, and never at the very ends: rounding must not lead to a neighbouring value."""
    return np.asarray(low + (high - low) * rng.uniform(1e-6, 1 - 1e-6, low.shape))
