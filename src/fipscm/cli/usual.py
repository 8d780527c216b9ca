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
    lowest, highest = (model.mechanisms_[end].to_dict()[column] for end in ("low", "high"))
    if column in model.columns_.levels or lowest <= below <= above <= highest:
        return above, below
    drawn = model.sample(DRAWN, random_state=0)[column].astype(float)
    low, high = float(drawn.quantile(0.25)), float(drawn.quantile(0.75))
    if low == high:
        return above, below
    digits = 1 - floor(log10(high - low))
    return round(high, digits), round(low, digits)
