"""Noise whose spread depends on the causes. Shapes: N rows, F inputs."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fipscm.arrays import Array, Order
from fipscm.mechanism.responses.response import LogDensity, Response
from fipscm.mechanism.responses.spread import Spread, with_location
from fipscm.mechanism.responses.working import Working, measured

REACH = 6.0  # standard deviations of the noise, up to which it is multiplied by its spread


@dataclass(frozen=True)
class LocationScale(Response):
    """x = centre + scale * location + spread(causes, location) * noise, the noise in the units of the column.

    A noise beyond all reach is hardly one: the spread was too small there. What it has beyond is taken times the
    `typical` spread, whatever the causes, so that other causes cannot make it many times as large.
    """

    centre: float
    scale: float
    typical: float
    spread: Spread
    kind = "location-scale"
    parts: ClassVar = {"spread": {Spread.kind: Spread}}

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """The mean, plus the noise times its spread."""
        within = np.clip(noise, -self._reach, self._reach)
        spread = self.spread(with_location(z, location[:, 0]))
        return np.asarray(self.mean(location, z) + spread * within + self.typical * (noise - within))

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """The value, less the mean, over the spread."""
        spread, residual = self.spread(with_location(z, location[:, 0])), values - self.mean(location, z)
        within = np.clip(residual, -self._reach * spread, self._reach * spread)
        return np.asarray(within / spread + (residual - within) / self.typical)

    def mean(self, location: Array, z: Array) -> Array:
        """The location in the units of the column."""
        return np.asarray(self.centre + self.scale * location[:, 0])

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """That of the noise, over its spread."""
        spread = self.spread(with_location(z, location[:, 0]))
        noise = self.noise(location, z, values)
        growth = np.where(np.abs(noise) <= self._reach, spread, self.typical)
        return np.asarray(of_noise(noise) - np.log(growth))

    def working(self, location: Array, z: Array, values: Array) -> list[Working]:
        """What the mean leaves, in standard deviations of the column."""
        return [measured((values - self.mean(location, z)) / self.scale)]

    @property
    def spread_reads(self) -> Order:
        """The inputs of the spread; where it reads the location, also through that."""
        return np.asarray(self.spread.log.reads[self.spread.log.reads < len(self.spread.low) - 1], dtype=np.intp)

    @property
    def _reach(self) -> float:
        """In the units of the noise."""
        return REACH * self.scale
