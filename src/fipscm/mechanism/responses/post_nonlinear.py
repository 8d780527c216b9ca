"""Post-nonlinear columns: what causes and noise add up to is transformed. Shapes: N rows, H noises."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.responses.monotone_curve import MonotoneCurve
from fipscm.mechanism.responses.response import LogDensity, Response
from fipscm.mechanism.responses.working import Working, measured


@dataclass(frozen=True)
class PostNonlinear(Response):
    """curve(x) = centre + scale * location + noise, the curve increasing.

    Attributes:
        centre: of the transformed values.
        scale: of the transformed values.
        curve: the transformation.
        noises: (H,) that stand for all of them in a mean.
    """

    centre: float
    scale: float
    curve: MonotoneCurve
    noises: Array
    kind = "post-nonlinear"
    additive_scale = True
    parts: ClassVar = {"curve": {MonotoneCurve.kind: MonotoneCurve}}

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """Where the curve takes the sum of location and noise."""
        return self.curve.inverse(self._transformed(location) + noise)

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """What the transformed value has beyond the location."""
        return np.asarray(self.curve(values) - self._transformed(location))

    def mean(self, location: Array, z: Array) -> Array:
        """The average over the noises."""
        return np.asarray(self.curve.inverse(self._transformed(location)[:, None] + self.noises).mean(axis=1))

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """That of the noise, times the slope of the curve."""
        return np.asarray(of_noise(self.noise(location, z, values)) + np.log(self.curve.slope(values)))

    def working(self, location: Array, z: Array, values: Array) -> list[Working]:
        """The noise, in standard deviations of the transformed values."""
        return [measured(self.noise(location, z, values) / self.scale)]

    def steepness(self, location: Array) -> Array:
        """Of the value without noise."""
        return np.asarray(self.scale / self.curve.slope(self.curve.inverse(self.centre + self.scale * location)))

    def continued(self, location: Array, rise: Array) -> Array:
        """The value without noise goes on along its tangent; a positive one that falls does so as an exponential."""
        value = self.curve.inverse(self.centre + self.scale * location)
        onward = value + rise
        if self.curve.positive:
            onward = np.where(rise < 0, value * np.exp(np.minimum(rise, 0.0) / value), onward)
        return np.where(rise == 0, location, (self.curve(onward) - self.centre) / self.scale)

    @property
    def span(self) -> tuple[float, float]:
        """Above zero if all rows are."""
        return (0.0 if self.curve.positive else -np.inf), np.inf

    def _transformed(self, location: Array) -> Array:
        return np.asarray(self.centre + self.scale * location[:, 0])
