"""Earlier values of columns as columns of their own: what came before may cause what comes after, never the reverse."""

from collections.abc import Hashable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fipscm.errors import DataError
from fipscm.tables.columns import Columns
from fipscm.tables.panel import recognise_panel, time_order, units_of


def with_lags(
    frame: pd.DataFrame, time: Hashable | None = None, group: Hashable | None = None, lags: int = 1
) -> tuple[pd.DataFrame, list[list[Hashable]]]:
    """The rows in the order of time, with the values of earlier rows beside them, and the variables in tiers by time.

    A column `x` gets `x (lag 1)`, `x (lag 2)`, ...: its values in the earlier rows of the same unit. The first rows of
    each unit, which have none, are left out. What never changes within a unit gets no lags and comes before all.

    Args:
        frame: a table with a column that tells the time.
        time: that column; recognised unless given.
        group: the column that names the units which rows belong to; recognised unless given, "none" for none.
        lags: how many earlier rows are put beside each row, at least one.

    >>> table = pd.DataFrame({"year": range(2000, 2040), "sales": np.random.default_rng(0).normal(size=40)})
    >>> lagged, tiers = with_lags(table, lags=2)
    >>> len(lagged), tiers
    (38, [['sales (lag 2)'], ['sales (lag 1)'], ['sales']])
    """
    if lags < 1:
        raise DataError(f"There is no row {lags} steps earlier: ask for at least one lag.")
    panel = recognise_panel(frame, group, time)
    order, units = time_order(frame, panel), units_of(frame, panel)
    if order is None:
        raise DataError("Lags need a column that tells the time of the rows: name it with time=, or --time.")
    if frame.duplicated([*panel.times, *([] if panel.group is None else [panel.group])]).any():
        raise DataError(
            f"Two rows have the same time ('{panel.time}'), so that none comes before the other: name the column that "
            "tells the units of the rows apart with group=, or --group."
        )
    rows, unit = frame.iloc[order], np.zeros(len(frame), dtype=np.intp) if units is None else units[order]
    variables = Columns.of(frame, group=group, time=time).variables
    changing = [name for name in variables if name not in panel.times and _changes(rows[name], unit)]
    has_earlier = pd.Series(unit).groupby(unit).cumcount().to_numpy() >= lags
    if not has_earlier.any():
        raise DataError(f"No unit has more than {lags} rows, so that no row has {lags} before it: ask for fewer lags.")
    earlier = [_earlier(rows[changing], unit, steps)[has_earlier] for steps in range(lags, 0, -1)]
    lagged = pd.concat(
        [rows[has_earlier], *(part.astype(rows[changing].dtypes.set_axis(part.columns)) for part in earlier)], axis=1
    )
    repeated = lagged.columns[lagged.columns.duplicated()]
    if len(repeated):
        raise DataError(f"Two columns are called '{repeated[0]}', one of which is a lag: rename the other.")
    known = Columns.of(lagged, group=group, time=time).variables
    constant = [name for name in variables if name not in changing]
    tiers = [constant + list(earlier[0]), *map(list, earlier[1:]), changing]
    return lagged, [[name for name in tier if name in known] for tier in tiers]


def _changes(column: pd.Series, unit: NDArray[np.intp]) -> bool:
    """Whether a column has several values in a unit."""
    return bool(column.groupby(unit).nunique().max() > 1)


def _earlier(rows: pd.DataFrame, unit: NDArray[np.intp], steps: int) -> pd.DataFrame:
    """What stood so many rows before in the same unit."""
    shifted = rows.groupby(unit, sort=False).shift(steps)
    return shifted.set_axis([f"{name} (lag {steps})" for name in rows.columns], axis=1)
