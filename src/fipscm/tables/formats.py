"""Formats of files, told by their first bytes and not by their names: compressed, columnar, Excel, or else text."""

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from fipscm.errors import DataError
from fipscm.tables.frames import unnamed_columns
from fipscm.tables.writing import PLAIN, Writing

Content = Path | bytes  # a file on disk, which need not fit into memory as bytes, or what came through a pipe


class Parsed(NamedTuple):
    """A table as it stands in a file.

    Attributes:
        frame: the table; a column that is not made of plain numbers is text.
        names: the names in the file, among which pandas numbers repeated ones in silence; empty if it has none.
        remarks: what is to be told about the file.
        texts: reads the columns again as text, as far as the format has text.
        likely: how the file is written; its decimal mark is the one to guess where the columns do not tell.
    """

    frame: pd.DataFrame
    names: tuple[str, ...]
    remarks: list[str]
    texts: Callable[[], pd.DataFrame]
    likely: Writing = PLAIN


_ZIP = b"PK\x03\x04"
_OLD_EXCEL = bytes.fromhex("d0cf11e0")


def beginning_of(content: Content, length: int) -> bytes:
    """The first bytes."""
    if isinstance(content, bytes):
        return content[:length]
    with content.open("rb") as file:
        return file.read(length)


def whole(content: Content) -> bytes:
    """All bytes."""
    return content if isinstance(content, bytes) else content.read_bytes()


def unpacked(content: Content) -> Content:
    """The content without its compression, if it has one."""
    first = beginning_of(content, 8)
    for mark, unpack in _COMPRESSIONS.items():
        if first.startswith(mark):
            return unpack(whole(content))
    if first.startswith(_ZIP) and not _is_excel(content):
        return _only_member(whole(content))
    return content


def parse_binary(content: Content, header: bool) -> Parsed | None:
    """The table in a binary format, None if the content is text; a sheet may have no line of names."""
    first = beginning_of(content, 8)
    if first.startswith(b"PAR1"):
        return _parsed(pd.read_parquet(_readable(content)))
    if first.startswith((b"ARROW1", b"FEA1")):
        return _parsed(pd.read_feather(_readable(content)))
    if first.startswith(_ZIP):
        return _parse_excel(content, header)
    if first.startswith(_OLD_EXCEL):
        raise DataError("This is an Excel file of the old kind (.xls): save it as .xlsx or CSV.")
    return None


def _readable(content: Content) -> Path | BytesIO:
    return BytesIO(content) if isinstance(content, bytes) else content


def _parsed(frame: pd.DataFrame, names: tuple[str, ...] = (), remarks: Sequence[str] = ()) -> Parsed:
    return Parsed(frame, names, list(remarks), lambda: frame)


def _parse_excel(content: Content, header: bool) -> Parsed:
    with pd.ExcelFile(_readable(content), engine="openpyxl") as book:
        sheet, *others = book.sheet_names
        remark = [f"the sheet '{sheet}' alone, the first of {len(others) + 1}"] if others else []
        if not header:
            frame = _sheet(book, sheet, header=None)
            return _parsed(frame.set_axis(unnamed_columns(frame.shape[1]), axis=1), remarks=remark)
        first = pd.read_excel(book, sheet_name=sheet, header=None, nrows=1, dtype=str).fillna("")
        names = tuple(name.strip() for row in first.to_numpy() for name in row)
        return _parsed(_sheet(book, sheet), names, remark)


def _sheet(book: pd.ExcelFile, name: Any, **options: Any) -> pd.DataFrame:
    """The cells of a sheet as they are: pandas would make numbers of truth values as soon as one is missing."""
    cells: pd.DataFrame = pd.read_excel(book, sheet_name=name, dtype=object, **options)
    return cells.infer_objects()


def _is_excel(content: Content) -> bool:
    try:
        with zipfile.ZipFile(_readable(content)) as parts:
            return "xl/workbook.xml" in parts.namelist()
    except zipfile.BadZipFile:
        return False


def _only_member(content: bytes) -> bytes:
    with zipfile.ZipFile(BytesIO(content)) as parts:
        names = parts.namelist()
        if len(names) != 1:
            raise DataError(f"The archive holds {len(names)} files: unpack it, and name the one that is meant.")
        return parts.read(names[0])


def _from_zstd(content: bytes) -> bytes:
    with pa.input_stream(pa.BufferReader(content), compression="zstd") as stream:
        return bytes(stream.read())


_COMPRESSIONS: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
    b"\xfd7zXZ\0": lzma.decompress,
    b"\x28\xb5\x2f\xfd": _from_zstd,
}
