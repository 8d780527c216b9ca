"""Tables of any library go in as pandas frames; answers come out in the library of what went in."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
from scipy import sparse

from fipscm.errors import DataError


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
    values = np.asarray(data)
    if values.ndim != 2:
        raise DataError(f"A table has rows and columns, but this array has shape {values.shape}: pass a 2-d array.")
    return pd.DataFrame(values, columns=unnamed_columns(values.shape[1]))


def with_names(data: Any) -> Any:
    """The data as a pandas frame if its columns have names, else as it is."""
    if isinstance(data, pd.DataFrame):
        return data
    if sparse.issparse(data):
        raise DataError("Sparse input is not supported: pass a dense table, for example data.toarray().")
    if isinstance(data, Mapping):
        return _from_columns(data)
    if hasattr(data, "to_pandas"):  # polars and Arrow
        return data.to_pandas()
    if hasattr(data, "__dataframe__"):
        return pd.api.interchange.from_dataframe(data)
    fields = getattr(getattr(data, "dtype", None), "names", None)
    if fields:
        return _from_columns({name: data[name] for name in fields})
    return data


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
    except ValueError:
        raise DataError("The columns of a table are equally long lists or arrays, but these are not.") from None
