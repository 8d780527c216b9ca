"""One weight per cell: zero for outliers that neither the other columns nor a tail explain. Shapes: N rows, D columns.

A regression of each column on all others, without the cells found so far, tells how far a cell lies from what its row
suggests. In a row with an outlier all columns look odd, so that only its farthest cell is taken at a time, after
"Detecting deviating data cells" (Rousseeuw and Van den Bossche 2018). Laplace noise has two cells in a thousand beyond
six robust standard deviations; a table with wrong entries has more of them, and farther ones. Tails are taken for
exponential, with the scale of those of their cells that are not far: legitimate extremes stay.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from fipscm.arrays import Array, Mask
from fipscm.graph import listed
from fipscm.robust import FARTHEST, robust_distance
from fipscm.usual import UNMISTAKABLE, beyond_others

_ROUNDS = 5  # as many cells of a row may be found
MOST_OUTLYING = 0.25  # of the rows: more are no outliers
_LEVEL = 0.05  # p-value of the number of far cells, and of the farthest, below which they are no tail
_OUTER = 0.9  # the share of the cells that lie before the tail
_LEAST_VARIATION = 0.2  # standard deviation over mean; below, a logarithm is as good as a line
_STEPS = 20  # towards the scale of a tail


def cell_weights(rows: Array, judged: Mask) -> Array:
    """(N, D) -> (N, D), zero for outliers of the columns that are `judged` (D,), one elsewhere.

    >>> table = np.random.default_rng(0).normal(size=(200, 1)) @ np.ones((1, 3))
    >>> table += 0.1 * np.random.default_rng(1).normal(size=table.shape)
    >>> table[7, 1] = 40.0
    >>> np.argwhere(cell_weights(table, np.ones(3, dtype=bool)) == 0).tolist()
    [[7, 1]]
    """
    # Where most cells are equal, the middle of a column says nothing about the others.
    judged = judged & (np.ptp(np.quantile(rows, [0.25, 0.75], axis=0), axis=0) > 0)
    plain = _without_long_tails(rows)
    scale = plain.std(axis=0)
    z = (plain - np.median(plain, axis=0)) / np.where(scale > 0, scale, 1.0)
    is_far, is_outlier, filled = robust_distance(z, z) > FARTHEST, np.zeros(rows.shape, dtype=bool), z.copy()
    for _ in range(_ROUNDS):
        complete: Mask = np.asarray(~is_outlier.any(axis=1))
        beyond = beyond_others(filled, complete) if rows.shape[1] > 1 else z
        distance = robust_distance(beyond, beyond[complete])
        # In a table with outliers what is odd is doubted more readily: most wrong entries lie within their column.
        odd = (distance > FARTHEST) & (is_far | (distance > UNMISTAKABLE) | is_outlier.any()) & judged & ~is_outlier
        explained = np.array([tail_explains(column) for column in distance.T])
        found = odd & ~explained & (distance == distance.max(axis=1, keepdims=True))
        if not found.any() or (is_outlier | found).any(axis=1).mean() > MOST_OUTLYING:
            break
        is_outlier |= found
        filled = np.where(is_outlier, z - beyond, filled)
    return np.where(is_outlier, 0.0, 1.0)


def _without_long_tails(rows: Array) -> Array:
    """(N, D), with logarithms of positive columns that vary much: amounts that multiply have long tails by nature."""
    varies = (rows.min(axis=0) > 0) & (rows.std(axis=0) >= _LEAST_VARIATION * np.abs(rows.mean(axis=0)))
    return np.where(varies, np.log(np.where(varies, rows, 1.0)), rows)


def tail_explains(size: Array) -> bool:
    """Whether the sizes (N,) beyond six robust standard deviations, in units of these, are an exponential tail.

    >>> laplace = np.abs(np.random.default_rng(0).laplace(size=1000))
    >>> tail_explains(laplace), tail_explains(np.append(laplace, [9.0, 9.5, 12.0, 15.0]))
    (True, False)
    """
    begin = float(np.quantile(size, _OUTER))
    tail, room = size[size > begin] - begin, FARTHEST - begin
    if room <= 0 or not (tail <= room).any():
        return True
    scale = _scale_of_tail(float(tail[tail <= room].mean()), room)
    expected, found = len(tail) * float(np.exp(-room / scale)), int((tail > room).sum())
    farthest = len(tail) * float(np.exp(-tail.max() / scale))
    return bool(stats.poisson.sf(found - 1, expected) > _LEVEL and farthest > _LEVEL)


@np.errstate(over="ignore")  # of a tail that ends long before, nothing is cut off
def _scale_of_tail(mean: float, room: float) -> float:
    """Of the exponential law whose values have this mean where they are cut off at `room`."""
    scale = mean
    for _ in range(_STEPS):
        scale = min(mean + room / float(np.expm1(room / scale)), room)
    return scale


def warn_of_outliers(rows: Array, weights: Array, names: Sequence[Any]) -> None:
    """Tell which cells of rows (N, D), the farthest one of each column, have no weight (N, D) in the fit."""
    told = []
    for column in np.flatnonzero((weights == 0).any(axis=0)):
        cells = rows[weights[:, column] == 0, column]
        farthest = cells[np.abs(cells - np.median(rows[:, column])).argmax()]
        told.append(f"{len(cells)} of '{names[column]}' ({'' if len(cells) == 1 else 'one is '}{farthest:.6g})")
    if told:
        warnings.warn(
            f"Outliers, too far from what the other rows lead to expect, were excluded from the fit: {listed(told)}. "
            "Correct them if they are wrong entries, and fit again.",
            UserWarning,
            stacklevel=2,
        )
