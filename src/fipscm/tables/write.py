"""Files are written whole or not at all; tables as CSV, Excel or Parquet by suffix, `-` for standard output."""

import errno
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from io import StringIO
from pathlib import Path
from secrets import token_hex
from shutil import copymode
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, cast

import pandas as pd
import pyarrow as pa

from fipscm.errors import FileError
from fipscm.tables.formula_cells import quoted, with_texts
from fipscm.tables.stream import STREAM
from fipscm.tables.writing import PLAIN, Writing

try:
    import fcntl
except ImportError:  # Windows has other locks
    fcntl = None  # type: ignore[assignment]

_UNFINISHED = ".unfinished"
_GRACE = 10  # seconds
LONGEST_EXCEL_TEXT = 32_767
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
SUFFIXES = (".csv", ".xlsx", ".parquet")


def write_table(frame: pd.DataFrame, path: str, writing: Writing = PLAIN) -> None:
    """Write a table, CSV in the given way; a file appears whole or not at all.

    Standard output keeps the encoding of the terminal.
    """
    require_writable_table(path)
    if path == STREAM:
        _write_csv(frame, sys.stdout, writing)
    elif path.endswith(".parquet"):
        write_whole(path, lambda file: _of_one_kind(frame).to_parquet(file, index=False))
    elif path.endswith(".xlsx"):
        write_whole(path, lambda file: _write_excel(frame, path, file))
    else:
        write_whole(path, lambda file: _write_csv(frame, file, writing, encoding=writing.encoding))


def csv_text(frame: pd.DataFrame, writing: Writing = PLAIN) -> str:
    """A table as CSV; a text that a spreadsheet would run as a formula stands behind a quote."""
    text = StringIO()
    _write_csv(frame, text, writing)
    return text.getvalue()


def _write_csv(frame: pd.DataFrame, file: IO[Any], writing: Writing, **options: Any) -> None:
    told = with_texts(frame, quoted)
    told.to_csv(file, index=False, sep=writing.separator, decimal=writing.decimal, **options)


def _write_excel(frame: pd.DataFrame, path: str, file: IO[bytes]) -> None:
    try:
        clean = with_texts(frame, _without_control_characters)
        with pd.ExcelWriter(cast(BinaryIO, file), engine="openpyxl") as book:
            clean.to_excel(book, index=False)
            # What begins with = is a formula to openpyxl, but a text here.
            for row in next(iter(book.sheets.values())).iter_rows():
                for cell in row:
                    if isinstance(cell.value, str):
                        cell.data_type = "s"
    except ValueError as error:  # too many rows, or times in a time zone
        raise FileError(f"Cannot write '{path}' for Excel ({error}): choose a .csv or .parquet file.") from None


def _without_control_characters(text: str) -> str:
    """A text that Excel can hold: no control characters but tabs and ends of lines, and not too long."""
    if len(text) > LONGEST_EXCEL_TEXT:
        raise ValueError(f"a text has {len(text):,} characters, of which Excel holds {LONGEST_EXCEL_TEXT:,}")
    return _CONTROL.sub("", text)


def _of_one_kind(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with columns that mix numbers and texts as texts: a column of Parquet has one kind."""
    told = {}
    for name in [name for name in frame.columns if frame[name].dtype == object]:
        cells = frame[name]
        try:
            pa.array(cells, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            told[name] = cells.astype(str).where(cells.notna(), None)
    return frame.assign(**told) if told else frame


def write_whole(path: str | Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let `write` fill a temporary file beside the target, then move it into place in one step, once it is on the disk.

    A link is followed, and a file that exists keeps its permissions. A device or a pipe cannot be replaced, so it is
    written to directly. What a process left behind that was killed while it wrote this file is removed.
    """
    with _write_errors(path):
        if _is_special(path):
            with Path(path).open("wb") as file:
                write(file)
            return
        target = _followed(path)
        temporary = target.with_name(f".{target.name}.{token_hex(4)}{_UNFINISHED}")
        try:
            with temporary.open("xb") as file:
                _lock(file)
                if target.exists():
                    copymode(target, temporary)
                write(file)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        _remove_unfinished(target)


def _lock(file: IO[bytes]) -> bool:
    """Whether this process holds the file alone; the lock ends with the process, however it ends."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # somebody is writing it, or the file system has no locks
        return False
    return True


def _remove_unfinished(target: Path) -> None:
    """Remove temporary files of this target that nobody is writing any more."""
    for unfinished in target.parent.glob(f".{escape(target.name)}.????????{_UNFINISHED}"):
        with suppress(OSError), unfinished.open("rb") as file:
            # A file is locked just after it is opened, not at the same moment.
            if time.time() - unfinished.stat().st_mtime > _GRACE and _lock(file):
                unfinished.unlink()


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
