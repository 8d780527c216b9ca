"""Numbers in text cells: decimal commas, marks between thousands, percent signs and units.

Whether "1,234" has a decimal comma or a mark between thousands is decided by the whole column, then by the other
columns; what remains is a guess, and told as one.
"""

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from fipscm.arrays import Mask
from fipscm.errors import DataError

# What stands for a value that nobody knows, among names too.
UNKNOWN = {"?", "*"}
# What people write among numbers where there is none. A column of + and - alone has other meanings.
GAPS = {
    *UNKNOWN,
    *("", "-", "--", "---", "\u2013", "\u2014", ".", "..", "...", "**", "***", "??"),
    *("na", "n/a", "#n/a", "n.a.", "n. a.", "k.a.", "k. a.", "nan", "null", "none", "nil", "missing", "unknown"),
}
DECIMAL_MARKS = {".": "decimal points", ",": "decimal commas"}
_OTHER = {".": ",", ",": "."}
_BLANKS, _APOSTROPHES = "[ \u00a0\u2009\u202f]", "['\u2019]"
_UNIT = r"(?:[^\W\d_]|[%‰°€$£¥])\S{0,15}(?: [^\W\d_]\S{0,7})?"
# A cell as a whole: what stands before its number, the number in some notation, and its unit.
_CELL = re.compile(
    rf"(?P<before>(?:[€$£¥]\s*)?)[+-]?[0-9.,' \u00a0\u2009\u202f\u2019]*[0-9][.,]?(?:[eE][+-]?[0-9]+)?"
    rf"(?P<after>\s*(?:{_UNIT})?)"
)


class Numbers(NamedTuple):
    """A column of text, as numbers."""

    column: pd.Series
    unit: str
    grouped: bool  # whether there are marks between thousands
    gaps: tuple[str, ...] = ()  # what stands where there is no number


@dataclass(frozen=True)
class Understood:
    """The columns of text that hold numbers, what is to be told about them, and the decimal mark, if they have one."""

    columns: dict[Hashable, Numbers]
    remarks: list[str]
    decimal: str | None


def understand(texts: pd.DataFrame, likely: str, decimal: str | None = None) -> Understood:
    """Find the columns of text that hold numbers, and which is their decimal mark.

    Args:
        texts: columns of text, missing cells as NaN.
        likely: the decimal mark to guess where no column tells what its commas are; points are then decimal points.
        decimal: the decimal mark, if it is known.

    >>> found = understand(pd.DataFrame({"dose": ["1,5 mg", "2 mg"], "price": ["1,234", "5,678"]}), likely=".")
    >>> found.columns["price"].column.tolist()
    [1.234, 5.678]
    >>> found.remarks
    ['decimal commas', "'dose' in mg"]
    """
    names: list[Hashable] = list(texts.columns)
    readings = {name: _readings(texts[name], decimal) for name in names}
    certain = {mark for found in readings.values() if len(found) == 1 for mark in found}
    unclear = [name for name, found in readings.items() if len(found) == 2 and not _agree(found)]
    if unclear and len(certain) == 2:
        raise DataError(
            f"Column '{unclear[0]}' holds {_marked(texts[unclear[0]])!r}, which may have a decimal mark or one between "
            "thousands, and other columns use both: say which is the decimal mark with --decimal."
        )
    has_commas = any("," in _marked(texts[name]) for name in unclear)
    chosen = next(iter(certain), likely if has_commas else ".")
    marks = {name: chosen if chosen in found else next(iter(found)) for name, found in readings.items() if found}
    columns = {name: readings[name][mark] for name, mark in marks.items()}
    guessed = [] if certain else unclear
    remarks = _remarks(columns, certain, [(name, texts[name]) for name in guessed], chosen)
    told = certain or ({chosen} if unclear else set())
    return Understood(columns, remarks, next((mark for mark in (",", ".") if mark in told), None))


def may_hold_numbers(cells: pd.Series) -> bool:
    """Whether a column of text begins with a number."""
    present, _ = _without_gaps(cells)
    return len(present) > 0 and _CELL.fullmatch(present.iloc[0]) is not None


def written_numbers(cells: pd.Series) -> Mask:
    """(N,), which cells of a column of text are numbers, in whatever notation, with the unit that most of them have.

    >>> written_numbers(pd.Series(["1,5 mg", "2 mg", "none", "3 g"])).tolist()
    [True, True, False, False]
    """
    frames = [_CELL.fullmatch(cell) for cell in _plain_minus(cells)]
    units = [(frame["before"].strip(), frame["after"].strip()) if frame else None for frame in frames]
    counts = Counter(unit for unit in units if unit is not None)
    commonest = max(counts, key=lambda unit: counts[unit], default=None)
    return np.array([unit is not None and unit == commonest for unit in units], dtype=bool)


