"""Tables in files: CSV or Parquet by suffix, `-` for standard input and output, nothing ever half-written."""

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

import pandas as pd

from fipscm.errors import DataError

STREAM = "-"


def read_table(path: str) -> pd.DataFrame:
    """Read a table, or say in one sentence why that cannot be done."""
    if path != STREAM and not Path(path).is_file():
        raise DataError(f"There is no file '{path}': check the name and the folder.")
    try:
        if path.endswith(".parquet"):
            frame = pd.read_parquet(path)
        else:
            frame = pd.read_csv(sys.stdin if path == STREAM else path, index_col=False)
    except pd.errors.EmptyDataError:
        raise DataError(f"'{path}' is empty: it needs a line of column names and rows of numbers.") from None
    except (pd.errors.ParserError, pd.errors.ParserWarning, UnicodeDecodeError, OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise DataError(f"'{path}' cannot be read as a table ({reason}): save it as plain CSV or Parquet.") from None
    if frame.empty:
        raise DataError(f"'{path}' has column names but no rows: add at least one row of numbers.")
    return frame


def write_table(frame: pd.DataFrame, path: str) -> None:
    """Write a table; a file appears whole or not at all."""
    if path == STREAM:
        frame.to_csv(sys.stdout, index=False)
    elif path.endswith(".parquet"):
        write_whole(path, lambda file: frame.to_parquet(file, index=False))
    else:
        write_whole(path, lambda file: frame.to_csv(file, index=False))


def write_whole(path: str | Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a temporary file beside `path`, then move it into place in one step."""
    target = Path(path)
    try:
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            temporary = Path(file.name)
            try:
                write(file)
            except BaseException:
                temporary.unlink()
                raise
        temporary.chmod(0o644)
        temporary.replace(target)
    except OSError as error:
        raise DataError(
            f"Cannot write '{path}' ({error.strerror}): choose a folder that exists and is yours."
        ) from None
