"""Files are written whole or not at all; tables as CSV, Excel or Parquet by suffix, `-` for standard output."""

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from secrets import token_hex
from shutil import copymode
from tempfile import TemporaryFile
from typing import IO

import pandas as pd

from fipscm.errors import FileError
from fipscm.tables.stream import STREAM
from fipscm.tables.writing import PLAIN, Writing

SUFFIXES = (".csv", ".xlsx", ".parquet")


def write_table(frame: pd.DataFrame, path: str, writing: Writing = PLAIN) -> None:
    """Write a table, CSV in the given way; a file appears whole or not at all.

    Standard output keeps the encoding of the terminal.
    """
    require_writable_table(path)
    separator, decimal, encoding = astuple(writing)
    if path == STREAM:
        frame.to_csv(sys.stdout, index=False, sep=separator, decimal=decimal)
    elif path.endswith(".parquet"):
        write_whole(path, lambda file: frame.to_parquet(file, index=False))
    elif path.endswith(".xlsx"):
        write_whole(path, lambda file: _write_excel(frame, path, file))
    else:
        write_whole(
            path, lambda file: frame.to_csv(file, index=False, sep=separator, decimal=decimal, encoding=encoding)
        )


def _write_excel(frame: pd.DataFrame, path: str, file: IO[bytes]) -> None:
    try:
        frame.to_excel(file, index=False, engine="openpyxl")
    except ValueError as error:  # too many rows, or times in a time zone
        raise FileError(f"Cannot write '{path}' for Excel ({error}): choose a .csv or .parquet file.") from None


def write_whole(path: str | Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a temporary file beside the target, then move it into place in one step.

    A link is followed, and a file that exists keeps its permissions. A device or a pipe cannot be replaced, so it is
    written to directly.
    """
    with _write_errors(path):
        if _is_special(path):
            with Path(path).open("wb") as file:
                write(file)
            return
        target = _followed(path)
        temporary = target.with_name(f".{target.name}.{token_hex(4)}")
        try:
            with temporary.open("xb") as file:
                if target.exists():
                    copymode(target, temporary)
                write(file)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def require_writable(path: str | Path) -> None:
    """Raise now the error that writing there would raise later, after long work."""
    with _write_errors(path):
        if Path(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not _is_special(path):
            TemporaryFile(dir=_followed(path).parent).close()


def require_writable_table(path: str) -> None:
    """Raise now the error that `write_table` would raise later, after long work."""
    if path == STREAM:
        return
    if not _is_special(path) and not path.endswith(SUFFIXES):
        raise FileError(
            f"Cannot write a table as '{path}': its name must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}."
        )
    require_writable(path)


def make_folder(folder: Path) -> None:
    """Make a folder to write into, and those above it, unless they are there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except OSError as error:
        raise FileError(f"Cannot write into the folder '{folder}' ({error.strerror}): choose another one.") from None


def _is_special(path: str | Path) -> bool:
    return Path(path).exists() and not Path(path).is_file()


def _followed(path: str | Path) -> Path:
    return Path(os.path.realpath(path))


@contextmanager
def _write_errors(path: str | Path) -> Iterator[None]:
    try:
        yield
    except UnicodeEncodeError as error:
        raise FileError(
            f"Cannot write '{path}': the encoding of the rows has no '{error.object[error.start]}'. Save the rows as "
            "UTF-8 first, or write Parquet."
        ) from None
    except OSError as error:
        raise FileError(
            f"Cannot write '{path}' ({error.strerror or error}): choose a file in a folder that exists and is yours."
        ) from None
