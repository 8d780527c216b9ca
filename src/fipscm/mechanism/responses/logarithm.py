"""Positive columns whose noise multiplies: additive noise on the scale of logarithms. Shapes: N rows."""

from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.responses.exponential import raised, steepness
from fipscm.mechanism.responses.response import LogDensity, Response
from fipscm.mechanism.responses.working import Working, measured

_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class Logarithm(Response):
    """log x = centre + scale * location + noise.

    Attributes:
        centre: of the logarithms.
        scale: of the logarithms.
        highest: the largest logarithm that the causes of a row speak for.
        smearing: the mean of exp(noise), after Duan 1983.
    """

    centre: float
    scale: float
    highest: float
    smearing: float
    kind = "logarithm"
    additive_scale = True

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """The exponential of location and noise."""
        return np.asarray(np.exp(self._logarithm(location) + noise))

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """What the logarithm of the value has beyond the location; of no value below the smallest number there is."""
        return np.asarray(np.log(np.maximum(values, _TINY)) - self._logarithm(location))

    def mean(self, location: Array, z: Array) -> Array:
        """The exponential of the location, and what the noise adds to it on average."""
        return np.asarray(np.exp(self._logarithm(location)) * self.smearing)

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """That of the noise, in the units of the column; no value is negative."""
        known = np.maximum(values, _TINY)
        density = of_noise(self.noise(location, z, known)) - np.log(known)
        return np.asarray(np.where(values > 0, density, -np.inf))

    def working(self, location: Array, z: Array, values: Array) -> list[Working]:
        """The noise, in standard deviations of the logarithms."""
        return [measured(self.noise(location, z, values) / self.scale)]

    def steepness(self, location: Array) -> Array:
        """Proportional to the mean."""
        return np.asarray(self.scale * steepness(self.centre + self.scale * location, self.highest))

    def continued(self, location: Array, rise: Array) -> Array:
        """The exponential goes on along its tangent."""
        logarithm = self.centre + self.scale * location
        return np.asarray(location + (raised(logarithm, rise, self.highest) - logarithm) / self.scale)

    @property
    def span(self) -> tuple[float, float]:
        """Above zero."""
        return 0.0, np.inf

    def _logarithm(self, location: Array) -> Array:
        return np.asarray(self.centre + self.scale * location[:, 0])
