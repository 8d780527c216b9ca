"""How a text file is to be read, told by its beginning: its encoding, what separates its cells, comments, names."""

import codecs
import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

BEGINNING = 1 << 18  # bytes that are looked at
COMMENT = "#"
BLANKS = r"\s+"
# In the order of preference where several would do: commas also stand in numbers, blanks also in names.
SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", BLANKS: "blanks"}
PLAIN_ENCODINGS = ("utf-8", "utf-8-sig")
_DECLARED = re.compile('"?sep=(.)"?')  # so Excel is told the separator
# Byte-order marks; that of UTF-32 begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True)
class Dialect:
    """How a text file is to be read.

    Attributes:
        separator: what stands between cells; a pattern for blanks.
        encoding: as Python calls it.
        first: the cells of the first line.
        commented_names: names in a comment line before the first row, as NumPy writes them; empty if there are none.
        has_comments: whether lines that begin with # are to be left out.
        above: the lines above the first one that are to be left out: titles, or what tells Excel the separator.
    """

    separator: str = ","
    encoding: str = "utf-8"
    first: tuple[str, ...] = ()
    commented_names: tuple[str, ...] = ()
    has_comments: bool = False
    above: tuple[str, ...] = ()

    @property
    def remarks(self) -> list[str]:
        """What is not the plain case, in words."""
        remarks = []
        if self.separator != ",":
            remarks.append(f"{SEPARATORS.get(self.separator, repr(self.separator))} between cells")
        if self.encoding not in PLAIN_ENCODINGS:
            remarks.append(f"encoding {self.encoding}")
        if self.commented_names:
            remarks.append("names in a comment line")
        elif self.has_comments:
            remarks.append("comment lines left out")
        if titles := [line for line in self.above if not _DECLARED.fullmatch(line)]:
            remarks.append(f"{titles[0].strip()!r} above the names left out")
        return remarks


def sniff(beginning: bytes, separator: str | None = None, encoding: str | None = None) -> Dialect:
    r"""The dialect of a file that begins with these bytes; what is given is not looked for.

    >>> sniff(b"age;dose\n34;1,5\n51;0,5\n").separator
    ';'
    """
    encoding = encoding or _encoding(beginning)
    lines = _decoded(beginning, encoding).splitlines()
    if len(beginning) >= BEGINNING:
        lines = lines[:-1]  # it may have been cut
    comments = [line for line in lines if line.startswith(COMMENT)]
    rows = [line for line in lines if line.strip() and not line.startswith(COMMENT)]
    above, rows = _split_titles(rows)
    declared = [match[1] for line in above if (match := _DECLARED.fullmatch(line))]
    separator = separator or next(iter(declared), None) or _separator(rows)
    first = next(iter(split_cells(rows[:1], separator)), [])
    names = next(iter(split_cells([comments[-1].lstrip(COMMENT)], separator)), []) if comments else []
    names_in_comment = len(names) == len(first) > 1 and are_numbers(first) and not are_numbers(names)
    commented_names = _stripped(names) if names_in_comment else ()
    return Dialect(separator, encoding, _stripped(first), commented_names, bool(comments), tuple(above))


def split_cells(lines: Sequence[str], separator: str) -> list[list[str]]:
    """The cells of each line; a quoted cell may hold separators and go over several lines."""
    if separator not in SEPARATORS or len(separator) > 1:
        return [line.split() if separator == BLANKS else line.split(separator) for line in lines]
    try:
        return list(csv.reader((f"{line}\n" for line in lines), delimiter=separator, skipinitialspace=True))
    except csv.Error:  # a quoted cell that never ends
        return []


def are_numbers(cells: Sequence[str]) -> bool:
    """Whether every cell is a number."""
    try:
        return bool([float(cell) for cell in cells])
    except ValueError:
        return False


def _stripped(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in cells)


def _encoding(beginning: bytes) -> str:
    for mark, encoding in _MARKS.items():
        if beginning.startswith(mark):
            return encoding
    # Text without a mark has zero bytes only in UTF-16: before each character of a Western file, or after it.
    if beginning.count(0) > len(beginning) // 4:
        return "utf-16-be" if beginning[:1] == b"\0" else "utf-16-le"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(beginning)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _decoded(beginning: bytes, encoding: str) -> str:
    return codecs.getincrementaldecoder(encoding)("replace").decode(beginning)


def _split_titles(lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines that stand above a table, and the others.

    A title has no separator, although the last line has one; and not as many words, as the names of a table with blanks
    between its cells and commas in its numbers would have. Nor does it end within quotes, as a name of two lines does.
    """
    words, marks = len(lines[-1].split()) if lines else 0, set(SEPARATORS) - {BLANKS}
    if not lines or marks.isdisjoint(lines[-1]):
        return [], lines
    for place, line in enumerate(lines):
        is_title = marks.isdisjoint(line) and not len(line.split()) == words > 1 and line.count('"') % 2 == 0
        if not is_title and not _DECLARED.fullmatch(line):
            return lines[:place], lines[place:]
    return [], lines


def _separator(lines: Sequence[str]) -> str:
    """The separator that divides most lines into as many cells as the first one; a comma if none divides that."""
    shares = {}
    for separator in SEPARATORS:
        widths = [len(cells) for cells in split_cells(lines, separator)]
        if widths and widths[0] > 1:
            shares[separator] = widths.count(widths[0]) / len(widths)
    return max(shares, key=lambda separator: shares[separator], default=",")
