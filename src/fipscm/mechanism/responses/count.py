"""Counts: Poisson or negative binomial, increasing in a logistic noise. Shapes: N rows.

The mean is exp(location), the variance mean + dispersion * mean^2; without dispersion that is Poisson's.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, expit, gammainc, gammaincc

from fipscm.arrays import Array
from fipscm.mechanism.responses.exponential import raised, steepness
from fipscm.mechanism.responses.likelihoods import CountLikelihood, log_probability
from fipscm.mechanism.responses.logistic import noise_between
from fipscm.mechanism.responses.response import LogDensity, Response
from fipscm.mechanism.responses.working import Working, working_values

_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class Count(Response):
    """x = the quantile of the counts with mean exp(location), at the level of the noise.

    Attributes:
        dispersion: zero for Poisson.
        lowest: no location is lower, so that no count is impossible.
        highest: the largest location of the rows.
        most: the largest count that is told.
        per_deviation: how far the location moves for one standard deviation of the column, on average over the rows.
    """

    dispersion: float
    lowest: float
    highest: float
    most: float
    per_deviation: float
    kind = "count"
    discrete = True

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """The smallest count that so large a share of all counts does not exceed: found by bisection."""
        mean, wanted = self.mean(location, z), expit(-np.abs(noise))
        low, high, upper = np.zeros_like(mean), np.full_like(mean, self.most), noise > 0
        enough = np.empty(upper.shape, dtype=bool)
        for _ in range(int(np.ceil(np.log2(self.most + 1)))):
            middle = np.floor((low + high) / 2)
            enough[upper] = self._share_above(middle[upper], mean[upper]) <= wanted[upper]
            enough[~upper] = self._share_below(middle[~upper], mean[~upper]) >= wanted[~upper]
            low, high = np.where(enough, low, np.minimum(middle + 1, high)), np.where(enough, middle, high)
        return np.asarray(high)

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """Between the levels of this count and of the one before."""
        mean = self.mean(location, z)
        below, above = self._shares(values, mean)
        below_less, above_less = self._shares(values - 1, mean)
        low = np.where(values > 0, _log_odds(below_less, above_less), -np.inf)
        return noise_between(low, _log_odds(below, above), rng)

    def mean(self, location: Array, z: Array) -> Array:
        """The exponential of the location."""
        return np.asarray(np.exp(np.maximum(location[:, 0], self.lowest)))

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """The logarithm of the probability of the count."""
        return log_probability(np.maximum(np.round(values), 0), self.mean(location, z), self.dispersion)

    def steepness(self, location: Array) -> Array:
        """The mean."""
        return steepness(location, self.highest)

    def continued(self, location: Array, rise: Array) -> Array:
        """The exponential goes on along its tangent."""
        return raised(location, rise, self.highest)

    @property
    def stretch(self) -> Array:
        """(1,)."""
        return np.array([self.per_deviation])

    @property
    def span(self) -> tuple[float, float]:
        """No count is negative."""
        return 0.0, np.inf

    def working(self, location: Array, z: Array, values: Array) -> list[Working]:
        """That of counts."""
        likelihood = CountLikelihood(values, self.dispersion)
        return [working_values(likelihood, np.maximum(location[:, 0], self.lowest), self.per_deviation)]

    def _shares(self, counts: Array, mean: Array) -> tuple[Array, Array]:
        """(N,), (N,), the probabilities of at most so many, and of more."""
        return self._share_below(counts, mean), self._share_above(counts, mean)

    def _share_below(self, counts: Array, mean: Array) -> Array:
        """(N,), the probability of at most so many."""
        at_least = np.maximum(counts, 0)
        if self.dispersion == 0:
            return np.asarray(gammaincc(at_least + 1, mean))
        size = 1 / self.dispersion
        return np.asarray(betainc(size, at_least + 1, size / (size + mean)))

    def _share_above(self, counts: Array, mean: Array) -> Array:
        """(N,), the probability of more."""
        at_least = np.maximum(counts, 0)
        if self.dispersion == 0:
            return np.asarray(gammainc(at_least + 1, mean))
        size = 1 / self.dispersion
        return np.asarray(betainc(at_least + 1, size, 1 - size / (size + mean)))


def _log_odds(below: Array, above: Array) -> Array:
    """(N,) logarithms of one share over the other, each of which may be nearly zero."""
    return np.asarray(np.log(np.maximum(below, _TINY)) - np.log(np.maximum(above, _TINY)))
