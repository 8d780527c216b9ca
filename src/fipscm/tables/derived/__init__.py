"""Columns that were computed from others: which, from which, and how. Shapes: N rows, D columns.

A column that is a function of others has no mechanism of its own to learn, and takes the effects of those that it was
computed from. Formulas must hold in every row, up to the rounding of the column.
"""

from collections.abc import Callable, Collection, Hashable, Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fipscm.tables.derived.formulas import Formula, Table, of_one, of_two
from fipscm.tables.derived.groupings import bins, indicators, recoded
from fipscm.tables.derived.precision import decimals, tolerance
from fipscm.tables.derived.totals import sums

SCREENED = 300  # rows that rule out nearly every formula
NEARLY_ONE = 0.995  # correlation of near-copies: at most a hundredth of the variance is a column's own


class Derived(NamedTuple):
    """How a column was computed, as the end of a sentence that begins with its name, and from which ones."""

    reason: str
    bases: tuple[Hashable, ...]


def derived_columns(
    frame: pd.DataFrame, categories: Collection[Hashable] = (), kept: Collection[Hashable] = ()
) -> dict[Hashable, Derived]:
    """The columns of a table of numbers (N, D) that were computed from others, except for those that are `kept`.

    The codes of `categories` have no order. Where each of two columns can be computed from the other, the one stays
    whose name is the shorter part of the other's name, that was written with fewer decimals, or that comes first.

    >>> wage = np.random.default_rng(0).gamma(2.0, 3.0, 100).round(2) + 1
    >>> derived_columns(pd.DataFrame({"wage": wage, "lwage": np.log(wage)}))["lwage"].reason
    "is the logarithm of 'wage'"
    """
    search = _Search(frame, categories, set(kept))
    search.add(recoded)
    search.add(of_one)
    search.add(indicators)
    search.add(bins)
    search.add(of_two)
    while search.add(sums):
        pass
    return search.found


def near_copies(frame: pd.DataFrame, categories: Collection[Hashable] = ()) -> list[tuple[Hashable, Hashable, float]]:
    """Pairs of columns that differ by hardly anything, and their correlation, of values or of ranks."""
    names = [name for name in frame.columns if name not in categories]
    rows = frame[names].iloc[_spread(len(frame), 1000)]
    found = [rows.corr(method).abs().to_numpy() for method in ("pearson", "spearman")]
    closest = np.triu(np.fmax(*found), 1)
    return [(names[one], names[two], float(closest[one, two])) for one, two in np.argwhere(closest > NEARLY_ONE)]


class _Search:
    """Looks for one formula after another, each among the columns that no formula has explained yet."""

    def __init__(self, frame: pd.DataFrame, categories: Collection[Hashable], kept: set[Hashable]) -> None:
        self.names: list[Hashable] = list(frame.columns)
        self.kept, self.found = kept, dict[Hashable, Derived]()
        values = frame.to_numpy()
        screen = values[_spread(len(values), SCREENED)]
        self.decimals = [decimals(column[~np.isnan(column)]) for column in screen.T]
        tolerances = [
            tolerance(column[~np.isnan(column)], places) for column, places in zip(values.T, self.decimals, strict=True)
        ]
        # Of a column that has many distinct values in a few rows, no more need to be counted.
        few = [len(np.unique(column[~np.isnan(column)])) for column in screen.T]
        distinct = [
            count if 2 * count > len(screen) else frame.iloc[:, place].nunique() for place, count in enumerate(few)
        ]
        names = np.array([name in categories for name in self.names], dtype=bool)
        self.table = Table(values, screen, np.array(tolerances), np.array(distinct, dtype=np.intp), names)

    def add(self, find: Callable[[Table], Iterable[Formula]]) -> bool:
        """Explain columns by the formulas that are found, of those between the same columns by the best one."""
        left = [place for place, name in enumerate(self.names) if name not in self.found]
        formulas = [formula.at(left) for formula in find(self.table.take(left))]
        before = len(self.found)
        for formula in sorted(formulas, key=self._rank, reverse=True):
            column, bases = self.names[formula.column], tuple(self.names[base] for base in formula.bases)
            if column not in self.kept and not self.found.keys() & {column, *bases}:
                self.found[column] = Derived(f"is {formula.words.format(*bases)}", bases)
        return len(self.found) > before

    def _rank(self, formula: Formula) -> tuple[int, int, bool, int]:
        """How much speaks for it that this column was computed, and not one of those from which it can be."""
        name, *bases = (str(self.names[place]).casefold() for place in (formula.column, *formula.bases))
        is_dummy = self.table.distinct[formula.column] == 2  # `male` is no part of `female`
        longer = 0 if is_dummy else any(base in name for base in bases) - any(name in base for base in bases)
        # A total stands before its parts or after them; what stands after two numbers may be their difference.
        at_end = len(bases) > 2 or not min(formula.bases) < formula.column < max(formula.bases)
        is_total = formula.words.startswith("the sum") and at_end
        return longer, self.decimals[formula.column], is_total, formula.column


def _spread(rows: int, most: int) -> NDArray[np.intp]:
    """At most so many of the rows, evenly spread over the table."""
    return np.unique(np.linspace(0, rows - 1, min(rows, most)).astype(np.intp))
