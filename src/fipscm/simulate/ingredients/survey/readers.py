"""How effects read a column: each effect draws a score of its own, with mean zero and variance one. Shapes: N rows."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Array
from fipscm.simulate.ingredients.functions import ONE_BY_ONE, standardized
from fipscm.simulate.ingredients.monotone_maps import MonotoneMap

STRAIGHT, INCREASING = 0.6, 0.2  # shares of the effects of a number; the others have any curve


class LevelReader(Protocol):
    """A column as its effects see it."""

    def read(self, rng: np.random.Generator) -> Array:
        """Draw what one effect makes of it: (N,)."""
        ...


@dataclass(frozen=True)
class LevelsReader:
    """Levels without an order: codes (N,)."""

    codes: NDArray[np.int64]

    def read(self, rng: np.random.Generator) -> Array:
        """Draw a height for every level, or let one level differ from all others."""
        levels = int(self.codes.max()) + 1
        heights = rng.standard_normal(levels) if rng.random() < 0.7 else np.eye(levels)[rng.choice(self.codes)]
        return standardized(heights[self.codes])


@dataclass(frozen=True)
class NumberReader:
    """A quantity in standard units (N,)."""

    values: Array

    def read(self, rng: np.random.Generator) -> Array:
        """Draw a straight line, an increasing curve, or any curve."""
        drawn = rng.random()
        if drawn < STRAIGHT:
            return self.values
        if drawn < STRAIGHT + INCREASING:
            return standardized(MonotoneMap.sample(rng)(self.values))
        curve = ONE_BY_ONE[str(rng.choice(list(ONE_BY_ONE)))](1, rng)
        score = standardized(curve(self.values[:, None]))
        return score if score.any() else self.values  # a step may lie where there are no rows


@dataclass(frozen=True)
class SeasonReader:
    """Months or hours (N,), of which so many make a cycle."""

    times: Array
    cycle: int

    def read(self, rng: np.random.Generator) -> Array:
        """Draw when in the cycle the effect is highest."""
        return standardized(np.cos(2 * math.pi * (self.times / self.cycle - rng.random())))
