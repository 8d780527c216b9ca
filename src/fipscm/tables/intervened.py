"""What users say about experiments, row by row: what a table with experiments needs beside its numbers.

Shapes: N rows, D variables. A cell names a column whose value was set (`dose`), a column whose mechanism was changed
somehow (`~dose`), or a setting whose targets are unknown (`?site B`).
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fipscm.arrays import Mask
from fipscm.errors import DataError, counted, unknown_name
from fipscm.graph import listed
from fipscm.tables.experiments import Experiments
from fipscm.tables.validate import FEWEST_ROWS

CHANGED, SETTING = "~", "?"


def parse_intervened(
    intervened: Any, frame: pd.DataFrame, set_aside: Mapping[Hashable, str] | None = None
) -> Experiments:
    """What was done in each row; nothing if `intervened` is None.

    Args:
        intervened: for each row the name of the column that was set, "~" and the name of a column that was changed
            somehow, "?" and the name of a setting, a list or tuple of these, or None, NaN or "" where nothing was done;
            or a table (N, D), true where a value was set. A Series or frame finds its rows by label.
        frame: a table that has passed `training_frame`.
        set_aside: why other columns are not in it.

    >>> table = pd.DataFrame({"dose": np.arange(40.0), "pain": np.arange(40.0) ** 2})
    >>> done = parse_intervened(["dose"] * 10 + ["~pain"] * 10 + ["?site B"] * 5 + [None] * 15, table)
    >>> done.fixed.sum(axis=0), done.changed.sum(axis=0), (done.setting == 1).sum()
    (array([10,  0]), array([ 0, 10]), np.int64(5))
    """
    if intervened is None:
        return Experiments.none(frame.shape)
    if isinstance(intervened, (pd.Series, pd.DataFrame)):
        intervened = _by_label(intervened, frame.index)
    if isinstance(intervened, pd.DataFrame) or getattr(intervened, "ndim", 1) == 2:
        done = Experiments.none(frame.shape)._replace(fixed=_from_table(intervened, frame))
    else:
        done = _from_cells(list(intervened), frame, set_aside or {})
    require_untouched_rows(done.acted_on, frame)
    return done


def require_untouched_rows(mask: Mask, frame: pd.DataFrame) -> None:
    """A column's causes can be learned only from rows in which it has a value and was not acted on (N, D)."""
    for name, acted_on, known in zip(frame.columns, mask.T, frame.notna().to_numpy().T, strict=True):
        left = int((known & ~acted_on).sum())
        if acted_on.any() and left < FEWEST_ROWS:
            rows = "every row" if known.all() else "every row that has a value of it"
            rows = f"all but {left} rows, fewer than {FEWEST_ROWS}" if left else rows
            raise DataError(
                f"Column '{name}' was set or changed in {rows}, so that nothing can be learned about its causes: add "
                "rows in which it was not, or leave the column out."
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


def _from_cells(cells: Sequence[Any], frame: pd.DataFrame, set_aside: Mapping[Hashable, str]) -> Experiments:
    if len(cells) != len(frame):
        raise DataError(
            f"`intervened` has {len(cells)} entries, but the table has {len(frame)} rows: give one for every row, "
            "None where nothing was set."
        )
    position: dict[Hashable, int] = {name: column for column, name in enumerate(frame.columns)}
    spelled = {CHANGED + str(name): column for name, column in position.items() if CHANGED + str(name) not in position}
    done, settings = Experiments.none(frame.shape), [""] * len(cells)
    fixed, changed = done.fixed.copy(), done.changed.copy()
    for row, cell in enumerate(cells):
        for name in _names(cell):
            if name in position:
                fixed[row, position[name]] = True
            elif name in spelled:
                changed[row, spelled[name]] = True
            elif str(name).startswith(SETTING):
                settings[row] = str(name).removeprefix(SETTING)
            else:
                raise _unusable(name, position, set_aside)
    setting, labels = _numbered(settings)
    return Experiments(fixed, changed & ~fixed, setting, labels)


def _names(cell: Any) -> Sequence[Hashable]:
    """What was done in one row."""
    if isinstance(cell, (list, tuple, set)):
        return list(cell)
    return [] if pd.isna(cell) or cell == "" else [cell]


def _unusable(name: Hashable, position: Mapping[Hashable, int], set_aside: Mapping[Hashable, str]) -> Exception:
    asked = name[len(CHANGED) :] if isinstance(name, str) and name.startswith(CHANGED) else name
    for other, reason in set_aside.items():
        if other == name or str(other) == asked:
            return DataError(
                f"Column '{other}' in `intervened` {reason}, so experiments on it tell nothing: name another column, "
                "or say only that these rows belong together, by the name of a setting after '?'."
            )
    return unknown_name("column in `intervened`", asked, position)


def _numbered(settings: Sequence[str]) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """(N,) numbers of the settings, and what they are called; 0 is the reference, rows without one or the commonest."""
    sizes = Counter(settings)
    named = [size for label, size in sizes.items() if label]
    if named.count(1) > len(named) / 2:
        raise DataError(
            f"Of {counted(len(named), 'setting')} in `intervened`, {named.count(1)} have one row alone: name a setting "
            "by what several rows share, such as a batch or a site."
        )
    if len(sizes) == 1 and named:
        raise DataError(
            f"All rows belong to the setting '{settings[0]}', so that there is nothing to compare: leave it out, or "
            "name a setting that differs between rows."
        )
    reference = "" if "" in sizes else max(sizes, key=sizes.__getitem__)
    labels = (reference, *sorted(sizes.keys() - {reference}))
    number = {label: place for place, label in enumerate(labels)}
    return np.array([number[label] for label in settings], dtype=np.intp), labels
