"""Waves along one cause each. Shapes: P causes, M waves."""

import numpy as np

from fipscm.arrays import Array


def along_axes(frequencies: Array) -> Array:
    """(P, M) -> (P, M), the frequencies of waves of which each varies with one cause alone; a pair keeps to its cause.

    The waves of a cause stand side by side: neighbours in an evenly spread sequence are evenly spread themselves.

    >>> along_axes(np.ones((2, 4))).tolist()
    [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]
    """
    causes, count = frequencies.shape
    own = np.arange(count) // 2 * causes // max(1, count // 2)
    return np.where(np.arange(causes)[:, None] == own, frequencies, 0.0)
