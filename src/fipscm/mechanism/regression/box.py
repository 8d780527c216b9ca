"""Where the rows of a table were. Shapes: N rows, D variables.

Beyond it a learned mechanism goes on along a line: f(x) = f(c) + <slope, x - c>, c the nearest point of the box. The
slope at c hangs on a single row. Waves therefore have the flatter one of it and of that at s, where one row in fifty
lies farther out; the network has that at c. In columns within the box, the slope of f also changes along x - c.
"""

from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array, Mask

OUTER = 0.02  # of the rows, on either side of a column


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
        inner = cls(*np.nanquantile(kept, [OUTER, 1 - OUTER], axis=0))
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
        return Box(self.low[columns], self.high[columns], inner)

    def split(self, rows: Array) -> tuple[Array, Array]:
        """(N, D) -> (N, D) the nearest points of the box, and (N, D) what leads from there to the rows.

        >>> nearest, beyond = Box(np.array([0.0]), np.array([1.0])).split(np.array([[0.5], [3.0]]))
        >>> nearest.tolist(), beyond.tolist()
        ([[0.5], [1.0]], [[0.0], [2.0]])
        """
        nearest = np.clip(rows, self.low, self.high)
        return nearest, rows - nearest

    def slope_places(self, nearest: Array) -> Array:
        """(N, D) nearest points of the box -> (N, D), where to take the slopes with which a mechanism goes on."""
        return nearest if self.inner is None else np.clip(nearest, self.inner.low, self.inner.high)
