"""Texts that a spreadsheet would run as formulas: behind a quote in CSV files, and read back without it.

A text counts if it begins as a formula does and holds a letter or a digit; a number such as -1.5 is no text.
"""

import re
from collections.abc import Callable, Hashable

import pandas as pd

_FORMULA = re.compile(r"'*[=+\-@\t\r\n].*\w", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?")


def quoted(text: str) -> str:
    """The text as a CSV file holds it.

    >>> [quoted(text) for text in ("=SUM(A1)", "-1,5", "+", "'=a", "plain")]
    ["'=SUM(A1)", '-1,5', '+', "''=a", 'plain']
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unquoted(text: str) -> str:
    """What a CSV file means by a text.

    >>> unquoted(quoted("'=a")), unquoted("'tis"), unquoted("'-1")
    ("'=a", "'tis", "'-1")
    """
    return text[1:] if text.startswith("'") and quoted(text[1:]) != text[1:] else text


def with_texts(frame: pd.DataFrame, change: Callable[[str], str]) -> pd.DataFrame:
    """The frame with every text changed, those of levels and names of columns too."""

    def changed(cell: Hashable) -> Hashable:
        return change(cell) if isinstance(cell, str) else cell

    found = frame.copy(deep=False)
    for place in range(frame.shape[1]):
        cells = frame.iloc[:, place]
        if isinstance(cells.dtype, pd.CategoricalDtype):
            levels = [changed(level) for level in cells.cat.categories]
            found.isetitem(place, cells.cat.rename_categories(levels).array)
        elif cells.dtype == object or isinstance(cells.dtype, pd.StringDtype):
            found.isetitem(place, cells.map(changed, na_action="ignore").astype(cells.dtype).array)
    return found.set_axis([changed(name) for name in frame.columns], axis=1)
