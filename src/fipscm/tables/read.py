"""Tables from files as people have them; `-` is standard input. What is not the plain case is told in one line."""

import os
import re
import warnings
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from fipscm.errors import DataError, FileError, FipscmError
from fipscm.tables.cells import may_be_thousands, may_hold_numbers, understand
from fipscm.tables.dialect import are_numbers
from fipscm.tables.formats import Content, Parsed, parse_binary, unpacked
from fipscm.tables.gaps import is_text, told_gaps, with_gaps
from fipscm.tables.limits import read_at_most
from fipscm.tables.stream import STREAM, standard_input
from fipscm.tables.textfile import Reading, parse_text
from fipscm.tables.writing import Writing

ANYTHING = Reading()
_UNEVEN = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")  # so pandas says it
_UNNAMED = "Unnamed: "  # so pandas calls a column without a name


class ReadTable(NamedTuple):
    """A table, and how its file is written; one that is no text file counts as plain."""

    frame: pd.DataFrame
    writing: Writing


def read_table(path: str, row_names: bool = False, reading: Reading = ANYTHING) -> pd.DataFrame:
    """Read a table, or say in one sentence why that cannot be done; with `row_names` its first column is the index."""
    return read_with_writing(path, row_names, reading).frame


def read_with_writing(path: str, row_names: bool = False, reading: Reading = ANYTHING) -> ReadTable:
    """Read a table as `read_table` does, and see how its file is written."""
    if path == STREAM:
        return parse_table(standard_input(reading.most_bytes), "Standard input", row_names, reading)
    _require_readable(path)
    # A pipe can be read only once, and a file may be too large to be held twice.
    file = Path(path)
    return parse_table(file if file.is_file() else _piped(file, reading), f"'{path}'", row_names, reading)


def parse_table(content: Content, title: str, row_names: bool = False, reading: Reading = ANYTHING) -> ReadTable:
    """Parse a file, or the bytes of one; messages use the title."""
    parsed = _parse(content, title, reading)
    if parsed.frame.empty:
        raise DataError(f"{title} has column names but no rows: add at least one row of numbers.")
    _require_distinct(parsed.names or tuple(map(str, parsed.frame.columns)), title)
    frame, remarks, decimal = _with_numbers(parsed, reading.decimal, parsed.frame.columns[:1] if row_names else [])
    frame = _without_outer_blanks(frame)
    _require_distinct(tuple(map(str, frame.columns)), title)
    frame, stood = with_gaps(frame)
    remarks = remarks + told_gaps(stood)
    if row_names:
        frame = frame.set_index(frame.columns[0])
    else:
        frame, left_out = _without_row_numbers(frame)
        remarks += left_out
    _require_names(frame, title)
    if remarks:
        warnings.warn(f"{title} was read with {', '.join(remarks)}.", UserWarning, stacklevel=3)
    return ReadTable(frame, replace(parsed.likely, decimal=decimal or parsed.likely.decimal))


def _piped(file: Path, reading: Reading) -> bytes:
    try:
        with file.open("rb") as pipe:
            return read_at_most(pipe, reading.most_bytes)
    except OSError as error:
        raise FileError(f"Cannot read '{file}' ({error.strerror or error}): name a file or a pipe.") from None


def _require_readable(path: str) -> None:
    try:
        os.stat(path)
    except (OSError, ValueError):  # ValueError: a zero byte in the name
        raise FileError(f"There is no file {path!r}: check the name and the folder.") from None
    if Path(path).is_dir():
        raise FileError(f"'{path}' is a folder: name a CSV or Parquet file.")
    if not os.access(path, os.R_OK):
        raise FileError(f"Cannot read '{path}' (Permission denied): ask its owner, or use a copy that is yours.")


