"""Where the rows of a table were. Shapes: N rows, D variables.

Beyond it a learned mechanism goes on along its tangent: f(x) = f(c) + <f'(c), x - c>, c the nearest point of the box.
In a column that lies outside, the slope of f is then that at c; in the others it also changes along x - c.
"""

from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array, Mask


@dataclass(frozen=True)
class Box:
    """The lowest and the highest value of each column, both (D,).

    The outermost rows are the edge, not some quantile: with heavy tails they alone tell how an effect goes on.
    """

    low: Array
    high: Array

    @classmethod
    def of(cls, rows: Array, wild: Mask | None = None) -> "Box":
        """Just large enough for all rows (N, D), but for cells that are `wild` (N, D)."""
        kept = rows if wild is None else np.where(wild, np.nan, rows)
        return cls(np.nanmin(kept, axis=0), np.nanmax(kept, axis=0))

    @classmethod
    def unbounded(cls, variables: int) -> "Box":
        """Nothing lies beyond it."""
        return cls(np.full(variables, -np.inf), np.full(variables, np.inf))

    def standardized(self, centre: Array, scale: Array) -> "Box":
        """The same box for columns from which the centre (D,) was taken and which were divided by the scale (D,)."""
        return Box((self.low - centre) / scale, (self.high - centre) / scale)

    def split(self, rows: Array) -> tuple[Array, Array]:
        """(N, D) -> (N, D) the nearest points of the box, and (N, D) what leads from there to the rows.

        >>> nearest, beyond = Box(np.array([0.0]), np.array([1.0])).split(np.array([[0.5], [3.0]]))
        >>> nearest.tolist(), beyond.tolist()
        ([[0.5], [1.0]], [[0.0], [2.0]])
        """
        nearest = np.clip(rows, self.low, self.high)
        return nearest, rows - nearest
