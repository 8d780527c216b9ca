"""Texts that stand for missing cells, in files and in frames."""

from collections.abc import Collection, Hashable, Mapping

import numpy as np
import pandas as pd

from fipscm.arrays import Mask
from fipscm.tables.cells import GAPS, UNKNOWN


def with_gaps(
    frame: pd.DataFrame, names: Collection[Hashable] = ()
) -> tuple[pd.DataFrame, dict[Hashable, tuple[str, ...]]]:
    """The frame with missing cells where a text says that there is no value, and what stood there.

    A column of text that holds nothing but numbers and such texts becomes one of numbers, unless it is one of `names`.

    >>> found, stood = with_gaps(pd.DataFrame({"age": ["31", "n/a", "40"], "job": ["baker", "?", "-"]}))
    >>> found["age"].tolist(), found["job"].isna().tolist(), stood
    ([31.0, nan, 40.0], [False, True, False], {'age': ('n/a',), 'job': ('?',)})
    """
    known = frame.copy(deep=False)
    stood: dict[Hashable, tuple[str, ...]] = {}
    for name in frame.columns:
        cells, gaps = _with_gaps(frame[name], name in names)
        if cells is not frame[name]:
            known[name] = cells
        if gaps:
            stood[name] = gaps
    return known, stood


def told_gaps(stood: Mapping[Hashable, tuple[str, ...]]) -> list[str]:
    """What stood in missing cells, in words."""
    return [f"{gap!r} in '{str(name).strip()}' as missing" for name, gaps in stood.items() for gap in gaps]


def is_text(column: pd.Series) -> bool:
    """Whether a column may hold texts."""
    return bool(column.dtype == object or isinstance(column.dtype, pd.StringDtype))


def _with_gaps(column: pd.Series, are_names: bool) -> tuple[pd.Series, tuple[str, ...]]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = [level for level in column.cat.categories if isinstance(level, str) and level.strip() in UNKNOWN]
        return (column.cat.remove_categories(levels) if levels else column), tuple(levels)
    if not is_text(column):
        return column, ()
    texts = column.astype(object).map(lambda cell: cell.strip().lower() if isinstance(cell, str) else None)
    gaps = texts.isin(GAPS)
    rest = column[column.notna() & ~gaps]
    # A mixture of texts and truth values is none of numbers, although pandas would make numbers of it.
    are_numbers = not are_names and texts.notna().any() and len(rest) > 0 and not _has_truth_values(rest)
    numbers = pd.to_numeric(rest, errors="coerce") if are_numbers else rest
    if are_numbers and numbers.notna().all():
        return _spread(numbers, (column.notna() & ~gaps).to_numpy(), column), _found(column, gaps)
    unknown = texts.isin(UNKNOWN)
    return (column.where(~unknown) if unknown.any() else column), _found(column, unknown)


def _spread(numbers: pd.Series, held: Mask, column: pd.Series) -> pd.Series:
    """The numbers in the rows (N,) that hold one, by position: labels of rows may repeat."""
    if held.all():
        return numbers
    cells = np.full(len(column), np.nan)
    cells[held] = numbers.to_numpy(dtype=np.float64)
    return pd.Series(cells, column.index, name=column.name)


def _has_truth_values(cells: pd.Series) -> bool:
    return any(isinstance(cell, bool) for cell in cells)


def _found(column: pd.Series, gaps: pd.Series) -> tuple[str, ...]:
    """The texts that stand for gaps, except for empty ones, which everybody takes as such."""
    return tuple(sorted({str(cell).strip() for cell in column[gaps]} - {""}))
