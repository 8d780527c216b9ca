"""Each mechanism as curves: how a column follows one of its causes while the others stay as they are.

Shapes: N rows, D columns, P points, K answers.
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.questions.column_levels import column_levels
from fipscm.report.model import FittedModel

_POINTS, _ROWS = 41, 200
_MARGIN = 0.1  # of the range of the rows, drawn beyond it on either side


@dataclass(frozen=True)
class Curve:
    """Partial dependence of an effect on a cause, from `low` to `high` where the rows are, and a little beyond.

    Attributes:
        cause: the column that is set.
        effect: the column that is looked at.
        x: (P,) what the cause is set to: a grid of numbers, or the codes of all its levels.
        y: (P, K) the mean of the effect, or the probability of each of the levels told.
        low: the lowest and
        high: the highest value of the cause among the rows.
        told: names of the levels whose probabilities y has: of two the second, of a category all; empty for a mean.
    """

    cause: Hashable
    effect: Hashable
    x: Array
    y: Array
    low: float
    high: float
    told: tuple[str, ...] = ()

    @property
    def ends(self) -> tuple[Array, Array]:
        """(K,) and (K,), the effect at the lowest and at the highest row."""
        low, high = (np.array([np.interp(end, self.x, each) for each in self.y.T]) for end in (self.low, self.high))
        return low, high


def partial_dependence(model: FittedModel, cause: Hashable, effect: Hashable, rows: Array) -> Curve:
    """The mechanism of one column, averaged over rows (N, D) in which a cause is set to each value of a grid."""
    scm = model.scm_
    levels = column_levels(scm, model.columns_)
    source, node = scm.names.index(cause), scm.names.index(effect)
    if cause in levels:
        grid = levels[cause].codes
        low, high = float(grid[0]), float(grid[-1])
    else:
        low, high = float(rows[:, source].min()), float(rows[:, source].max())
        margin = _MARGIN * (high - low)
        grid = np.linspace(low - margin, high + margin, _POINTS, dtype=np.float64)
    some = rows[np.linspace(0, len(rows) - 1, min(_ROWS, len(rows))).astype(int)]
    changed = np.repeat(some[None], len(grid), axis=0)
    changed[:, :, source] = grid[:, None]
    answers = scm.mean(node, changed.reshape(-1, rows.shape[1]))
    means = answers.reshape(len(grid), len(some), -1).mean(axis=1)
    own, is_category = levels.get(effect), scm.mechanisms[node].response.is_category
    if own is None or (not is_category and len(own.codes) > 2):
        return Curve(cause, effect, grid, means, low, high)
    if is_category:
        return Curve(cause, effect, grid, means, low, high, tuple(own.names))
    first, second = own.codes
    return Curve(cause, effect, grid, (means - first) / (second - first), low, high, (own.names[1],))
