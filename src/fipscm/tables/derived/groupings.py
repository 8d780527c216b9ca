"""Columns that only say to which group the value of another column belongs. Shapes: N rows, D columns."""

from collections.abc import Iterator
from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import combine_pvalues

from fipscm.arrays import Array
from fipscm.tables.derived.formulas import NEARLY_ALL, SEVERAL, Formula, Table, told

# In fewer rows, the groups of an effect with little noise often lie apart by chance; people cut at round numbers.
FEWEST_ROWS_OF_BINS, ENOUGH_ROWS_OF_BINS = 200, 1000
BY_CHANCE_ROUND = 0.1
OUTSIDE = 20  # rows outside of the commonest level: fewer may go together with another column by chance
WIDER = 2.0  # than the widest of the ten nearest steps: groups that lie apart are no intervals of one column
NEAR = 5
_NEGLIGIBLE = 1e-9


def recoded(table: Table) -> Iterator[Formula]:
    """Columns of few values each of which stands for exactly one value of another column."""
    few = np.flatnonzero(table.distinct < SEVERAL)
    codes = {int(column): _codes(table.screen[:, column]) for column in few}
    for column, base in permutations(codes, 2):
        is_likely = table.distinct[column] == table.distinct[base] and _are_one_to_one(codes[column], codes[base])
        if not is_likely or not _varies_enough(table.values[:, column]):
            continue
        if _are_one_to_one(*(_codes(table.values[:, each]) for each in (column, base))):
            numbers = None if table.names[[column, base]].any() else told(table, column, base)
            yield numbers or Formula(column, (base,), "'{}', coded otherwise")


def bins(table: Table) -> Iterator[Formula]:
    """Columns whose levels are intervals of another column."""
    if len(table.values) < FEWEST_ROWS_OF_BINS:
        return
    many = np.flatnonzero((table.distinct >= SEVERAL) & ~table.names)
    for base in many:
        few = np.flatnonzero(2 * table.distinct <= table.distinct[base])
        few = few[[_divides(table.screen[:, base], table.screen[:, column]) for column in few]]
        for column in few:
            if _varies_enough(table.values[:, column]) and _divides_closely(
                table.values[:, base], table.values[:, column]
            ):
                yield Formula(int(column), (int(base),), "a category of '{}'")


def indicators(table: Table) -> Iterator[Formula]:
    """Columns of two values that tell whether another one has a certain value.

    Of a column of numbers, one such column may be chance or a threshold, several are not.
    """
    two = np.flatnonzero(table.distinct == 2)
    for base in np.flatnonzero((table.distinct > 2) & (table.names | (table.distinct < SEVERAL))):
        found = [int(column) for column in two if _indicates(table.screen[:, base], table.screen[:, column])]
        found = [
            column
            for column in found
            if _varies_enough(table.values[:, column]) and _indicates(table.values[:, base], table.values[:, column])
        ]
        if table.names[base] or len(found) > 1:
            yield from (Formula(column, (int(base),), "a category of '{}'") for column in found)


def _codes(values: Array) -> NDArray[np.intp]:
    """(N,) which of its distinct values each row has; -1 where it is missing."""
    there = ~np.isnan(values)
    codes = np.full(len(values), -1)
    codes[there] = np.unique(values[there], return_inverse=True)[1]
    return codes


def _are_one_to_one(first: NDArray[np.intp], second: NDArray[np.intp]) -> bool:
    both = (first >= 0) & (second >= 0)
    if both.sum() < NEARLY_ALL * (first >= 0).sum():
        return False
    pairs = len(np.unique(first[both] * (second.max() + 1) + second[both]))
    return pairs == len(np.unique(first[both])) == len(np.unique(second[both])) > 1


def _indicates(base: Array, column: Array) -> bool:
    """Whether the column (N,) has one of its two values where the base has a certain value, and there alone."""
    codes, levels = _codes(base), _codes(column)
    both = (codes >= 0) & (levels >= 0)
    if both.sum() < NEARLY_ALL * (levels >= 0).sum() or len(np.unique(levels[both])) < 2:
        return False
    counts = np.zeros((codes.max() + 1, 2))
    np.add.at(counts, (codes[both], levels[both]), 1)
    seen = counts[counts.sum(axis=1) > 0] > 0
    return bool((seen.sum(axis=1) == 1).all() and (seen.sum(axis=0) == 1).any() and len(seen) > 2)


def _varies_enough(values: Array) -> bool:
    counts = np.unique(values[~np.isnan(values)], return_counts=True)[1]
    return bool(counts.sum() - counts.max() >= OUTSIDE)


def _divides(base: Array, column: Array) -> bool:
    """Whether each value of the column (N,) stands in one interval of the base."""
    return _cuts(base, column) is not None


def _divides_closely(base: Array, column: Array) -> bool:
    """The same of all its values, where no interval is set apart from the next one by a gap.

    What rises along the rows, as in a time series, is divided by whatever rises beside it: that says nothing.
    """
    cuts = _cuts(base, column)
    levels = len(np.unique(column[~np.isnan(column)]))
    if cuts is None or len(cuts) + 1 < levels or (_is_monotone(base) and _is_monotone(column)):
        return False
    distinct = np.unique(base[~(np.isnan(base) | np.isnan(column))])
    steps = np.diff(distinct)
    chances = []
    for cut in np.searchsorted(distinct, cuts) - 1:
        near = np.concatenate([steps[max(cut - NEAR, 0) : cut], steps[cut + 1 : cut + 1 + NEAR]])
        if steps[cut] > WIDER * near.max():
            return False
        chances.append(_chance_of_round(float(distinct[cut]), float(distinct[cut + 1]), float(np.ptp(distinct))))
    return len(base) >= ENOUGH_ROWS_OF_BINS or float(combine_pvalues(chances).pvalue) < BY_CHANCE_ROUND


def _chance_of_round(low: float, high: float, span: float) -> float:
    """The probability that an interval of this length within the span holds a number as round as this one does.

    >>> _chance_of_round(49, 50, 60), _chance_of_round(37, 38, 60)
    (0.02, 0.5)
    """
    for power in range(int(np.ceil(np.log10(span))), int(np.floor(np.log10(high - low))) - 1, -1):
        for step in (5 * 10.0**power, 2 * 10.0**power, 10.0**power):
            number = np.floor(high / step + _NEGLIGIBLE) * step
            is_centre = number == 0 and low < 0 < high  # where values of both signs change over anyway
            if step <= span and number >= low - _NEGLIGIBLE * step and not is_centre:
                return min((high - low) / step, 1.0)
    return 1.0


def _is_monotone(values: Array) -> bool:
    steps = np.diff(values[~np.isnan(values)])
    return bool((steps >= 0).all() or (steps <= 0).all())


def _cuts(base: Array, column: Array) -> Array | None:
    """The values of the base at which the column changes, if it has each of its values in one interval."""
    both = ~(np.isnan(base) | np.isnan(column))
    if both.sum() < NEARLY_ALL * (~np.isnan(column)).sum():
        return None
    order = np.lexsort((column[both], base[both]))
    x, levels = base[both][order], column[both][order]
    changes = np.flatnonzero(levels[1:] != levels[:-1])
    is_tied = (x[changes] == x[changes + 1]).any()
    if len(changes) != len(np.unique(levels)) - 1 or is_tied:
        return None
    return np.asarray(x[changes + 1])
