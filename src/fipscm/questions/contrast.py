"""Which two values of a column an effect compares where they are not named.

One rule for Python, the commands and the report: of two levels the second and the first, else the upper and the lower
quartile of the column. Nobody wants to know what a year more does at the age of 0.
"""

from collections.abc import Hashable
from math import floor, log10
from typing import NamedTuple

import numpy as np

from fipscm.errors import InterventionError
from fipscm.graph import listed
from fipscm.mechanism.learned import LearnedSCM
from fipscm.questions.column_levels import column_levels
from fipscm.tables.columns import Columns
from fipscm.tables.kinds import Level

# The first pair that differs is taken: three quarters of a count may be zero.
CONTRAST_QUANTILES = ((0.25, 0.75), (0.05, 0.95), (0.0, 1.0))


class ValueContrast(NamedTuple):
    """Two values of a column, as numbers that the model takes."""

    treated: float
    control: float


def compared_values(
    scm: LearnedSCM,
    columns: Columns,
    column: Hashable,
    treated: Level | None = None,
    control: Level | None = None,
) -> ValueContrast:
    """The two values to compare; one that is not given is the usual one."""
    above, below = (None if value is None else columns.number(column, value) for value in (treated, control))
    if above is not None and below is not None:
        return ValueContrast(above, below)
    usual = usual_contrast(scm, columns, column)
    return ValueContrast(usual.treated if above is None else above, usual.control if below is None else below)


def require_comparable(column: Hashable, columns: Columns) -> None:
    """Refuse to choose two of many levels: none of them is the usual one."""
    levels = columns.cells_of(column)
    if len(levels) > 2:
        raise InterventionError(
            f"'{column}' has the levels {listed(map(str, levels), most=20)}: "
            "say with treated and control which two to compare."
        )


def usual_contrast(scm: LearnedSCM, columns: Columns, column: Hashable) -> ValueContrast:
    """The second and the first of two levels, or else the upper and the lower quartile."""
    require_comparable(column, columns)
    levels = column_levels(scm, columns).get(column)
    if levels is not None and len(levels.codes) == 2:
        return ValueContrast(float(levels.codes[1]), float(levels.codes[0]))
    return quartile_contrast(scm, columns, column)


def quartile_contrast(scm: LearnedSCM, columns: Columns, column: Hashable) -> ValueContrast:
    """The upper and the lower quartile of a column that is no category, with two digits of their distance."""
    place = scm.names.index(column)
    outermost = float(scm.low[place]), float(scm.high[place])
    # Values that rows have: between two levels or two counts there is nothing, and rare draws lie beyond all rows.
    within = np.clip(scm.typical_rows[:, place], *outermost)
    quantiles = (np.quantile(within, pair, method="nearest").tolist() for pair in CONTRAST_QUANTILES)
    low, high = next(((low, high) for low, high in quantiles if low < high), outermost)
    if columns.kinds[column] != "continuous":
        return ValueContrast(high, low)
    digits = 1 - floor(log10(high - low))
    return ValueContrast(round(high, digits), round(low, digits))
