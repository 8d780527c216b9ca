"""What levels and counts say about their locations. Shapes: N rows, L levels."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, gammaln, xlogy

from fipscm.arrays import Array
from fipscm.mechanism.responses.logistic import log_probability_between


@dataclass(frozen=True)
class OrderedLikelihood:
    """Of levels between thresholds: (N,) places of the levels, (K - 1,) thresholds, and (N,) what is added."""

    places: Array
    thresholds: Array
    offset: Array | float = 0.0

    def log(self, location: Array) -> Array:
        """The probability between the thresholds on both sides."""
        return log_probability_between(*self._ends(location))

    def slope_and_weight(self, location: Array) -> tuple[Array, Array]:
        """Both follow from the shares below the two thresholds."""
        low, high = (expit(end) for end in self._ends(location))
        return low + high - 1, low * (1 - low) + high * (1 - high)

    def _ends(self, location: Array) -> tuple[Array, Array]:
        ends, place = np.concatenate([[-np.inf], self.thresholds, [np.inf]]), self.places.astype(np.intp)
        return ends[place] - location - self.offset, ends[place + 1] - location - self.offset


@dataclass(frozen=True)
class CountLikelihood:
    """Of counts (N,), Poisson or with a dispersion."""

    counts: Array
    dispersion: float = 0.0

    def log(self, location: Array) -> Array:
        """The probability of the counts."""
        return log_probability(self.counts, np.exp(location), self.dispersion)

    def slope_and_weight(self, location: Array) -> tuple[Array, Array]:
        """The weight is the expected one."""
        mean = np.exp(location)
        return (self.counts - mean) / (1 + self.dispersion * mean), mean / (1 + self.dispersion * mean)


def log_probability(counts: Array, mean: Array, dispersion: float) -> Array:
    """(N,) logarithms of the probabilities of counts (N,) with means (N,): Poisson, or negative binomial."""
    if dispersion == 0:
        return np.asarray(xlogy(counts, mean) - mean - gammaln(counts + 1))
    size = 1 / dispersion
    ways = gammaln(counts + size) - gammaln(size) - gammaln(counts + 1)
    return np.asarray(ways - size * np.log1p(dispersion * mean) - xlogy(counts, 1 + size / mean))
