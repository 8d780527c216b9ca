"""Positive columns whose noise multiplies: additive noise on the scale of logarithms. Shapes: N rows."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.response.base import LogDensity, Response
from fipscm.mechanism.response.exponential import raised, steepness


@dataclass(frozen=True)
class Logarithm(Response):
    """log x = centre + scale * location + noise.

    Attributes:
        centre: of the logarithms.
        scale: of the logarithms.
        highest: the largest logarithm that the causes of a row speak for.
        surplus: the mean of exp(noise).
        stretch: how far the location moves for one unit of a deviation: one, but in files of earlier versions.
    """

    centre: Array
    scale: Array
    highest: Array
    surplus: Array
    stretch: Array
    kind: ClassVar[str] = "logarithm"
    linked: ClassVar[bool] = True

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """The exponential of location and noise."""
        return np.asarray(np.exp(self._middle(location) + noise))

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """What the logarithm of the value has beyond the location; of no value below the smallest number there is."""
        return np.asarray(np.log(np.maximum(values, np.finfo(np.float64).tiny)) - self._middle(location))

    def mean(self, location: Array, z: Array) -> Array:
        """The exponential of the location, and what the noise adds to it on average."""
        return np.asarray(np.exp(self._middle(location)) * self.surplus)

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """That of the noise, in the units of the column; no value is negative."""
        known = np.maximum(values, np.finfo(np.float64).tiny)
        density = of_noise(self.noise(location, z, known)) - np.log(known)
        return np.asarray(np.where(values > 0, density, -np.inf))

    def steepness(self, location: Array) -> Array:
        """Proportional to the mean."""
        return np.asarray(self.scale * steepness(self._middle(location), self.highest))

    def continued(self, location: Array, rise: Array) -> Array:
        """The exponential goes on along its tangent."""
        middle = self._middle(location)
        return np.asarray(location + (raised(middle, rise, self.highest) - middle) / self.scale)

    def moved(self, location: Array, by: Array) -> Array:
        """By units of the location, in which deviations are told."""
        return np.asarray(location + self.stretch * by)

    def _middle(self, location: Array) -> Array:
        return np.asarray(self.centre + self.scale * location)
