"""Which rows tell about a column. Shapes: N rows, D variables.

`unusable` (N, D) is true where a row says nothing about a column; None stands for nowhere.
"""

import numpy as np

from fipscm.arrays import Array, Mask


def usable_rows(z: Array, node: int, unusable: Mask | None) -> Array:
    """The rows of z (N, D) that tell about a node, with columns centred among them.

    Least squares without an intercept needs centred columns; z itself is centred, and comes back if all rows tell.
    """
    if unusable is None or not unusable[: len(z), node].any():
        return z
    rows = z[~unusable[: len(z), node]]
    return np.asarray(rows - rows.mean(axis=0))


def count_usable(z: Array, unusable: Mask | None) -> Array:
    """(D,), how many rows of z (N, D) tell about each column."""
    return np.full(z.shape[1], len(z)) if unusable is None else np.asarray((~unusable[: len(z)]).sum(axis=0))
