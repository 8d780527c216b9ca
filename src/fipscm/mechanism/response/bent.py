"""Post-nonlinear columns: what causes and noise add up to is bent. Shapes: N rows, H noises."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.regression.bend import Bend
from fipscm.mechanism.response.base import LogDensity, Response


@dataclass(frozen=True)
class Bent(Response):
    """bend(x) = centre + scale * location + noise, the bend an increasing curve.

    Attributes:
        centre: of the bent values.
        scale: of the bent values.
        bend: the curve.
        noises: (H,) that stand for all of them in a mean.
        stretch: how far the location moves for one unit of a deviation: one, but in files of earlier versions.
    """

    centre: Array
    scale: Array
    bend: Bend
    noises: Array
    stretch: Array
    kind: ClassVar[str] = "bent"
    linked: ClassVar[bool] = True

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """Where the curve takes the sum of location and noise."""
        return self.bend.inverse(self._middle(location) + noise)

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """What the bent value has beyond the location."""
        return np.asarray(self.bend(values) - self._middle(location))

    def mean(self, location: Array, z: Array) -> Array:
        """The average over the noises."""
        return np.asarray(self.bend.inverse(self._middle(location)[:, None] + self.noises).mean(axis=1))

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """That of the noise, times the slope of the curve."""
        return np.asarray(of_noise(self.noise(location, z, values)) + np.log(self.bend.slope(values)))

    def steepness(self, location: Array) -> Array:
        """Of the value without noise."""
        return np.asarray(self.scale / self.bend.slope(self.bend.inverse(self._middle(location))))

    def continued(self, location: Array, rise: Array) -> Array:
        """The value without noise goes on along its tangent; a positive one that falls does so as an exponential."""
        value = self.bend.inverse(self._middle(location))
        onward = value + rise
        if self.bend.positive:
            onward = np.where(rise < 0, value * np.exp(np.minimum(rise, 0.0) / value), onward)
        return np.where(rise == 0, location, (self.bend(onward) - self.centre) / self.scale)

    def moved(self, location: Array, by: Array) -> Array:
        """By units of the location, in which deviations are told."""
        return np.asarray(location + self.stretch * by)

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Everything learned, as named arrays."""
        own = {name: np.asarray(getattr(self, name)) for name in _ARRAYS}
        return own | {"knots": self.bend.knots, "slopes": self.bend.slopes, "positive": np.asarray(self.bend.positive)}

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Self:
        """From `arrays()`."""
        bend = Bend(arrays["knots"], arrays["slopes"], bool(arrays.get("positive", False)))
        return cls(bend=bend, **{name: arrays[name] for name in _ARRAYS})

    def _middle(self, location: Array) -> Array:
        return np.asarray(self.centre + self.scale * location)


_ARRAYS = ("centre", "scale", "noises", "stretch")
