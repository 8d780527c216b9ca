"""Formats of files, told by their first bytes and not by their names: compressed, columnar, Excel, or else text."""

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

import pandas as pd
import pyarrow as pa

from fipscm.errors import DataError
from fipscm.tables.columnar import read_arrow, read_parquet
from fipscm.tables.excel import is_excel, read_excel
from fipscm.tables.frames import plain
from fipscm.tables.limits import MOST_BYTES, read_at_most
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
_ENCRYPTED = 1  # of the flags of a zip member
_OLD_EXCEL = bytes.fromhex("d0cf11e0")


def beginning_of(content: Content, length: int) -> bytes:
    """The first bytes."""
    with opened(content) as file:
        return file.read(length)


def whole(content: Content) -> bytes:
    """All bytes."""
    return content if isinstance(content, bytes) else content.read_bytes()


def opened(content: Content) -> IO[bytes]:
    """The content as a stream."""
    return BytesIO(content) if isinstance(content, bytes) else content.open("rb")


def unpacked(content: Content, most_bytes: int = MOST_BYTES) -> Content:
    """The content without its compression, if it has one, unless that is more than so many bytes."""
    first = beginning_of(content, 8)
    for mark, unpacking in _COMPRESSIONS.items():
        if first.startswith(mark):
            with opened(content) as packed, unpacking(packed) as file:
                return read_at_most(file, most_bytes)
    if first.startswith(_ZIP) and not is_excel(_readable(content)):
        return _only_member(content, most_bytes)
    return content


def parse_binary(content: Content, header: bool, most_bytes: int = MOST_BYTES) -> Parsed | None:
    """The table in a binary format, None if the content is text; a sheet may have no line of names."""
    first = beginning_of(content, 8)
    if first.startswith(b"PAR1"):
        return _parsed(read_parquet(_readable(content), most_bytes))
    if first.startswith((b"ARROW1", b"FEA1")):
        return _parsed(read_arrow(_readable(content), most_bytes))
    if first.startswith(_ZIP):
        return _parsed(*read_excel(_readable(content), header, most_bytes))
    if first.startswith(_OLD_EXCEL):
        raise DataError("This is an Excel file of the old kind (.xls) or with a password: save it as .xlsx or CSV.")
    return None


def _readable(content: Content) -> Path | BytesIO:
    return BytesIO(content) if isinstance(content, bytes) else content


def _parsed(frame: pd.DataFrame, names: tuple[str, ...] = (), remarks: Sequence[str] = ()) -> Parsed:
    found = plain(frame)
    return Parsed(found, names, list(remarks), lambda: found)


def _only_member(content: Content, most_bytes: int) -> bytes:
    with zipfile.ZipFile(_readable(content)) as parts:
        names = parts.namelist()
        if len(names) != 1:
            raise DataError(f"The archive holds {len(names)} files: unpack it, and name the one that is meant.")
        if parts.infolist()[0].flag_bits & _ENCRYPTED:
            raise DataError("The archive has a password: unpack it, and name the file in it.")
        with parts.open(names[0]) as file:
            return read_at_most(file, most_bytes)


def _from_zstd(file: IO[bytes]) -> Any:
    return pa.input_stream(file, compression="zstd")


_COMPRESSIONS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
    b"\x28\xb5\x2f\xfd": _from_zstd,
}
