"""The first sheet of an Excel workbook. Its extent is found before a cell is read: one far cell makes a sheet huge."""

import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

import pandas as pd
from openpyxl.utils.cell import coordinate_to_tuple

from fipscm.tables.frames import unnamed_columns
from fipscm.tables.limits import require_cells, require_size

_BYTES_PER_CELL = 64  # as objects, some of them twice
_BYTES_PER_BYTE = 4  # what a byte of XML becomes


class Sheet(NamedTuple):
    """A sheet as it stands in a workbook; without a line of names `names` is empty."""

    frame: pd.DataFrame
    names: tuple[str, ...]
    remarks: list[str]


def is_excel(file: Path | BytesIO) -> bool:
    """Whether a zip archive is a workbook."""
    try:
        with zipfile.ZipFile(file) as parts:
            return "xl/workbook.xml" in parts.namelist()
    except zipfile.BadZipFile:
        return False


def read_excel(file: Path | BytesIO, header: bool, most_bytes: int) -> Sheet:
    """The first sheet, unless it takes more memory than it may."""
    with zipfile.ZipFile(file) as parts:
        require_size(_BYTES_PER_BYTE * sum(part.file_size for part in parts.infolist()), most_bytes)
    with pd.ExcelFile(file, engine="openpyxl") as book:
        name, *others = book.sheet_names
        _require_extent(file, book.book[name]._worksheet_path, most_bytes)
        remark = [f"the sheet '{name}' alone, the first of {len(others) + 1}"] if others else []
        if not header:
            frame = _cells(book, name, header=None)
            return Sheet(frame.set_axis(unnamed_columns(frame.shape[1]), axis=1), (), remark)
        first = pd.read_excel(book, sheet_name=name, header=None, nrows=1, dtype=str).fillna("")
        names = tuple(text.strip() for row in first.to_numpy() for text in row)
        return Sheet(_cells(book, name), names, remark)


def _cells(book: pd.ExcelFile, name: Any, **options: Any) -> pd.DataFrame:
    """The cells of a sheet as they are: pandas would make numbers of truth values as soon as one is missing."""
    cells: pd.DataFrame = pd.read_excel(book, sheet_name=name, dtype=object, **options)
    return cells.infer_objects()


def _require_extent(file: Path | BytesIO, part: str, most_bytes: int) -> None:
    """Raise if the cells of a sheet lie too far apart; a row or a cell without a place follows the one before it."""
    row = column = rows = columns = 0

    def begin(tag: str, facts: dict[str, str]) -> None:
        nonlocal row, column, rows, columns
        kind, place = tag.rpartition(":")[2], facts.get("r")
        if kind == "row":
            row, column = int(float(place)) if place else row + 1, 0
        elif kind == "c":
            row, column = coordinate_to_tuple(place) if place else (row, column + 1)
        else:
            return
        rows, columns = max(rows, row), max(columns, column)

    parser = expat.ParserCreate()
    parser.StartElementHandler = begin
    with zipfile.ZipFile(file) as parts, parts.open(part) as sheet:
        parser.ParseFile(sheet)
    require_cells(rows, columns, _BYTES_PER_CELL, most_bytes)
