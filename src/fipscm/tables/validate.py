"""What counts as a table to learn from: numeric, not constant, not mostly empty. Checked once, where a table enters."""

import warnings
from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fipscm.arrays import Array, Mask
from fipscm.errors import DataError, counted
from fipscm.tables.cells import written_numbers
from fipscm.tables.frames import to_pandas

FEWEST_ROWS = 20  # fewer say too little about any dependence
MOST_MISSING = 0.6  # of a column's cells; of more, most of what is said about the column would be made up
# Squares of numbers beyond these overflow or vanish in double precision.
_LARGEST, SMALLEST_SPREAD = 1e100, 1e-100
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
        if isinstance(name, str) and any("\ud800" <= letter <= "\udfff" for letter in name):
            raise DataError(f"The name {name!r} has half a character in it (a lone surrogate): rename that column.")
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
        if reason := not_numbers(frame[name]):
            raise DataError(f"Column '{name}' {reason}: correct or empty these cells, or leave the column out.")
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
    fipscm.errors.DataError: Column 'x0' is constant (always 1): leave it out.
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
    for name, reason in unlearnable(frame).items():
        raise DataError(f"Column '{name}' {reason}: leave it out.")
    return frame


def unlearnable(frame: pd.DataFrame, named: Collection[Hashable] = ()) -> dict[Hashable, str]:
    """Why columns of numbers cannot be learned from, as the end of a sentence that begins with their name.

    Of two columns that do not go together, one that is not `named` goes, else the one with fewer values.
    """
    alone: dict[Hashable, str]
    alone = {name: reason for name in frame.columns if (reason := _unlearnable_alone(frame[name].to_numpy()))}
    rest = frame.drop(columns=list(alone))
    twins = _twins(rest, named)
    return {**alone, **twins, **_apart(rest.drop(columns=list(twins)), named)}


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


def not_numbers(column: pd.Series) -> str | None:
    """Why a column does not hold numbers alone, with the first cells that are none; None if it does."""
    if pd.api.types.is_complex_dtype(column):
        return "holds complex numbers (Complex data not supported)"
    if pd.api.types.is_numeric_dtype(column) or column.isna().all():
        return None
    numbers = pd.to_numeric(column, errors="coerce")
    bad = np.flatnonzero(numbers.isna() & column.notna())
    if len(bad) == 0:
        return f"is not numeric: its numbers are stored as {column.dtype}"
    return _mixture(column, numbers.notna().to_numpy(), bad)


def _mixture(column: pd.Series, are_numbers: Mask, bad: NDArray[np.intp]) -> str:
    """What a column of text holds, of which some rows (N,) are numbers, and others are not."""
    written = written_numbers(column.astype(object).where(column.notna(), ""))
    if written.sum() > len(bad) / 2 and not are_numbers.any():
        odd, example = np.flatnonzero(~written & column.notna().to_numpy()), column.iloc[int(written.argmax())]
        if len(odd):
            return f"holds numbers such as {example!r}, but not everywhere ({_cells(column, odd)})"
        return f"holds numbers as text ({example!r}), which are converted in files alone"
    good = np.flatnonzero(are_numbers)
    if 0 < len(good) < len(bad):
        return f"is text with numbers in it ({_cells(column, good)})"
    return f"is not numeric ({_cells(column, bad)})"


def _cells(column: pd.Series, rows: NDArray[np.intp], most: int = 3) -> str:
    """The first cells that are out of place, and how many there are."""
    if len(rows) == len(column):
        return f"row 0, counted from 0, holds {column.iloc[0]!r}; every cell like that"
    others = "".join(f", row {row} {column.iloc[row]!r}" for row in rows[1:most])
    first = f"row {rows[0]}, counted from 0, holds {column.iloc[rows[0]]!r}{others}"
    return f"{first}; {len(rows)} of {len(column)} cells like that"


def _unlearnable_alone(cells: Array) -> str | None:
    """Why a column (N,), NaN where a cell is missing, cannot be learned from; None if it can."""
    missing = np.isnan(cells)
    values = cells[~missing]
    if len(values) == 0:
        return "has no value at all"
    if infinite := int(np.isinf(values).sum()):
        return f"holds {counted(infinite, 'infinite value')} (first at row {int(np.isinf(cells).argmax())})"
    if np.ptp(values) == 0:
        return f"is constant (always {values[0]:g})"
    if missing.mean() > MOST_MISSING:
        return f"has no value in {missing.mean():.0%} of the rows"
    return _out_of_size(values)


def _out_of_size(values: Array) -> str | None:
    """Why numbers cannot be squared in double precision; None if they can."""
    if (largest := float(np.abs(values).max())) > _LARGEST:
        return f"holds values as large as {largest:.0e}, which cannot be squared (use a larger unit)"
    if np.ptp(values) < SMALLEST_SPREAD:
        return f"varies by {np.ptp(values):.0e} only, which cannot be squared (use a smaller unit)"
    return None


def _twins(frame: pd.DataFrame, named: Collection[Hashable]) -> dict[Hashable, str]:
    """Columns that are identical to another one: no data can tell which is the cause."""
    kept: dict[bytes, Hashable] = {}
    twins: dict[Hashable, str] = {}
    for name in sorted(frame.columns, key=lambda name: name not in named):
        twin = kept.setdefault(frame[name].to_numpy().tobytes(), name)
        if twin is not name:
            twins[name] = f"is identical to '{twin}'"
    return twins


def _apart(frame: pd.DataFrame, named: Collection[Hashable]) -> dict[Hashable, str]:
    """Columns that are hardly ever observed, or hardly ever together with another one."""
    reasons: dict[Hashable, str] = {}
    holed = [name for name in frame.columns if frame[name].isna().any()]
    fewest, values_of = min(FEWEST_ROWS, len(frame)), frame.notna().sum()
    while holed:
        observed = frame[holed].notna().to_numpy().astype(np.float64)
        together = observed.T @ observed
        if together.min() >= fewest:
            break
        pair = [holed[place] for place in divmod(int(together.argmin()), len(together))]
        worse, other = sorted(pair, key=lambda name: (name in named, values_of[name]))
        alone = f"has only {counted(int(together.min()), 'value')}"
        reasons[worse] = alone if worse is other else f"{alone} in rows in which '{other}' has one"
        holed.remove(worse)
    return reasons
