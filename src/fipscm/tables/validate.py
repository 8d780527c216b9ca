"""What counts as a table to learn from: numeric, not constant, not mostly empty. Checked once, where a table enters."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fipscm.arrays import Array
from fipscm.errors import DataError, counted
from fipscm.tables.cells import written_numbers
from fipscm.tables.frames import to_pandas

FEWEST_ROWS = 20  # fewer say too little about any dependence
MOST_MISSING = 0.6  # of a column's cells; of more, most of what is said about the column would be made up
# Squares of numbers beyond these overflow or vanish in double precision.
LARGEST, SMALLEST_SPREAD = 1e100, 1e-100
# Numbers that people write for a missing value; suspicious only if they lie far from the column's other values.
MISSING_CODES = (-99, -999, -9999, -99999, 999, 9999, 99999)


def named_frame(data: Any) -> pd.DataFrame:
    """Return a pandas frame of anything tabular, whose columns can be told apart by name."""
    frame = to_pandas(data)
    for name in frame.columns:
        # Names go through JSON into model files, and True would stand for the same column as 1.
        if not isinstance(name, (str, int)) or isinstance(name, bool):
            raise DataError(
                f"A column is called {name!r}, which is neither text nor an integer: rename the columns first, for "
                "example to text."
            )
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise DataError(f"Two columns are called '{repeated[0]}': rename one, for columns are told apart by name.")
    return frame


def as_frame(data: Any) -> pd.DataFrame:
    """Return a fresh float64 frame of anything tabular, or say which column is not numeric.

    >>> as_frame(np.zeros((1, 2))).columns.tolist()
    ['x0', 'x1']
    """
    frame = named_frame(data).infer_objects()
    for name in frame.columns:
        _require_numeric(frame[name])
    return frame.astype(np.float64)


def one_row(rows: Any) -> Any:
    """Return a single row, given as a Series or a dictionary of numbers, as a frame; anything else as it is.

    >>> one_row({"dose": 1.0, "pain": 2.0}).shape
    (1, 2)
    """
    if isinstance(rows, pd.Series):
        return rows.to_frame().T.infer_objects()
    if isinstance(rows, Mapping) and all(pd.api.types.is_scalar(value) for value in rows.values()):
        return pd.DataFrame([dict(rows)])
    return rows


def require_finite(frame: pd.DataFrame, missing_cells: bool = False) -> None:
    """Raise a DataError for the first column with infinite values or, unless `missing_cells` may be, missing ones."""
    for name in frame.columns:
        values = frame[name].to_numpy()
        missing = np.flatnonzero(np.isnan(values))
        if len(missing) and not missing_cells:
            raise DataError(
                f"Column '{name}' holds {counted(len(missing), 'missing value')} (NaN, first at row {missing[0]}). "
                "Rows must be complete: remove these rows, or fill the gaps first."
            )
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            raise DataError(
                f"Column '{name}' holds {counted(len(infinite), 'infinite value')} (first at row {infinite[0]}). "
                "Values must be finite: remove these rows, or correct whatever computed them."
            )


def training_frame(data: Any, fewest_columns: int = 1, missing_cells: bool = False) -> pd.DataFrame:
    """Return a fresh float64 frame fit for learning, or one clear error; with `missing_cells` some may be NaN.

    >>> training_frame(np.ones((30, 2)))
    Traceback (most recent call last):
    ...
    fipscm.errors.DataError: Column 'x0' is constant (always 1): it carries no information, so drop it first.
    """
    frame = as_frame(data)
    require_finite(frame, missing_cells)
    if frame.shape[1] < fewest_columns:
        found = counted(frame.shape[1], "column")
        raise DataError(f"The table has {found}, but at least {fewest_columns} are needed: add variables.")
    if len(frame) < FEWEST_ROWS:
        raise DataError(
            f"The table has {counted(len(frame), 'row')}, but at least {FEWEST_ROWS} are needed: collect more rows."
        )
    for name in frame.columns:
        _require_informative(name, frame[name].dropna().to_numpy())
        _require_mostly_present(frame[name])
    _require_enough_cells(frame)
    _require_distinct(frame)
    return frame


def warn_of_missing_codes(frame: pd.DataFrame) -> None:
    """Warn where a column repeats a number such as -9999 that lies far from all its other values."""
    for name in frame.columns:
        values = frame[name].dropna().to_numpy()
        for code in MISSING_CODES:
            coded = values == code
            rest = values[~coded]
            if coded.sum() < 2 or len(rest) == 0:
                continue
            margin = max(float(np.ptp(rest)), 1.0)
            if not rest.min() - margin <= code <= rest.max() + margin:
                warnings.warn(
                    f"Column '{name}' is {code} in {coded.sum()} rows, far from all its other values: if that stands "
                    "for a missing value, leave these cells empty, for it is taken as a number here.",
                    UserWarning,
                    stacklevel=3,
                )


def _require_numeric(column: pd.Series) -> None:
    """Raise a DataError that shows the first cell that is not a number."""
    if pd.api.types.is_complex_dtype(column):
        raise DataError(f"Complex data not supported: column '{column.name}' has complex numbers, so pass real ones.")
    if pd.api.types.is_numeric_dtype(column) or column.isna().all():
        return
    numbers = pd.to_numeric(column, errors="coerce")
    bad = np.flatnonzero(numbers.isna() & column.notna())
    if len(bad) == 0:
        raise DataError(
            f"Column '{column.name}' is not numeric: its numbers are stored as {column.dtype}, so convert it first."
        )
    written = written_numbers(column.astype(object).where(column.notna(), ""))
    if written.sum() > len(bad) / 2 and numbers.isna().all():
        odd, example = np.flatnonzero(~written & column.notna().to_numpy()), column.iloc[int(written.argmax())]
        if len(odd):
            raise DataError(
                f"Column '{column.name}' holds numbers such as {example!r}, but not everywhere "
                f"({_cells(column, odd)}): correct or empty these cells, or leave the column out."
            )
        raise DataError(
            f"Column '{column.name}' holds numbers as text ({example!r}): convert it to numbers first, or give the "
            "file itself to the command line, which does."
        )
    good = np.flatnonzero(numbers.notna())
    if 0 < len(good) < len(bad):
        raise DataError(
            f"Column '{column.name}' is text with numbers in it ({_cells(column, good)}): correct or empty these "
            "cells, or leave the column out, or say that it is categorical."
        )
    raise DataError(
        f"Column '{column.name}' is not numeric ({_cells(column, bad)}): correct or empty these cells, or leave the "
        "column out, or encode it as numbers first."
    )


def _cells(column: pd.Series, rows: NDArray[np.intp], most: int = 3) -> str:
    """The first cells that are out of place, and how many there are."""
    if len(rows) == len(column):
        return f"row 0, counted from 0, holds {column.iloc[0]!r}; every cell like that"
    others = "".join(f", row {row} {column.iloc[row]!r}" for row in rows[1:most])
    first = f"row {rows[0]}, counted from 0, holds {column.iloc[rows[0]]!r}{others}"
    return f"{first}; {len(rows)} of {len(column)} cells like that"


def _require_informative(name: Any, values: Array) -> None:
    if len(values) == 0:
        raise DataError(f"Column '{name}' has no value at all: leave it out.")
    if np.ptp(values) == 0:
        raise DataError(
            f"Column '{name}' is constant (always {values[0]:g}): it carries no information, so drop it first."
        )
    largest = float(np.abs(values).max())
    if largest > LARGEST:
        raise DataError(
            f"Column '{name}' holds values as large as {largest:.0e}, which cannot be squared in double precision: "
            "use a larger unit for it, or its logarithm."
        )
    if np.ptp(values) < SMALLEST_SPREAD:
        raise DataError(
            f"The values of column '{name}' differ by {np.ptp(values):.0e} only, which cannot be squared in double "
            "precision: use a smaller unit for it."
        )


def _require_mostly_present(column: pd.Series) -> None:
    share = column.isna().mean()
    if share > MOST_MISSING:
        raise DataError(
            f"Column '{column.name}' has no value in {share:.0%} of the rows, but at most {MOST_MISSING:.0%} can be "
            "filled in: leave it out, or collect more of its values."
        )


def _require_enough_cells(frame: pd.DataFrame) -> None:
    """Refuse two columns that are hardly ever observed together."""
    observed = frame.notna().to_numpy().astype(np.int64)
    together = observed.T @ observed
    if together.min() < FEWEST_ROWS:
        first, second = divmod(int(together.argmin()), len(together))
        raise DataError(
            f"Only {together.min()} rows hold a value of both '{frame.columns[first]}' and '{frame.columns[second]}', "
            f"but at least {FEWEST_ROWS} are needed: leave one of these columns out, or collect more complete rows."
        )


def _require_distinct(frame: pd.DataFrame) -> None:
    seen: dict[bytes, Any] = {}
    for name in frame.columns:
        twin = seen.setdefault(frame[name].to_numpy().tobytes(), name)
        if twin is not name:
            raise DataError(
                f"Columns '{twin}' and '{name}' are identical: no data can tell which is the cause, so drop one."
            )
