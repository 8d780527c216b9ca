"""Whether wild cells are as many and as far out as tails make them. Shapes: N rows, D variables.

Laplace noise has two cells in a thousand beyond six robust standard deviations, a table with wrong entries has more of
them, and farther ones. Tails are taken for exponential, each with the scale of those of its cells that are not wild:
heavier ones count as wrong entries.
"""

import numpy as np
from scipy import stats

from fipscm.arrays import Array
from fipscm.robust import FARTHEST, robust_location

LEVEL = 0.05  # p-value of their number, and of the farthest, below which cells are no tail
OUTER = 0.9  # the share of the cells that lie before the tail
STEPS = 20  # towards the scale of a tail


def tails_explain(columns: Array) -> bool:
    """Whether the cells of columns (N, D) beyond six robust standard deviations are tails; NaN cells are not known.

    >>> laplace = np.random.default_rng(0).laplace(size=(1000, 3))
    >>> tails_explain(laplace), tails_explain(np.vstack([laplace, np.full((5, 3), 9.0)]))
    (True, False)
    """
    centre, spread = robust_location(columns)
    expected, found, outer, farthest = 0.0, 0, 0, 0.0
    for column in (np.abs(columns - centre)[:, spread > 0] / spread[spread > 0]).T:
        known = column[~np.isnan(column)]
        begin = float(np.quantile(known, OUTER))
        tail = known[known > begin] - begin
        room = FARTHEST - begin
        if room <= 0 or not (tail <= room).any():
            return False
        scale = _scale(float(tail[tail <= room].mean()), room)
        expected += len(tail) * float(np.exp(-room / scale))
        found, outer = found + int((tail > room).sum()), outer + len(tail)
        farthest = max(farthest, float(tail.max()) / scale)
    return bool(stats.poisson.sf(found - 1, expected) > LEVEL and outer * np.exp(-farthest) > LEVEL)


def _scale(mean: float, room: float) -> float:
    """Of the exponential law whose values have this mean where they are cut off at `room`."""
    scale = mean
    for _ in range(STEPS):
        scale = min(mean + room / float(np.expm1(room / scale)), room)
    return scale
