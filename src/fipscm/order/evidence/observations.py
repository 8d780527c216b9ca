"""The rows of a table as the order network may read them. Shapes: N rows, D variables.

Every column is there as numbers without holes, and as a few bins. A category is read by scores of its levels that the
other columns suggest; a missing cell is filled in from the other cells of its row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Array
from fipscm.order.evidence.category_scores import with_scores
from fipscm.order.evidence.fill import fill_linearly

MOST_BINS = 5  # of a column with more values: third columns are conditioned on, so cells of three columns need rows
MOST_LEVEL_BINS = 8  # of a category; rarer levels share the last bin


@dataclass(frozen=True)
class Observations:
    """Rows of a table.

    Attributes:
        numbers: (N, D), without holes; categories by scores of their levels.
        levels: (N,) the levels of each column that is a category, the most frequent one first.
        kinds: what each column is: "continuous", "count", "ordinal", "binary" or "categorical".
        missing: (D,), the share of cells that had no value.
    """

    numbers: Array
    levels: Mapping[int, NDArray[np.intp]]
    kinds: tuple[str, ...]
    missing: Array

    @classmethod
    def of(cls, values: Array, kinds: Sequence[str] | None = None) -> Self:
        """Read cells (N, D), NaN where missing, codes where the kind is "categorical"; else all are "continuous"."""
        kinds = tuple(map(_of_two_levels, kinds, values.T)) if kinds is not None else ("continuous",) * values.shape[1]
        categories = [column for column, kind in enumerate(kinds) if kind == "categorical"]
        holes = np.isnan(values)
        filled = fill_linearly(with_scores(values, categories))
        levels = {column: _levels(values[:, column]) for column in categories}
        return cls(filled, levels, kinds, holes.mean(axis=0))

    @property
    def bins(self) -> NDArray[np.intp]:
        """(N, D), every column in a few bins, numbered from 0."""
        columns = (self.levels.get(place, column) for place, column in enumerate(self.numbers.T))
        return np.column_stack([_bins(column) for column in columns])

    def take(self, rows: Any) -> Self:
        """The same of some rows, by a mask or by their positions."""
        levels = {column: codes[rows] for column, codes in self.levels.items()}
        return replace(self, numbers=self.numbers[rows], levels=levels)


def _of_two_levels(kind: str, column: Array) -> str:
    """A category of two levels needs no scores."""
    return "binary" if kind == "categorical" and len(np.unique(column[~np.isnan(column)])) == 2 else kind


def _levels(codes: Array) -> NDArray[np.intp]:
    """(N,) codes, NaN where missing -> levels from 0, the most frequent one first; a hole gets that of some row."""
    holes = np.isnan(codes)
    _, place, counts = np.unique(codes[~holes], return_inverse=True, return_counts=True)
    rank = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
    levels = np.zeros(len(codes), dtype=np.intp)
    levels[~holes] = np.minimum(rank[place], MOST_LEVEL_BINS - 1)
    levels[holes] = np.random.default_rng(0).choice(levels[~holes], int(holes.sum()))
    return levels


def _bins(column: Array | NDArray[np.intp]) -> NDArray[np.intp]:
    """(N,) -> a bin for each level or value if there are few of them, else bins with about as many rows each.

    >>> _bins(np.array([3.0, 1.0, 3.0])).tolist(), np.bincount(_bins(np.arange(100.0))).tolist()
    ([1, 0, 1], [20, 20, 20, 20, 20])
    """
    found, place = np.unique(column, return_inverse=True)
    if len(found) <= (MOST_LEVEL_BINS if column.dtype == np.intp else MOST_BINS):
        return np.asarray(place, dtype=np.intp)
    edges = np.unique(np.quantile(column, np.arange(1, MOST_BINS) / MOST_BINS))
    return np.unique(np.searchsorted(edges, column, side="right"), return_inverse=True)[1]
