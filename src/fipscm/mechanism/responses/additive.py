"""Additive noise: what the causes say, and the noise on top of it. Shapes: N rows."""

from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.responses.response import LogDensity, Response
from fipscm.mechanism.responses.working import Working, measured


@dataclass(frozen=True)
class Additive(Response):
    """x = centre + scale * location + noise, the noise in the units of the column."""

    centre: float
    scale: float
    kind = "additive"
    additive_scale = True

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """The mean, plus the noise."""
        return np.asarray(self.mean(location, z) + noise)

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """The value, less the mean."""
        return np.asarray(values - self.mean(location, z))

    def mean(self, location: Array, z: Array) -> Array:
        """The location in the units of the column."""
        return np.asarray(self.centre + self.scale * location[:, 0])

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """That of the noise."""
        return of_noise(self.noise(location, z, values))

    def working(self, location: Array, z: Array, values: Array) -> list[Working]:
        """The noise, in standard deviations of the column."""
        return [measured(self.noise(location, z, values) / self.scale)]
