"""Products of two causes, squares among them. Shapes: N rows, P causes, Q products."""

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Array

Pairs = NDArray[np.intp]


def pairs_of(causes: int) -> Pairs:
    """(Q, 2), all pairs of so many causes, each with itself among them.

    >>> pairs_of(2).tolist()
    [[0, 0], [0, 1], [1, 1]]
    """
    return np.column_stack(np.triu_indices(causes))


def products(z: Array, pairs: Pairs) -> Array:
    """(N, P), (Q, 2) -> (N, Q)."""
    return np.asarray(z[:, pairs[:, 0]] * z[:, pairs[:, 1]])
