"""Noise whose spread depends on the causes. Shapes: N rows, D variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.regression.spread import Spread
from fipscm.mechanism.response.base import LogDensity, Response

SPREAD = "spread."


@dataclass(frozen=True)
class LocationScale(Response):
    """x = centre + scale * location + spread(causes, location) * noise, the noise in the units of the column.

    The spread reads the location beside the causes: noise often grows with the level, whatever the causes of that are.
    """

    centre: Array
    scale: Array
    spread: Spread
    kind: ClassVar[str] = "location-scale"

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """The mean, plus the noise times its spread."""
        return np.asarray(self.mean(location, z) + self.spread(inputs_of(location, z)) * noise)

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """The value, less the mean, over the spread."""
        return np.asarray((values - self.mean(location, z)) / self.spread(inputs_of(location, z)))

    def mean(self, location: Array, z: Array) -> Array:
        """The location in the units of the column."""
        return np.asarray(self.centre + self.scale * location)

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """That of the noise, less the logarithm of its spread."""
        spread = self.spread(inputs_of(location, z))
        return np.asarray(of_noise((values - self.mean(location, z)) / spread) - np.log(spread))

    def slopes(self, location: Array, z: Array, noise: Array) -> tuple[Array, Array]:
        """Where the noise is large, the spread moves the value."""
        moved = self.spread.slopes(inputs_of(location, z)) * (noise / self.scale)[:, None]
        return 1 + moved[:, -1], moved[:, :-1]

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Everything learned, as named arrays."""
        own = {"centre": np.asarray(self.centre), "scale": np.asarray(self.scale)}
        return own | {SPREAD + name: array for name, array in self.spread.arrays().items()}

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Self:
        """From `arrays()`."""
        learned = {name.removeprefix(SPREAD): each for name, each in arrays.items() if name.startswith(SPREAD)}
        return cls(arrays["centre"], arrays["scale"], Spread.restore(learned))


def inputs_of(location: Array, z: Array) -> Array:
    """(N,), (N, D) -> (N, D + 1), what a spread reads: the causes, and the location."""
    return np.column_stack([z, location])
