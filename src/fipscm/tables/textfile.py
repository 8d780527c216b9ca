"""Text files as tables: what is known about one, the rest by its dialect."""

import codecs
import warnings
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO, StringIO
from typing import Any

import pandas as pd

from fipscm.errors import DataError
from fipscm.tables.dialect import BEGINNING, BLANKS, COMMENT, Dialect, are_numbers, sniff
from fipscm.tables.formats import Content, Parsed, beginning_of, opened, whole
from fipscm.tables.formula_cells import unquoted, with_texts
from fipscm.tables.frames import plain, unnamed_columns
from fipscm.tables.limits import MOST_BYTES, require_cells
from fipscm.tables.writing import Writing

_BYTES_PER_CELL = 16
_CHUNK = 1 << 20
_FALLBACK = "cp1252"  # what is not UTF-8 was most often written on Windows


@dataclass(frozen=True)
class Reading:
    """What is known about a text file; the rest is found out.

    Attributes:
        separator: what stands between cells.
        decimal: the decimal mark, a point or a comma.
        encoding: as Python calls it.
        header: whether the first line holds the names of the columns.
        most_bytes: what the file may unpack to, and the table take in memory; of any format.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool = True
    most_bytes: int = MOST_BYTES

    def __post_init__(self) -> None:
        if self.separator is not None and len(self.separator) != 1:
            raise DataError(f"The separator '{self.separator}' is not one character: write it as in ';', or tab.")
        if self.decimal not in (None, ".", ","):
            raise DataError(f"The decimal mark '{self.decimal}' is neither a point nor a comma: choose one of the two.")
        if self.encoding is not None:
            try:
                codecs.getincrementaldecoder(self.encoding)
                "".encode(self.encoding)  # zlib and its like are codecs too, but none of text
            except (LookupError, ValueError):
                raise DataError(
                    f"There is no encoding '{self.encoding}': utf-8, utf-16 and cp1252 are usual."
                ) from None
        if not self.most_bytes > 0:
            raise DataError(f"A table cannot take at most {self.most_bytes} bytes: give a number above zero.")


def parse_text(content: Content, reading: Reading) -> Parsed:
    """A text file as a table."""
    dialect = sniff(beginning_of(content, BEGINNING), reading.separator, reading.encoding)
    _require_extent(content, dialect, reading.most_bytes)
    try:
        frame = _read(content, dialect, reading)
    except UnicodeDecodeError:
        if reading.encoding is not None or dialect.encoding != "utf-8":
            raise
        dialect = replace(dialect, encoding=_FALLBACK)  # the first other character comes late in the file
        frame = _read(content, dialect, reading)
    return Parsed(
        frame,
        tuple(map(unquoted, dialect.first)) if reading.header and not dialect.commented_names else (),
        dialect.remarks + _doubts_about_names(dialect, reading),
        texts=partial(_read, content, dialect, reading, dtype=str),
        likely=_writing(dialect),
    )


def _require_extent(content: Content, dialect: Dialect, most_bytes: int) -> None:
    """Raise if the table is too large: in memory a short row has as many cells as the first one."""
    separator = b" " if dialect.separator == BLANKS else dialect.separator.encode()
    lines, separators, in_first = 0, 0, True
    with opened(content) as file:
        while part := file.read(_CHUNK):
            separators += part.partition(b"\n")[0].count(separator) if in_first else 0
            in_first = in_first and b"\n" not in part
            lines += max(part.count(b"\n"), part.count(b"\r"))
    # A first line that is longer than what the dialect was told by is not in it.
    width = len(dialect.commented_names) or len(dialect.first) or separators + 1
    require_cells(lines, width, _BYTES_PER_CELL, most_bytes)


def _writing(dialect: Dialect) -> Writing:
    # Between blanks an empty cell could not be seen.
    separator = "\t" if dialect.separator == BLANKS else dialect.separator
    return Writing(separator, "," if dialect.separator == ";" else ".", dialect.encoding)


def _read(content: Content, dialect: Dialect, reading: Reading, **options: Any) -> pd.DataFrame:
    has_header = reading.header and not dialect.commented_names
    with warnings.catch_warnings():
        # pandas only warns of the values it drops.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        frame: pd.DataFrame = pd.read_csv(
            _file(content, dialect),
            sep=dialect.separator,
            decimal=reading.decimal or ".",
            encoding=dialect.encoding,
            compression=None,
            header="infer" if has_header else None,
            index_col=False,
            skipinitialspace=True,
            **options,
        )
    frame = with_texts(plain(frame), unquoted)
    if has_header:
        return frame
    return frame.set_axis(dialect.commented_names or unnamed_columns(frame.shape[1]), axis=1)


def _file(content: Content, dialect: Dialect) -> Any:
    """What pandas reads from. It would also cut a row at a # in a cell, so that comment lines are emptied here.

    Emptied, not removed: then what pandas says about a line has its number in the file.
    """
    if not dialect.has_comments and not dialect.above:
        return BytesIO(content) if isinstance(content, bytes) else content
    lines = whole(content).decode(dialect.encoding).splitlines(keepends=True)
    told = [place for place, line in enumerate(lines) if line.strip() and not line.startswith(COMMENT)]
    first = told[len(dialect.above)] if told else len(lines)
    kept = (line if place >= first and not line.startswith(COMMENT) else "\n" for place, line in enumerate(lines))
    return StringIO("".join(kept))


def _doubts_about_names(dialect: Dialect, reading: Reading) -> list[str]:
    """A first line of numbers may be a row; a run such as 0, 1, 2 or 1990, 1991 is how people number columns."""
    first = dialect.first
    numbers = [float(name) for name in first if are_numbers([name])]
    if not reading.header or dialect.commented_names or 2 * len(numbers) < max(len(first), 1):
        return []
    if numbers == [numbers[0] + place for place in range(len(numbers))]:
        return []
    return [f"the first line as names ({', '.join(first[:3])}, ...: if that is a row, use --no-header)"]