def _parse(content: Content, title: str, reading: Reading) -> Parsed:
    try:
        content = unpacked(content, reading.most_bytes)
        return parse_binary(content, reading.header, reading.most_bytes) or parse_text(content, reading)
    except pd.errors.EmptyDataError:
        raise DataError(f"{title} is empty: it needs a line of column names and rows of numbers.") from None
    except pd.errors.ParserWarning:
        raise DataError(
            f"{title} has rows longer than its line of column names: name every column, and write numbers with decimal "
            "commas in quotes, or with semicolons between them."
        ) from None
    except FipscmError:
        raise
    except MemoryError:
        raise DataError(f"{title} needs more memory than this machine has: save fewer rows or columns.") from None
    except Exception as error:  # whatever a parser of somebody else's format says about a damaged file
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        if found := _UNEVEN.search(reason):
            columns, line, cells = found.groups()
            raise DataError(
                f"{title} has {cells} cells in line {line}, but {columns} columns: mend that line, or put a cell that "
                "holds a separator in quotes."
            ) from None
        raise DataError(f"{title} cannot be read as a table ({reason}): save it as plain CSV or Parquet.") from None


def _with_numbers(
    parsed: Parsed, decimal: str | None, but: pd.Index | list[str]
) -> tuple[pd.DataFrame, list[str], str | None]:
    """The table with numbers where its text holds numbers, what is to be told about it, and its decimal mark."""
    frame = parsed.frame.drop(columns=but)
    written = [name for name in frame.columns if is_text(frame[name])]
    numbers = [column for _, column in frame.select_dtypes("float").items()]
    unsure = parsed.likely.decimal == "," and any(map(may_be_thousands, numbers))
    if not unsure and not any(may_hold_numbers(frame[name]) for name in written):
        has_fractions = any((column % 1 > 0).any() for column in numbers)
        return parsed.frame, parsed.remarks, decimal or ("." if has_fractions else None)
    # Now that there are marks, every column bears witness: 1.234 is 1234 beside decimal commas.
    texts = parsed.texts().drop(columns=but)
    understood = understand(texts[[name for name in texts if is_text(texts[name])]], parsed.likely.decimal, decimal)
    converted = parsed.frame.copy()
    for name, found in understood.columns.items():
        if name in written or not np.allclose(found.column, frame[name], equal_nan=True):
            converted[name] = found.column
    return converted, parsed.remarks + understood.remarks, understood.decimal


def _without_outer_blanks(frame: pd.DataFrame) -> pd.DataFrame:
    """Names and texts without blanks before and after them, names on one line."""
    texts = {name: frame[name].str.strip() for name in frame.columns if isinstance(frame[name].dtype, pd.StringDtype)}
    stripped = frame.copy(deep=False)
    for name, cells in texts.items():
        stripped[name] = cells
    return stripped.set_axis([_on_one_line(name, place) for place, name in enumerate(frame.columns)], axis=1)


def _on_one_line(name: Hashable, place: int) -> Hashable:
    """A name of several lines, as cells of Excel may have, can neither be typed nor read in a list."""
    if not isinstance(name, str):
        return name
    return " ".join(line.strip() for line in name.strip().splitlines()) or f"{_UNNAMED}{place}"


def _without_row_numbers(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Leave out what only looks like a column: an empty one after the last separator, and names of the rows."""
    empty = [name for name in frame.columns if _is_unnamed(name) and frame[name].isna().all()]
    frame = frame.drop(columns=empty)
    if len(frame.columns) and _is_unnamed(frame.columns[0]) and _tells_rows_apart(frame.iloc[:, 0]):
        return frame.iloc[:, 1:], ["its first column, which has no name, left out as numbers or names of the rows"]
    return frame, []


def _tells_rows_apart(column: pd.Series) -> bool:
    return bool(column.is_unique and (is_text(column) or pd.api.types.is_integer_dtype(column)))


def _is_unnamed(name: object) -> bool:
    return str(name).startswith(_UNNAMED)


def _require_distinct(names: tuple[str, ...], title: str) -> None:
    repeated = [name for name, times in Counter(names).items() if name and times > 1]
    if repeated:
        remedy = "if the first line is a row, use --no-header" if are_numbers(repeated[:1]) else "rename one"
        raise DataError(
            f"Two columns of {title} are called '{repeated[0]}': {remedy}, for columns are told apart by name."
        )


def _require_names(frame: pd.DataFrame, title: str) -> None:
    for number, name in enumerate(frame.columns, start=1):
        if _is_unnamed(name):
            raise DataError(
                f"{title} has a column without a name (number {number}): if it numbers the rows, save the table "
                "without row numbers; if it is a variable, name it."
            )
