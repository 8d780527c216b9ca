"""How exactly a column was written down, and whether values equal what was computed. Shapes: N rows."""

import numpy as np

from fipscm.arrays import Array

SINGLE = 1e-6  # relative error of numbers that were once stored in single precision
MOST_DECIMALS = 6
# Steps of rounding in a standard deviation; with fewer, measurements that merely go together agree up to rounding too.
FEWEST_STEPS = 30
HALF = 0.6  # of a step: rounding takes up to a half, and what a slope was estimated from was rounded too


def decimals(values: Array) -> int:
    """How many decimals values (N,) have; one more than can be told if they were not rounded.

    >>> decimals(np.array([1.5, 2.25])), decimals(np.array([3.0, 200.0])), decimals(np.sqrt([2.0, 3.0]))
    (2, 0, 7)
    """
    largest = np.abs(values).max()
    for places in range(MOST_DECIMALS + 1):
        scaled = values * 10.0**places
        if largest * 10.0**places * SINGLE > 1:  # the next decimal is beyond single precision
            break
        if (np.abs(scaled - np.round(scaled)) <= SINGLE * np.abs(scaled)).all():
            return places
    return MOST_DECIMALS + 1


def tolerance(values: Array, places: int) -> float:
    """By how much values (N,) with so many decimals may differ from what they were computed from."""
    exact = SINGLE * float(np.abs(values).max())
    step = 10.0**-places
    return max(exact, HALF * step) if FEWEST_STEPS * step <= values.std() else exact
