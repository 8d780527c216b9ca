"""Smooth increasing curves of any shape. Shapes: N values, K places along a curve.

A handful of named curves teaches a network these curves; a family that has all smooth ones teaches it not to care.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.integrate import cumulative_trapezoid

from fipscm.arrays import Array

LARGEST_INPUT, SLOPE_PLACES, SLOPE_WAVES = 8.0, 400, 12
LENGTHS = 0.7, 6.0  # over which a slope changes, in standard deviations: short ones turn often, long ones once


@dataclass(frozen=True)
class MonotoneMap:
    """An increasing curve through points (K,), flat beyond them."""

    places: Array
    heights: Array

    @classmethod
    def sample(cls, rng: np.random.Generator) -> Self:
        """Draw a curve whose log slope is a random smooth function, so that it can neither turn nor break."""
        places = np.linspace(-LARGEST_INPUT, LARGEST_INPUT, SLOPE_PLACES)
        length = math.exp(rng.uniform(*np.log(LENGTHS)))
        angles = np.outer(places, rng.standard_normal(SLOPE_WAVES) / length) + rng.uniform(0, 2 * math.pi, SLOPE_WAVES)
        log_slope = (
            rng.uniform(0.3, 1.5) * np.cos(angles) @ rng.standard_normal(SLOPE_WAVES) * math.sqrt(2 / SLOPE_WAVES)
        )
        return cls(np.asarray(places, dtype=np.float64), cumulative_trapezoid(np.exp(log_slope), places, initial=0.0))

    def __call__(self, values: Array) -> Array:
        """(N,) standardized -> (N,)."""
        return np.interp(values, self.places, self.heights)
