"""Which rows tell about a node: not those in which it was set from outside, nor those with a wild value.

Shapes: N rows, D variables. `unusable` (N, D) is true where a row says nothing about a column; None stands for nowhere.
"""

import numpy as np

from fipscm.arrays import Array, Mask


def uncentred_rows(z: Array, node: int, unusable: Mask | None) -> Array:
    """The rows of z (N, D), the first ones of the table, that tell about a node."""
    if unusable is None or not unusable[: len(z), node].any():
        return z
    return np.asarray(z[~unusable[: len(z), node]])


def usable_rows(z: Array, node: int, unusable: Mask | None) -> Array:
    """The rows of z (N, D) that tell about a node, with columns centred among them.

    Least squares without an intercept needs centred columns; z itself is centred, and comes back if all rows tell.
    """
    rows = uncentred_rows(z, node, unusable)
    return rows if rows is z else np.asarray(rows - rows.mean(axis=0))


def count_usable(z: Array, unusable: Mask | None) -> Array:
    """(D,), how many rows of z (N, D) tell about each column."""
    return np.full(z.shape[1], len(z)) if unusable is None else np.asarray((~unusable[: len(z)]).sum(axis=0))


def unusable_rows(intervened: Mask, wild: Mask, *causes: Mask) -> Mask:
    """(N, D), where a row says nothing about a column: it was set there, or it or one of its causes (D, D) is wild.

    Of several sets of causes the first counts that leaves at least half of the rows. Where none does, the wild values
    of causes are borne.
    """
    if not wild.any():
        return intervened
    own = intervened | wild
    unusable = own
    for mask in reversed(causes):
        either = own | (wild @ mask.T)
        unusable = np.where(either.mean(axis=0) <= 0.5, either, unusable)
    return np.asarray(unusable)


def told_by(unusable: Mask, causes: Mask) -> Mask:
    """(N, D), cells of which the column's own mechanism, or that of an effect, makes use."""
    return np.asarray(~unusable | (~unusable @ causes))


def tame_location(rows: Array, wild: Mask) -> tuple[Array, Array]:
    """(D,) means and (D,) standard deviations of the cells that are not wild."""
    if not wild.any():
        return rows.mean(axis=0), rows.std(axis=0)
    tame = np.where(wild, np.nan, rows)
    return np.nanmean(tame, axis=0), np.nanstd(tame, axis=0)
