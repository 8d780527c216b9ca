"""Which columns were set from outside, row by row: what a table with experiments needs beside its numbers.

Shapes: N rows, D variables.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fipscm.arrays import Mask
from fipscm.errors import DataError, unknown_name
from fipscm.graph import listed
from fipscm.tables.validate import FEWEST_ROWS


def parse_intervened(intervened: Any, frame: pd.DataFrame) -> Mask:
    """(N, D), true where a column of the table was set from outside; nowhere if `intervened` is None.

    Args:
        intervened: for each row the name of the column that was set, or a list or tuple of names, or None, NaN or ""
            where none was; or a table (N, D) of true and false. A Series or frame finds its rows by label.
        frame: a table that has passed `training_frame`.

    >>> table = pd.DataFrame({"dose": np.arange(40.0), "pain": np.arange(40.0) ** 2})
    >>> parse_intervened(["dose"] * 10 + [None] * 30, table).sum(axis=0)
    array([10,  0])
    """
    if intervened is None:
        return np.zeros(frame.shape, dtype=bool)
    if isinstance(intervened, (pd.Series, pd.DataFrame)):
        intervened = _by_label(intervened, frame.index)
    is_table = isinstance(intervened, pd.DataFrame) or getattr(intervened, "ndim", 1) == 2
    mask = _from_table(intervened, frame) if is_table else _from_names(list(intervened), frame)
    require_untouched_rows(mask, frame)
    return mask


def require_untouched_rows(mask: Mask, frame: pd.DataFrame) -> None:
    """A column's causes can be learned only from rows in which it has a value that was not set (N, D)."""
    for name, was_set, known in zip(frame.columns, mask.T, frame.notna().to_numpy().T, strict=True):
        left = int((known & ~was_set).sum())
        if was_set.any() and left < FEWEST_ROWS:
            rows = "every row" if known.all() else "every row that has a value of it"
            rows = f"all but {left} rows, fewer than {FEWEST_ROWS}" if left else rows
            raise DataError(
                f"Column '{name}' was set in {rows}, so that nothing can be learned about its causes: add rows in "
                "which it was not set, or leave the column out."
            )


def _by_label(intervened: Any, index: pd.Index) -> Any:
    if len(intervened) != len(index) or intervened.index.equals(index):
        return intervened
    if not intervened.index.is_unique or not index.isin(intervened.index).all():
        raise DataError(
            "The rows of `intervened` are labelled otherwise than those of the table: give it the table's index, or "
            "pass its to_numpy() to go by position."
        )
    return intervened.reindex(index)


def _from_table(table: Any, frame: pd.DataFrame) -> Mask:
    if isinstance(table, pd.DataFrame):
        if len(table.columns) != frame.shape[1] or set(table.columns) != set(frame.columns):
            raise DataError(
                f"`intervened` has the columns {listed(table.columns)}, but the table has {listed(frame.columns)}: "
                "name the same columns."
            )
        table = table[list(frame.columns)].to_numpy()
    if table.shape != frame.shape:
        raise DataError(
            f"`intervened` has shape {table.shape}, but the table has shape {frame.shape}: "
            "say true or false for every cell."
        )
    if not np.isin(table, (False, True)).all():
        raise DataError("`intervened` holds values other than true and false: true means that the cell was set.")
    return np.asarray(table, dtype=bool)


def _from_names(cells: Sequence[Any], frame: pd.DataFrame) -> Mask:
    if len(cells) != len(frame):
        raise DataError(
            f"`intervened` has {len(cells)} entries, but the table has {len(frame)} rows: give one for every row, "
            "None where nothing was set."
        )
    position = {name: column for column, name in enumerate(frame.columns)}
    mask = np.zeros(frame.shape, dtype=bool)
    for row, cell in enumerate(cells):
        for name in _names(cell):
            if name not in position:
                raise unknown_name("column in `intervened`", name, position)
            mask[row, position[name]] = True
    return mask


def _names(cell: Any) -> Sequence[Hashable]:
    """What was set in one row."""
    if isinstance(cell, (list, tuple, set)):
        return list(cell)
    return [] if pd.isna(cell) or cell == "" else [cell]
