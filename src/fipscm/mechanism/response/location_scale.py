"""Noise whose spread depends on the causes. Shapes: N rows, D variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.regression.spread import Spread
from fipscm.mechanism.response.base import LogDensity, Response

SPREAD = "spread."
REACH = 6.0  # standard deviations of the noise, up to which it is multiplied by its spread


@dataclass(frozen=True)
class LocationScale(Response):
    """x = centre + scale * location + spread(causes, location) * noise, the noise in the units of the column.

    The spread reads the location beside the causes: noise often grows with the level, whatever the causes of that are.
    A noise beyond all reach is hardly one: the spread was too small there. What it has beyond is taken times the
    `typical` spread, whatever the causes, so that other causes cannot make it many times as large.
    """

    centre: Array
    scale: Array
    typical: Array
    spread: Spread
    kind: ClassVar[str] = "location-scale"

    @property
    def reach(self) -> Array:
        """In the units of the noise."""
        return np.asarray(REACH * self.scale)

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """The mean, plus the noise times its spread."""
        within = np.clip(noise, -self.reach, self.reach)
        spread = self.spread(inputs_of(location, z))
        return np.asarray(self.mean(location, z) + spread * within + self.typical * (noise - within))

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """The value, less the mean, over the spread."""
        spread, residual = self.spread(inputs_of(location, z)), values - self.mean(location, z)
        within = np.clip(residual, -self.reach * spread, self.reach * spread)
        return np.asarray(within / spread + (residual - within) / self.typical)

    def mean(self, location: Array, z: Array) -> Array:
        """The location in the units of the column."""
        return np.asarray(self.centre + self.scale * location)

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """That of the noise, less the logarithm of its spread."""
        noise = self.noise(location, z, values)
        spread = np.where(np.abs(noise) > self.reach, self.typical, self.spread(inputs_of(location, z)))
        return np.asarray(of_noise(noise) - np.log(spread))

    def slopes(self, location: Array, z: Array, noise: Array) -> tuple[Array, Array]:
        """Where the noise is large, the spread moves the value."""
        within = np.clip(noise, -self.reach, self.reach)
        moved = self.spread.slopes(inputs_of(location, z)) * (within / self.scale)[:, None]
        return 1 + moved[:, -1], moved[:, :-1]

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Everything learned, as named arrays."""
        own = {name: np.asarray(getattr(self, name)) for name in ("centre", "scale", "typical")}
        return own | {SPREAD + name: array for name, array in self.spread.arrays().items()}

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Self:
        """From `arrays()`."""
        learned = {name.removeprefix(SPREAD): each for name, each in arrays.items() if name.startswith(SPREAD)}
        typical = arrays.get("typical", np.asarray(1.0))  # models saved before noises had a reach do not have it
        return cls(arrays["centre"], arrays["scale"], typical, Spread.restore(learned))


def inputs_of(location: Array, z: Array) -> Array:
    """(N,), (N, D) -> (N, D + 1), what a spread reads: the causes, and the location."""
    return np.column_stack([z, location])
