"""Rows that were entered more than once. Shapes: N rows, D columns.

Where values repeat by chance, as levels do, a row that equals another one has neighbours as well: rows that differ from
it in a single column. Copies have none.
"""

import numpy as np
import pandas as pd

from fipscm.arrays import Mask

FEWEST_REPEATED = 20  # rows that are repeated: fewer hardly tell which share of them has neighbours
MOST_NEIGHBOURED = 0.05  # of them: on public tables it was 0.5 % of copied rows, and otherwise from 8 to 100 %


def copied_rows(frame: pd.DataFrame) -> Mask:
    """(N,), true for each row that is a copy of an earlier one; none if rows repeat each other by chance.

    >>> measured = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 2)))
    >>> int(copied_rows(pd.concat([measured, measured[:30]])).sum())
    30
    >>> int(copied_rows(measured.round()).sum())
    0
    """
    codes = np.column_stack([pd.factorize(frame[name])[0] for name in frame.columns])
    cells = np.column_stack(
        [pd.util.hash_array(codes[:, place] * codes.shape[1] + place) for place in range(codes.shape[1])]
    )
    rows = cells.sum(axis=1)  # equal where all cells are
    copies = np.asarray(pd.Series(rows).duplicated())
    repeated = np.isin(rows[~copies], rows[copies])
    if repeated.sum() < FEWEST_REPEATED:
        return np.zeros(len(frame), dtype=np.bool_)
    neighboured = np.zeros(len(repeated), dtype=np.bool_)
    for column in cells[~copies].T:
        neighboured |= np.asarray(pd.Series(rows[~copies] - column).duplicated(keep=False))
    return np.asarray(copies & (neighboured[repeated].mean() <= MOST_NEIGHBOURED))
