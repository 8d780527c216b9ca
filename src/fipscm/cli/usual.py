"""What is compared where nothing is named: 1 and 0, or, where no row has such values, two that rows have."""

from collections.abc import Hashable
from math import floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fipscm.estimator import FiP

DRAWN = 2_000  # rows of which the quartiles are taken


def usual_values(model: "FiP", column: Hashable, above: float, below: float) -> tuple[float, float]:
    """Two values of a column, if within its rows; else its upper and its lower quartile, with two digits of both.

    Nobody wants to know what a year more does at the age of 0.
    """
    mechanism = model.mechanisms_.loc[column]
    if column in model.columns_.levels or mechanism["low"] <= below <= above <= mechanism["high"]:
        return above, below
    low, high = model.sample(DRAWN, random_state=0)[column].astype(float).quantile([0.25, 0.75])
    if low == high:
        return above, below
    digits = 1 - floor(log10(high - low))
    return round(high, digits), round(low, digits)
