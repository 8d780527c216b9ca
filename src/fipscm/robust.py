"""Location and scale that a few wild cells cannot move. Shapes: N rows, D variables."""

import numpy as np
from scipy import stats

from fipscm.arrays import Array, Mask

FARTHEST = 6.0  # robust standard deviations; beyond lie one in a billion normal values
_OUTER = 0.05  # of the cells, on either side: as many may be outliers, and a longer tail is the column's own


def robust_location(table: Array) -> tuple[Array, Array]:
    """(D,) medians and (D,) deviations that a few cells cannot move; NaN cells are left out.

    Where most cells are equal, quartiles say nothing about the others: then no cell of the column counts as wild.
    """
    low, centre, high = _quantiles(table, [0.25, 0.5, 0.75])
    spread = (high - low) / 1.349
    return centre, np.where(spread > 0, spread, np.nanmax(np.abs(table - centre), axis=0))


def wild_cells(table: Array) -> Mask:
    """(N, D), true for cells beyond six robust standard deviations, those of the longer tail to its side.

    >>> wild_cells(np.arange(40.0)[:, None] ** np.where(np.arange(40) < 39, 1, 2)[:, None])[-2:, 0].tolist()
    [False, True]
    """
    return np.asarray(robust_distance(table, table) > FARTHEST)


def robust_distance(table: Array, among: Array) -> Array:
    """(N, D), how many robust standard deviations of cells (M, D) each cell lies from their medians.

    Money has a long tail to one side: by the deviation of its middle half, the top earners would be outliers. So the
    longer tail has a deviation of its own.
    """
    centre, scale = robust_location(among)
    low, high = _quantiles(among, [_OUTER, 1 - _OUTER])
    below, above = (
        np.maximum(scale, (end - centre) / stats.norm.ppf(side)) for end, side in ((low, _OUTER), (high, 1 - _OUTER))
    )
    away = table - centre
    # A constant column has no deviation, and none of its cells is away.
    return np.asarray(np.abs(away) / np.maximum(np.where(away < 0, below, above), np.finfo(np.float64).tiny))


def _quantiles(table: Array, levels: list[float]) -> Array:
    """(L, D) of the cells that are not NaN; quantiles of whole tables take a fifth of the time."""
    find = np.nanquantile if np.isnan(table).any() else np.quantile
    return np.asarray(find(table, levels, axis=0))


def tame_rows(table: Array, judged: Mask | None = None) -> Mask:
    """(N,), the rows without a wild cell; all of them where these are less than half, or leave a column constant.

    With `judged` (D,) cells of other columns are not called wild.
    """
    wild = wild_cells(table)
    tame = ~(wild if judged is None else wild & judged).any(axis=1)
    if tame.mean() < 0.5 or not all_vary(table[tame]):
        return np.ones_like(tame)
    return np.asarray(tame)


def all_vary(table: Array) -> bool:
    """Tell whether every column has two different values, whatever cells are NaN.

    >>> all_vary(np.array([[1.0, 0.0], [2.0, np.nan], [np.nan, 0.0]]))
    False
    """
    return bool((np.fmax.reduce(table, axis=0) > np.fmin.reduce(table, axis=0)).all())
