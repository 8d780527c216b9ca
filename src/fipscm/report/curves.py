"""Each mechanism as curves: how a column follows one of its causes while the others stay as they are.

Shapes: N rows, D variables.
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.learned import LearnedSCM

POINTS, ROWS = 41, 200
MARGIN = 0.1  # of the range of the rows, drawn beyond it on either side


@dataclass(frozen=True)
class Curve:
    """Partial dependence of an effect on a cause, from `low` to `high` where the rows are, and a little beyond."""

    cause: Hashable
    effect: Hashable
    x: Array
    y: Array
    low: float
    high: float

    @property
    def ends(self) -> tuple[float, float]:
        """The effect at the lowest and at the highest row."""
        low, high = np.interp([self.low, self.high], self.x, self.y)
        return float(low), float(high)


def partial_dependence(scm: LearnedSCM, cause: Hashable, effect: Hashable, rows: Array) -> Curve:
    """The mechanism of one column, averaged over rows (N, D) in which a cause is set to each value of a grid."""
    some = rows[np.linspace(0, len(rows) - 1, min(ROWS, len(rows))).astype(int)]
    source, node = scm.names.index(cause), scm.names.index(effect)
    low, high = float(rows[:, source].min()), float(rows[:, source].max())
    margin = MARGIN * (high - low)
    grid: Array = np.linspace(low - margin, high + margin, POINTS, dtype=np.float64)
    changed = np.repeat(some[None], POINTS, axis=0)
    changed[:, :, source] = grid[:, None]
    flat = changed.reshape(-1, rows.shape[1])
    means = scm.node_means((node,), flat).reshape(POINTS, -1).mean(axis=1)
    return Curve(cause, effect, grid, means, low, high)
