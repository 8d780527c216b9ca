"""Binary and ordinal columns: a hidden quantity with logistic noise that passes thresholds. Shapes: N rows, K levels.

With two levels this is logistic regression, with more the proportional odds model.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from fipscm.arrays import Array
from fipscm.mechanism.response.base import LogDensity, Response
from fipscm.mechanism.response.logistic import log_probability_between, noise_between


@dataclass(frozen=True)
class Thresholds(Response):
    """x = the level that is reached by location + noise: levels[number of thresholds below it].

    Attributes:
        levels: (K,) the values of the column, increasing.
        thresholds: (K - 1,) not decreasing.
        stretch: how far the location moves for one standard deviation of the column, on average over the rows.
    """

    levels: Array
    thresholds: Array
    stretch: Array
    kind: ClassVar[str] = "thresholds"
    linked: ClassVar[bool] = True
    discrete: ClassVar[bool] = True

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """The level that location and noise reach together."""
        return np.asarray(self.levels[np.searchsorted(self.thresholds, location + noise)])

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """Between what just reaches the level and what would reach the next one."""
        return noise_between(*self._ends(location, values), rng)

    def mean(self, location: Array, z: Array) -> Array:
        """The levels, by their probabilities."""
        steps = expit(location[:, None] - self.thresholds) * np.diff(self.levels)
        return np.asarray(self.levels[0] + steps.sum(axis=1))

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """The logarithm of the probability of the level; that of a value between levels is the nearest one's."""
        return log_probability_between(*self._ends(location, values))

    def moved(self, location: Array, by: Array) -> Array:
        """By standard deviations of the column, on average over the training rows."""
        return np.asarray(location + self.stretch * by)

    def places(self, values: Array) -> Array:
        """(N,) -> (N,), which level each value is nearest to."""
        between = (self.levels[1:] + self.levels[:-1]) / 2
        return np.asarray(np.searchsorted(between, values))

    def _ends(self, location: Array, values: Array) -> tuple[Array, Array]:
        """(N,), (N,), the noises between which a row takes its value."""
        ends = np.concatenate([[-np.inf], self.thresholds, [np.inf]])
        place = self.places(values)
        return ends[place] - location, ends[place + 1] - location
