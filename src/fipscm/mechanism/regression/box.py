"""Where the rows of a table were, and how mechanisms go on beyond. Shapes: N rows, D variables.

The mean of a column, in its own units, goes on along its tangent: m(x) = m(c) + <slope, x - c>, c the nearest point of
the box; the noise acts as it does there. `LearnedSCM.tangent` asks for it, and the response turns it into a location
(`Response.continued`). The slope of a curve at c hangs on a single row. The flattest one is therefore taken of it and
of those where one row in fifty, in ten and in five lies farther out.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array, Mask

# Of the rows, on either side of a column. Without the inner two, errors of saturating mechanisms (`fipscm bench far`)
# are a tenth larger, and those of a light tunnel (`fipscm bench tunnel`) a third.
OUTER = (0.02, 0.1, 0.2)


@dataclass(frozen=True)
class Box:
    """The lowest and the highest value of each column, both (D,), and the box in which slopes are taken.

    The outermost rows are the edge, not some quantile: with heavy tails they alone tell how an effect goes on.
    """

    low: Array
    high: Array
    inner: "Box | None" = None

    @classmethod
    def of(cls, rows: Array, wild: Mask | None = None) -> "Box":
        """Just large enough for all rows (N, D), but for cells that are `wild` (N, D)."""
        kept = rows if wild is None else np.where(wild, np.nan, rows)
        inner = cls(*(np.nanquantile(kept, levels, axis=0) for levels in (OUTER, 1 - np.array(OUTER))))
        return cls(np.nanmin(kept, axis=0), np.nanmax(kept, axis=0), inner)

    @classmethod
    def unbounded(cls, variables: int) -> "Box":
        """Nothing lies beyond it."""
        return cls(np.full(variables, -np.inf), np.full(variables, np.inf))

    def standardized(self, centre: Array, scale: Array) -> "Box":
        """The same box for columns from which the centre (D,) was taken and which were divided by the scale (D,)."""
        inner = None if self.inner is None else self.inner.standardized(centre, scale)
        return Box((self.low - centre) / scale, (self.high - centre) / scale, inner)

    def of_columns(self, columns: Mask) -> "Box":
        """The same box for some of the columns (D,)."""
        inner = None if self.inner is None else self.inner.of_columns(columns)
        return Box(self.low[..., columns], self.high[..., columns], inner)

    def split(self, rows: Array) -> tuple[Array, Array]:
        """(N, D) -> (N, D) the nearest points of the box, and (N, D) what leads from there to the rows.

        >>> nearest, beyond = Box(np.array([0.0]), np.array([1.0])).split(np.array([[0.5], [3.0]]))
        >>> nearest.tolist(), beyond.tolist()
        ([[0.5], [1.0]], [[0.0], [2.0]])
        """
        nearest = np.clip(rows, self.low, self.high)
        return nearest, rows - nearest

    def tangent(
        self, rows: Array, value: Callable[[Array], Array], slopes: Callable[[Array], Array]
    ) -> tuple[Array, Array]:
        """(N, D) -> (N,) a function at the nearest points of the box, and (N,) what its tangents add from there.

        >>> square, twice = lambda x: x[:, 0] ** 2, lambda x: 2 * x
        >>> nearest, rise = Box(np.array([0.0]), np.array([1.0])).tangent(np.array([[0.5], [3.0]]), square, twice)
        >>> nearest.tolist(), rise.tolist()
        ([0.25, 1.0], [0.0, 4.0])
        """
        nearest, beyond = self.split(rows)
        at_nearest = value(nearest)
        rise, outside = np.zeros_like(at_nearest), np.flatnonzero(beyond.any(axis=1))
        if len(outside):
            taken = slopes(nearest[outside])
            if self.inner is not None:
                for low, high in zip(*map(np.atleast_2d, (self.inner.low, self.inner.high)), strict=True):
                    taken = _flatter(taken, slopes(np.clip(nearest[outside], low, high)))
            rise[outside] = (taken * beyond[outside]).sum(axis=1)
        return at_nearest, rise


def _flatter(one: Array, other: Array) -> Array:
    """That of two slopes which is flatter; level where they differ in sign.

    How a curve bends at the edge of the rows hangs on few of them; what is too flat errs less than what is too steep.

    >>> _flatter(np.array([2.5, -0.5]), np.array([1.5, 0.6])).tolist()
    [1.5, 0.0]
    """
    return np.where(one * other > 0, np.where(np.abs(one) < np.abs(other), one, other), 0.0)
