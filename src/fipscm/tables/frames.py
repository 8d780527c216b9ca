"""Tables of any library go in as pandas frames; answers come out in the library of what went in."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import sparse

from fipscm.errors import DataError, FipscmError

_HALF = "{place} holds a text with half a character (a lone surrogate): read its file in the right encoding."
_LARGEST = 10**300  # whole numbers that double precision holds
try:
    TEXT = pd.StringDtype(na_value=np.nan)  # what pandas 3 makes of texts
except TypeError:
    TEXT = pd.StringDtype("pyarrow_numpy")  # type: ignore[call-overload] # as pandas 2.2 calls it


def to_pandas(data: Any) -> pd.DataFrame:
    """A pandas frame of anything tabular: frames of other libraries, columns by name, records, arrays.

    >>> to_pandas({"dose": [1, 2], "ward": ["A", "B"]}).columns.tolist()
    ['dose', 'ward']
    >>> to_pandas(np.zeros((1, 2))).columns.tolist()
    ['x0', 'x1']
    """
    named = with_names(data)
    if isinstance(named, pd.DataFrame):
        return named
    try:
        is_masked = isinstance(data, np.ma.MaskedArray)
        values = cast(Any, data.astype(float)).filled(np.nan) if is_masked else np.asarray(data)
    except (ValueError, TypeError):
        raise DataError("The rows of a table are equally long, but these are not: give every row the same.") from None
    if values.ndim != 2:
        raise DataError(f"A table has rows and columns, but this array has shape {values.shape}: pass a 2-d array.")
    try:
        return plain(pd.DataFrame(values, columns=unnamed_columns(values.shape[1])))
    except UnicodeEncodeError:
        raise DataError(_HALF.format(place="The table")) from None


def with_names(data: Any) -> Any:
    """The data as a pandas frame of plain columns if its columns have names, else as it is."""
    if isinstance(data, pd.DataFrame):
        return plain(data)
    if sparse.issparse(data):
        raise DataError("Sparse input is not supported: pass a dense table, for example data.toarray().")
    fields = getattr(getattr(data, "dtype", None), "names", None)
    try:
        if isinstance(data, Mapping):
            return plain(_from_columns(data))
        if hasattr(data, "to_pandas"):  # polars and Arrow
            return plain(data.to_pandas())
        if hasattr(data, "__dataframe__"):
            return plain(pd.api.interchange.from_dataframe(data))
        return plain(_from_columns({name: data[name] for name in fields})) if fields else data
    except FipscmError:
        raise
    except Exception as error:  # whatever another library says about columns that pandas does not have
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise DataError(f"This table cannot be read ({reason}): pass a pandas frame.") from None


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with columns of few types, whichever its own are: numbers, truth values, texts, categories, times.

    What a cell holds does not change: a column of texts is of one type in every version of pandas, one of nullable
    integers is one of floats if a cell is missing, one of truth values then of objects.

    >>> ages = pd.array([31, None], dtype="Int64")
    >>> plain(pd.DataFrame({"age": ages, "ill": [True, None]})).dtypes.astype(str).tolist()
    ['float64', 'object']
    """
    found = frame
    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        told = _plain(column)
        if told is not column:
            found = found.copy(deep=False) if found is frame else found
            found.isetitem(place, told.array)
    return found


def _plain(column: pd.Series) -> pd.Series:
    kind, found = column.dtype, column
    if isinstance(kind, pd.ArrowDtype):
        found = _plain(pa.array(column).to_pandas())
    elif isinstance(kind, pd.SparseDtype):
        found = pd.Series(np.asarray(column))
    elif isinstance(kind, pd.StringDtype):
        found = column if kind == TEXT else _as_texts(column)
    elif hasattr(kind, "numpy_dtype"):  # with a mask
        found = _without_mask(column, kind.numpy_dtype)
    elif kind == np.longdouble:
        found = column.astype(np.float64)
    elif isinstance(kind, np.dtype) and kind.kind in "OSUV":
        found = _from_objects(column.astype(object))
    return found


def _without_mask(column: pd.Series, kind: np.dtype[Any]) -> pd.Series:
    if not column.isna().any():
        return column.astype(kind)
    return column.astype(object).where(column.notna(), None) if kind.kind == "b" else column.astype(np.float64)


def _from_objects(column: pd.Series) -> pd.Series:
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred == "string":
        return _as_texts(column)
    if inferred == "decimal":
        return column.astype(np.float64)
    if any(isinstance(cell, int) and abs(cell) > _LARGEST for cell in column):
        raise DataError(f"Column '{column.name}' holds a whole number of more than 300 digits: use a larger unit.")
    return column.where(column.notna(), None) if any(cell is pd.NA for cell in column) else column


def _as_texts(column: pd.Series) -> pd.Series:
    try:
        return column.astype(object).where(column.notna(), np.nan).astype(TEXT)
    except UnicodeEncodeError:
        raise DataError(_HALF.format(place=f"Column '{column.name}'")) from None


def library_of(data: Any) -> str:
    """The library in which answers about this table are expected."""
    return "polars" if type(data).__module__.partition(".")[0] == "polars" else "pandas"


def in_library(library: str, frame: pd.DataFrame) -> pd.DataFrame:
    """The frame as one of that library, whatever its declared type; polars has no row labels."""
    if library == "pandas":
        return frame
    import polars

    found, plain = polars.from_pandas(frame), frame.dtypes.items()
    # polars has categories with an order too, but takes those of pandas without it.
    ordered = {name: kind.categories for name, kind in plain if isinstance(kind, pd.CategoricalDtype) and kind.ordered}
    levels = {name: list(names) for name, names in ordered.items() if all(isinstance(each, str) for each in names)}
    casts = [polars.col(str(name)).cast(polars.Enum(names)) for name, names in levels.items()]
    return cast(pd.DataFrame, found.with_columns(casts))


def unnamed_columns(count: int) -> list[str]:
    """Names for columns that have none."""
    return [f"x{column}" for column in range(count)]


def _from_columns(columns: Mapping[Hashable, Sequence[Any]]) -> pd.DataFrame:
    try:
        return pd.DataFrame(dict(columns))
    except UnicodeEncodeError:
        raise
    except ValueError:
        raise DataError("The columns of a table are equally long lists or arrays, but these are not.") from None
