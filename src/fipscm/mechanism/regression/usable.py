"""Which rows tell about a node: where it was set from outside, it does not follow its causes.

Shapes: N rows, D variables. `intervened` (N, D) is true where a column was set; None stands for nowhere.
"""

import numpy as np

from fipscm.arrays import Array, Mask


def usable_rows(z: Array, node: int, intervened: Mask | None) -> Array:
    """The rows of z (N, D) in which a node was not set, with columns centred among them.

    Least squares without an intercept needs centred columns; z itself is centred, and comes back if nothing was set.
    """
    if intervened is None or not intervened[:, node].any():
        return z
    rows = z[~intervened[:, node]]
    return np.asarray(rows - rows.mean(axis=0))
