"""Binary and ordinal columns: a hidden quantity with logistic noise that passes thresholds. Shapes: N rows, L levels.

With two levels this is logistic regression, with more the proportional odds model.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from fipscm.arrays import Array
from fipscm.mechanism.responses.likelihoods import OrderedLikelihood
from fipscm.mechanism.responses.logistic import log_probability_between, noise_between
from fipscm.mechanism.responses.response import LogDensity, Response
from fipscm.mechanism.responses.working import Working, working_values


@dataclass(frozen=True)
class Cumulative(Response):
    """x = the level that is reached by location + noise: values[number of thresholds below it].

    Attributes:
        values: (L,) of the column, increasing.
        thresholds: (L - 1,) not decreasing.
        per_deviation: how far the location moves for one standard deviation of the column, on average over the rows.
    """

    values: Array
    thresholds: Array
    per_deviation: float
    kind = "cumulative"
    discrete = True

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """The level that location and noise reach together."""
        return np.asarray(self.values[np.searchsorted(self.thresholds, location[:, 0] + noise)])

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """Between what just reaches the level and what would reach the next one."""
        return noise_between(*self._ends(location, values), rng)

    def mean(self, location: Array, z: Array) -> Array:
        """The levels, by their probabilities."""
        steps = expit(location - self.thresholds) * np.diff(self.values)
        return np.asarray(self.values[0] + steps.sum(axis=1))

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """The logarithm of the probability of the level; that of a value between levels is the nearest one's."""
        return log_probability_between(*self._ends(location, values))

    @property
    def stretch(self) -> Array:
        """(1,)."""
        return np.array([self.per_deviation])

    @property
    def levels(self) -> Array:
        """(L,)."""
        return self.values

    @property
    def span(self) -> tuple[float, float]:
        """From the lowest level to the highest."""
        return float(self.values[0]), float(self.values[-1])

    def working(self, location: Array, z: Array, values: Array) -> list[Working]:
        """That of levels between thresholds."""
        likelihood = OrderedLikelihood(self._places(values), self.thresholds)
        return [working_values(likelihood, location[:, 0], self.per_deviation)]

    def _places(self, values: Array) -> Array:
        """(N,) -> (N,), which level each value is nearest to."""
        between = (self.values[1:] + self.values[:-1]) / 2
        return np.asarray(np.searchsorted(between, values))

    def _ends(self, location: Array, values: Array) -> tuple[Array, Array]:
        """(N,), (N,), the noises between which a row takes its value."""
        ends, place = np.concatenate([[-np.inf], self.thresholds, [np.inf]]), self._places(values)
        return ends[place] - location[:, 0], ends[place + 1] - location[:, 0]
