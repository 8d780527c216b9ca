"""Where training rows were, and how a mechanism goes on beyond. Shapes: N rows, F inputs, K outputs, Q inner ranges.

Beyond the rows the mean of a column, in its own units, goes on along its tangent at the nearest point of the training
range; the noise acts as it does there. The slope of a curve at the edge hangs on a single row: the flattest one is
taken of it and of those where one row in fifty, in ten and in five lies farther out.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.parts import Part

# Of the rows, on either side of an input. Without the inner two, errors of saturating mechanisms (`fipscm bench far`)
# are a tenth larger, and those of a light tunnel (`fipscm bench tunnel`) a third.
INNER = np.array([0.02, 0.1, 0.2])
_STEP = 1e-4  # of differences, in standardized inputs


@dataclass(frozen=True)
class TrainingRange(Part):
    """The lowest and the highest value of each input (F,), and the inner ranges (Q, F) whose slopes are asked too.

    The outermost rows are the edge, not some quantile: with heavy tails they alone tell how an effect goes on.
    """

    low: Array
    high: Array
    inner_low: Array
    inner_high: Array
    kind = "range"

    @classmethod
    def of(cls, z: Array) -> "TrainingRange":
        """Just large enough for all rows (N, F).

        >>> TrainingRange.of(np.array([[0.0], [1.0]])).nearest(np.array([[0.5], [3.0]])).tolist()
        [[0.5], [1.0]]
        """
        inner = (np.quantile(z, levels, axis=0) for levels in (INNER, 1 - INNER))
        return cls(z.min(axis=0, initial=np.inf), z.max(axis=0, initial=-np.inf), *inner)

    def nearest(self, z: Array) -> Array:
        """(N, F) -> (N, F), the nearest points of the range."""
        return np.clip(z, self.low, self.high)

    def rise(
        self, z: Array, value: Callable[[Array], Array], steepness: Callable[[Array], Array], curved: bool
    ) -> Array:
        """(N, F) -> (N, K), what the tangents of a function add beyond the range; zero within.

        Args:
            z: the rows.
            value: (N, F) -> (N, K).
            steepness: (N, K) -> (N, K), how fast the mean moves with such a value.
            curved: whether slopes differ from place to place; that of a line is known by all rows.
        """
        nearest = self.nearest(z)
        beyond = z - nearest
        outside = np.flatnonzero(beyond.any(axis=1))
        total = np.zeros((len(z), value(nearest[:1]).shape[1]))
        if not len(outside):
            return total
        edge, moves = nearest[outside], np.flatnonzero(beyond[outside].any(axis=0))
        places = [edge]
        if curved:
            places += [np.clip(edge, low, high) for low, high in zip(self.inner_low, self.inner_high, strict=True)]
        steep = [steepness(value(place)) for place in places]
        for move in moves:
            step = _STEP * np.eye(z.shape[1])[move]
            slopes = [
                each * (value(place + step) - value(place - step)) / (2 * _STEP)
                for place, each in zip(places, steep, strict=True)
            ]
            taken = slopes[0]
            for slope in slopes[1:]:
                taken = flatter(taken, slope)
            total[outside] += taken * beyond[outside, move][:, None]
        return total


def flatter(one: Array, other: Array) -> Array:
    """That of two slopes which is flatter; level where they differ in sign.

    How a curve bends at the edge of the rows hangs on few of them; what is too flat errs less than what is too steep.

    >>> flatter(np.array([2.5, -0.5]), np.array([1.5, 0.6])).tolist()
    [1.5, 0.0]
    """
    return np.where(one * other > 0, np.where(np.abs(one) < np.abs(other), one, other), 0.0)
