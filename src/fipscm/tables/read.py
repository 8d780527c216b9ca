"""Tables from files: CSV or Parquet by suffix, `-` for standard input."""

import os
import warnings
from io import BytesIO
from pathlib import Path

import pandas as pd

from fipscm.errors import DataError, FileError
from fipscm.tables.stream import STREAM, is_parquet, standard_input


def read_table(path: str, row_names: bool = False) -> pd.DataFrame:
    """Read a table, or say in one sentence why that cannot be done; with `row_names` its first column is the index."""
    if path == STREAM:
        return parse_table(standard_input(), "Standard input", row_names)
    _require_readable(path)
    return parse_table(path, f"'{path}'", row_names)


def parse_table(source: str | bytes, title: str, row_names: bool = False) -> pd.DataFrame:
    """Parse a file, or the bytes of one; error messages use the title."""
    try:
        frame = _parse(source)
    except pd.errors.EmptyDataError:
        raise DataError(f"{title} is empty: it needs a line of column names and rows of numbers.") from None
    except pd.errors.ParserWarning:
        raise DataError(f"{title} has rows longer than its line of column names: name every column.") from None
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise DataError(f"{title} cannot be read as a table ({reason}): save it as plain CSV or Parquet.") from None
    if frame.empty:
        raise DataError(f"{title} has column names but no rows: add at least one row of numbers.")
    if row_names:
        frame = frame.set_index(frame.columns[0])
    _require_names(frame, title)
    return frame


def _require_readable(path: str) -> None:
    if not Path(path).exists():
        raise FileError(f"There is no file '{path}': check the name and the folder.")
    if Path(path).is_dir():
        raise FileError(f"'{path}' is a folder: name a CSV or Parquet file.")
    if not os.access(path, os.R_OK):
        raise FileError(f"Cannot read '{path}' (Permission denied): ask its owner, or use a copy that is yours.")


def _parse(source: str | bytes) -> pd.DataFrame:
    parquet = is_parquet(source) if isinstance(source, bytes) else source.endswith(".parquet")
    file = BytesIO(source) if isinstance(source, bytes) else source
    if parquet:
        return pd.read_parquet(file)
    with warnings.catch_warnings():
        # pandas only warns of the values it drops.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        return pd.read_csv(file, index_col=False)


def _require_names(frame: pd.DataFrame, title: str) -> None:
    """Refuse what pandas calls 'Unnamed: 0': most often row numbers, which are no variable."""
    for number, name in enumerate(frame.columns, start=1):
        if str(name).startswith("Unnamed: "):
            raise DataError(
                f"{title} has a column without a name (number {number}): if it numbers the rows, save the table "
                "without row numbers; if it is a variable, name it."
            )
