"""Tables from files: CSV or Parquet by suffix, `-` for standard input."""

import sys
import warnings
from pathlib import Path

import pandas as pd

from fipscm.errors import DataError

STREAM = "-"


def read_table(path: str, row_names: bool = False) -> pd.DataFrame:
    """Read a table, or say in one sentence why that cannot be done; with `row_names` its first column is the index."""
    if path != STREAM and not Path(path).is_file():
        raise DataError(f"There is no file '{path}': check the name and the folder.")
    try:
        frame = _read(path)
    except pd.errors.EmptyDataError:
        raise DataError(f"'{path}' is empty: it needs a line of column names and rows of numbers.") from None
    except pd.errors.ParserWarning:
        raise DataError(f"'{path}' has rows longer than its line of column names: name every column.") from None
    except (pd.errors.ParserError, UnicodeDecodeError, OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise DataError(f"'{path}' cannot be read as a table ({reason}): save it as plain CSV or Parquet.") from None
    if frame.empty:
        raise DataError(f"'{path}' has column names but no rows: add at least one row of numbers.")
    if row_names:
        frame = frame.set_index(frame.columns[0])
    _require_names(frame, path)
    return frame


def _read(path: str) -> pd.DataFrame:
    if path.endswith(".parquet"):
        return pd.read_parquet(path)
    with warnings.catch_warnings():
        # pandas only warns of the values it drops.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        return pd.read_csv(sys.stdin if path == STREAM else path, index_col=False)


def _require_names(frame: pd.DataFrame, path: str) -> None:
    """Refuse what pandas calls 'Unnamed: 0': most often row numbers, which are nobody's cause."""
    for name in frame.columns:
        if str(name).startswith("Unnamed: "):
            raise DataError(
                f"'{path}' has a column without a name ('{name}'): if it numbers the rows, save the table with "
                "df.to_csv(..., index=False); if it is a variable, name it."
            )