def may_be_thousands(numbers: pd.Series) -> bool:
    """Whether numbers with decimal points, such as 1.234, could all be thousands with marks between them."""
    sizes = numbers.dropna().abs()
    return bool(((sizes >= 1) & (sizes < 1000) & ((1000 * sizes).round(6) % 1 == 0)).all() and (sizes % 1 != 0).any())


def as_numbers(cells: pd.Series, decimal: str) -> Numbers | None:
    """The numbers of a column of text; None unless every cell is one or a gap, all in the same unit.

    >>> as_numbers(pd.Series(["1 234,5 %", "12 %"]), ",").column.tolist()
    [1234.5, 12.0]
    >>> as_numbers(pd.Series(["$1,200", "$300"]), ".").column.tolist()
    [1200, 300]
    >>> as_numbers(pd.Series(["3 mg", "2 g"]), ".") is None
    True
    """
    present, gaps = _without_gaps(cells)
    frame = _CELL.fullmatch(present.iloc[0]) if len(present) else None
    if frame is None:
        return None
    before, after = frame["before"].strip(), frame["after"].strip()
    if not (present.str.startswith(before) & present.str.endswith(after)).all():
        return None
    bare = present.str.slice(len(before), -len(after) or None).str.strip()
    if not bare.str.fullmatch(_number(decimal)).all():
        return None
    digits = bare.str.replace(f"{re.escape(_OTHER[decimal])}|{_BLANKS}|{_APOSTROPHES}", "", regex=True)
    are_whole = len(digits) == len(cells) and digits.str.fullmatch("[+-]?[0-9]{1,15}").all()
    kind = np.int64 if are_whole else np.float64  # as a file without marks and units would be read
    values = digits.str.replace(decimal, ".", regex=False).astype(kind).reindex(cells.index)
    return Numbers(values, after or before, bool((digits != bare).any()), gaps)


def _without_gaps(cells: pd.Series) -> tuple[pd.Series, tuple[str, ...]]:
    """The cells that hold something, and what stands in those that say that there is nothing."""
    present = _plain_minus(cells.dropna())
    is_gap = present.str.lower().isin(GAPS)
    return present[~is_gap], tuple(sorted(set(present[is_gap])))


def _plain_minus(cells: pd.Series) -> pd.Series:
    return cells.astype(str).str.strip().str.replace("\u2212", "-", regex=False)


def _readings(cells: pd.Series, decimal: str | None) -> dict[str, Numbers]:
    """The column read with each decimal mark with which that is possible."""
    tried = {mark: as_numbers(cells, mark) for mark in (DECIMAL_MARKS if decimal is None else (decimal,))}
    return {mark: numbers for mark, numbers in tried.items() if numbers is not None}


def _agree(readings: Mapping[str, Numbers]) -> bool:
    """Whether both decimal marks give the same numbers, as in a column without marks."""
    point, comma = readings["."].column, readings[","].column
    return bool(point.equals(comma))


def _number(decimal: str) -> str:
    """A pattern for one number; thousands are marked in threes, and do not begin with a zero."""
    mark, other = re.escape(decimal), re.escape(_OTHER[decimal])
    grouped = "|".join(
        rf"[1-9][0-9]{{0,2}}(?:{between}[0-9]{{3}})+(?:{mark}[0-9]*)?" for between in (other, _BLANKS, _APOSTROPHES)
    )
    return rf"[+-]?(?:{grouped}|[0-9]+(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?"


def _marked(cells: pd.Series) -> str:
    """A cell that holds a mark."""
    return str(next(cell for cell in cells.dropna() if re.search(r"[.,]", str(cell))))


def _remarks(
    columns: Mapping[Hashable, Numbers], certain: set[str], guessed: Sequence[tuple[Hashable, pd.Series]], chosen: str
) -> list[str]:
    remarks = [DECIMAL_MARKS[","]] if "," in certain else []
    if any(numbers.grouped for numbers in columns.values()):
        remarks.append("marks between thousands")
    for name, cells in guessed:
        example = _marked(cells)
        meant = as_numbers(pd.Series([example]), chosen)
        value = meant.column.iloc[0] if meant else float("nan")
        remarks.append(f"'{name}' with {DECIMAL_MARKS[chosen]}, a guess ({example!r} as {value:g}; see --decimal)")
    for name, numbers in columns.items():
        remarks += [f"'{str(name).strip()}' in {numbers.unit}"] if numbers.unit else []
        remarks += [f"{gap!r} in '{str(name).strip()}' as missing" for gap in numbers.gaps]
    return remarks
