"""Texts that stand for missing cells, in files and in frames."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from numbers import Real

import numpy as np
import pandas as pd

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
    is_string = pd.api.types.infer_dtype(column) == "string"
    if not is_string and not all(isinstance(cell, (str, Real)) for cell in column.dropna()):
        return column, ()  # dates, lists, ...
    # A column has far fewer distinct cells than rows.
    places, cells = pd.factorize(column)
    are_names = are_names or any(isinstance(cell, bool) for cell in cells)
    texts = [cell.strip().lower() if isinstance(cell, str) else None for cell in cells]
    gaps, unknown = (np.array([text in words for text in texts], dtype=bool) for words in (GAPS, UNKNOWN))
    numbers = pd.to_numeric(pd.Series(cells, dtype=object).mask(gaps), errors="coerce").to_numpy(dtype=np.float64)
    if not (are_names or gaps.all()) and any(texts) and not np.isnan(numbers[~gaps]).any():
        values = pd.Series(np.append(numbers, np.nan)[places], column.index, name=column.name)
        is_whole = values.notna().all() and (values % 1 == 0).all() and not any("." in str(cell) for cell in cells)
        return values.astype(np.int64) if is_whole else values, _told(cells[gaps])
    rows = np.append(unknown, False)[places]
    return (column.mask(rows) if rows.any() else column), _told(cells[unknown])


def _told(cells: Iterable[object]) -> tuple[str, ...]:
    """The texts that stand for gaps, except for empty ones, which everybody takes as such."""
    return tuple(sorted({str(cell).strip() for cell in cells} - {""}))
