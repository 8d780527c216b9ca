"""What counts as a table to learn from: numeric, complete, informative. One check, for every entry point."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from fipscm.errors import DataError

FEWEST_ROWS = 20


def as_frame(data: Any) -> pd.DataFrame:
    """Return a fresh float64 frame of anything tabular, or say which column is not numeric.

    >>> as_frame(np.zeros((1, 2))).columns.tolist()
    ['x0', 'x1']
    """
    if isinstance(data, pd.DataFrame):
        frame = data
    elif hasattr(data, "__dataframe__"):
        frame = pd.api.interchange.from_dataframe(data)
    elif sparse.issparse(data):
        raise DataError("Sparse input is not supported: pass a dense table, for example data.toarray().")
    else:
        values = np.asarray(data)
        if values.ndim != 2:
            raise DataError(f"A table has rows and columns, but this array has shape {values.shape}: pass a 2-d array.")
        frame = pd.DataFrame(values, columns=[f"x{column}" for column in range(values.shape[1])])
    for name in frame.columns:
        # Names go through JSON into model files, and True would stand for the same column as 1.
        if not isinstance(name, (str, int)) or isinstance(name, bool):
            raise DataError(
                f"A column is called {name!r}, which is neither text nor an integer: rename the columns first, for "
                "example with df.columns = df.columns.map(str)."
            )
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise DataError(f"Two columns are called '{repeated[0]}': rename one, for columns are told apart by name.")
    frame = frame.infer_objects()
    for column in frame.columns:
        if pd.api.types.is_complex_dtype(frame[column]):
            raise DataError(f"Complex data not supported: column '{column}' has complex numbers, so pass real ones.")
        if not pd.api.types.is_numeric_dtype(frame[column]):
            example = next((value for value in frame[column] if not isinstance(value, (int, float))), None)
            raise DataError(
                f"Column '{column}' is not numeric (it holds {example!r}): drop it with "
                f"df.drop(columns=['{column}']), or encode it as numbers first."
            )
    return frame.astype(np.float64)


def require_finite(frame: pd.DataFrame) -> None:
    """Raise a DataError that counts the gaps of the first column that has some."""
    for column in frame.columns:
        values = frame[column].to_numpy()
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            raise DataError(
                f"Column '{column}' holds {len(missing)} missing values (NaN, first at row {missing[0]}). "
                "Rows must be complete: drop them with df.dropna(), or impute them first."
            )
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            raise DataError(
                f"Column '{column}' holds {len(infinite)} infinite values (first at row {infinite[0]}). "
                "Values must be finite: remove those rows, or mend the computation that made them."
            )


def training_frame(data: Any, fewest_columns: int = 1) -> pd.DataFrame:
    """Return a fresh float64 frame fit for learning, or one clear error.

    >>> training_frame(np.ones((30, 2)))
    Traceback (most recent call last):
    ...
    fipscm.errors.DataError: Column 'x0' is constant (always 1): it carries no information, so drop it first.
    """
    frame = as_frame(data)
    require_finite(frame)
    if frame.shape[1] < fewest_columns:
        found = "1 column" if frame.shape[1] == 1 else f"{frame.shape[1]} columns"
        raise DataError(f"The table has {found}, but at least {fewest_columns} are needed: add variables.")
    if len(frame) < FEWEST_ROWS:
        raise DataError(f"The table has {len(frame)} rows, but at least {FEWEST_ROWS} are needed: collect more rows.")
    values = frame.to_numpy()
    for column, name in enumerate(frame.columns):
        if np.ptp(values[:, column]) == 0:
            raise DataError(
                f"Column '{name}' is constant (always {values[0, column]:g}): "
                "it carries no information, so drop it first."
            )
    _require_distinct(frame)
    return frame


def _require_distinct(frame: pd.DataFrame) -> None:
    seen: dict[bytes, Any] = {}
    for name in frame.columns:
        twin = seen.setdefault(frame[name].to_numpy().tobytes(), name)
        if twin is not name:
            raise DataError(
                f"Columns '{twin}' and '{name}' are identical: neither can be told to cause the other, so drop one."
            )
