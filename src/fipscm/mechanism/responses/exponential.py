"""Means that are exponentials of the location: along their tangents beyond the rows, and positive. Shapes: N rows."""

import numpy as np

from fipscm.arrays import Array


def steepness(location: Array, highest: float) -> Array:
    """(N,) slopes of the exponential, which is a line beyond the `highest` location of the rows.

    Causes may be in their ranges and yet lead farther, where they come together as they never did.
    """
    return np.asarray(np.exp(np.minimum(location, highest)))


def raised(location: Array, rise: Array, highest: float) -> Array:
    """(N,) where the exponential is higher by `rise` (N,); one that falls does so as an exponential, to stay positive.

    >>> raised(np.array([0.0, 0.0, 2.0]), np.array([0.5, -0.5, 0.0]), 1.0).round(3).tolist()
    [0.405, -0.5, 1.693]
    """
    within = np.minimum(location, highest)
    factor = location - within + rise / np.exp(within)
    return np.asarray(within + np.where(factor > 0, np.log1p(np.maximum(factor, 0.0)), factor))
