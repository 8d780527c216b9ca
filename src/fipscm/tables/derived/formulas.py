"""Formulas by which one column may have been computed from one or two others. Shapes: N rows, D columns.

A formula that does not hold in a few hundred rows does not hold at all: those are tried first, and what is left is
tried on all rows.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Array, Mask

SEVERAL = 20  # distinct values of a column: fewer can be a function of another one by chance
ALMOST = 0.999  # correlation of two columns one of which was computed from the other and then rounded
SLIGHT = 1e-6  # difference of a slope from one
NEARLY_ALL = 0.95  # share of the rows of a column in which its formula can be tried
POWERS = {2.0: "'{}' squared", 3.0: "'{}' to the third power", 0.5: "the square root of '{}'", -1.0: "1 / '{}'"}


class Formula(NamedTuple):
    """That a column is a function of others, as positions, in words that begin with 'is'."""

    column: int
    bases: tuple[int, ...]
    words: str  # with {} for the name of each base

    def at(self, places: Sequence[int]) -> "Formula":
        """The same formula between columns that stand at these places of a larger table."""
        return Formula(places[self.column], tuple(places[base] for base in self.bases), self.words)


class Table(NamedTuple):
    """Columns of numbers (N, D), NaN where missing, and some of their rows (M, D)."""

    values: Array
    screen: Array
    tolerances: Array  # (D,) by how much a column may differ from what it was computed from
    distinct: NDArray[np.intp]  # (D,) how many values each column has
    names: Mask  # (D,) which columns hold names, whose codes have no order

    def take(self, columns: Sequence[int]) -> "Table":
        """The table of some columns."""
        return Table(
            self.values[:, columns],
            self.screen[:, columns],
            self.tolerances[columns],
            self.distinct[columns],
            self.names[columns],
        )


def of_one(table: Table) -> Iterator[Formula]:
    """Columns that are a rescaled copy, a logarithm or a power of another one."""
    many = np.flatnonzero((table.distinct >= SEVERAL) & ~table.names)
    screen, positive = table.screen[:, many], (table.screen[:, many] > 0) | np.isnan(table.screen[:, many])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs, shifted = np.log(np.abs(screen)), np.log1p(np.where(screen > -1, screen, np.nan))
        logs[~np.isfinite(logs)] = np.nan
    for kind, left, right in (
        ("line", screen, screen),
        ("logarithm", screen, np.where(positive.all(axis=0), logs, np.nan)),
        ("logarithm of one plus", screen, shifted),
        ("exponential", np.where(positive.all(axis=0), logs, np.nan), screen),
        ("power", logs, logs),
    ):
        close = np.abs(_correlations(left, right)) > ALMOST
        np.fill_diagonal(close, False)
        for column, base in np.argwhere(close):
            found = _ONE[kind](table, int(many[column]), int(many[base]))
            if found is not None:
                yield found


def of_two(table: Table) -> Iterator[Formula]:
    """Columns that are the product, the ratio, the sum or the difference of two others."""
    order = np.argsort(-np.count_nonzero(table.screen, axis=1), kind="stable")  # zeros tell little
    screen = table.screen[order]
    later = np.triu(np.outer(~table.names, ~table.names), 1)
    for words, operation, symmetric in _TWO:
        with np.errstate(divide="ignore", invalid="ignore"):
            computed = operation(screen[0][:, None], screen[0])
        pairs = later if symmetric else later | later.T
        for column in np.flatnonzero((table.distinct >= SEVERAL) & ~table.names):
            fits = pairs & ~_apart(screen[0, column], computed, table.tolerances[column])
            fits[column], fits[:, column] = False, False
            left, right = np.nonzero(fits)
            with np.errstate(divide="ignore", invalid="ignore"):
                tried = operation(screen[:FIRST, left], screen[:FIRST, right])
            fit = ~_apart(screen[:FIRST, column, None], tried, table.tolerances[column]).any(axis=0)
            for bases in zip(left[fit].tolist(), right[fit].tolist(), strict=True):
                formula = Formula(int(column), bases, words)
                if all(_holds(rows, table, formula, operation) for rows in (screen, table.values)):
                    yield formula


def _apart(column: Array, computed: Array, within: float) -> Mask:
    """Where what was computed contradicts a column; a missing cell does not."""
    return np.asarray(np.abs(computed - column) > within)


FIRST = 8  # rows in which all pairs are tried that fit in one
_TWO: tuple[tuple[str, Callable[[Array, Array], Array], bool], ...] = (
    ("the product of '{}' and '{}'", np.multiply, True),
    ("'{}' divided by '{}'", np.divide, False),
    ("the sum of '{}' and '{}'", np.add, True),
    ("'{}' minus '{}'", np.subtract, False),
)


def told(table: Table, column: int, base: int) -> Formula | None:
    """A formula by which the column is computed from the base, if one holds."""
    tried = (formula(table, column, base) for formula in _ONE.values())
    return next((formula for formula in tried if formula is not None), None)


def agrees(column: Array, computed: Array, within: float) -> bool:
    """Whether a column (N,) is what was computed for it (N,), in nearly all rows that have it."""
    there = np.isfinite(column)
    tried = there & np.isfinite(computed)
    if tried.sum() < max(NEARLY_ALL * there.sum(), 1):
        return False
    return bool((np.abs(column - computed)[tried] <= within).all())


def _holds(rows: Array, table: Table, formula: Formula, operation: Callable[[Array, Array], Array]) -> bool:
    left, right = formula.bases
    with np.errstate(divide="ignore", invalid="ignore"):
        computed = operation(rows[:, left], rows[:, right])
    return agrees(rows[:, formula.column], computed, float(table.tolerances[formula.column]))


def _line(table: Table, column: int, base: int) -> Formula | None:
    y, x = table.values[:, column], table.values[:, base]
    slope, start = _least_squares(x, y)
    if abs(start) <= table.tolerances[column]:
        start, slope = 0.0, _ratio(y, x)
    if not agrees(y, start + slope * x, float(table.tolerances[column])):
        return None
    return Formula(column, (base,), _told_line(start, slope))


def _told_line(start: float, slope: float) -> str:
    if abs(abs(slope) - 1) < SLIGHT:
        return f"{start:.6g} minus '{{}}'" if slope < 0 else f"'{{}}' plus {start:.6g}"
    scaled = f"'{{}}' divided by {1 / slope:.6g}" if abs(slope) < 1 else f"{slope:.6g} times '{{}}'"
    return f"{scaled} plus {start:.6g}" if start else scaled


def _logarithm(table: Table, column: int, base: int) -> Formula | None:
    y, x = table.values[:, column], table.values[:, base]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(x)
    slope, start = _least_squares(logs, y)
    holds = agrees(y, start + slope * logs, float(table.tolerances[column]))
    return Formula(column, (base,), "the logarithm of '{}'") if holds else None


def _exponential(table: Table, column: int, base: int) -> Formula | None:
    y, x = table.values[:, column], table.values[:, base]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slope, start = _least_squares(x, np.log(y))
        computed = np.exp(start + slope * x)
    holds = agrees(y, computed, float(table.tolerances[column]))
    return Formula(column, (base,), "the exponential of '{}'") if holds else None


def _logarithm_of_one_plus(table: Table, column: int, base: int) -> Formula | None:
    y, x = table.values[:, column], table.values[:, base]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log1p(x)
    holds = agrees(y, _ratio(y, logs) * logs, float(table.tolerances[column]))
    return Formula(column, (base,), "the logarithm of 1 + '{}'") if holds else None


def _power(table: Table, column: int, base: int) -> Formula | None:
    y, x = table.values[:, column], table.values[:, base]
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = _least_squares(np.log(np.abs(x)), np.log(np.abs(y)))[0]
        near = min(POWERS, key=lambda power: abs(power - exponent))
        computed = x**near
    if abs(near - exponent) > 0.02 or not agrees(y, _ratio(y, computed) * computed, float(table.tolerances[column])):
        return None
    return Formula(column, (base,), POWERS[near])


_ONE: dict[str, Callable[[Table, int, int], Formula | None]] = {
    "line": _line,
    "logarithm": _logarithm,
    "logarithm of one plus": _logarithm_of_one_plus,
    "exponential": _exponential,
    "power": _power,
}


def _least_squares(x: Array, y: Array) -> tuple[float, float]:
    """Slope and intercept of y on x, in rows that have both."""
    both = np.isfinite(x) & np.isfinite(y)
    if both.sum() < SEVERAL or np.ptp(x[both]) == 0:
        return 0.0, 0.0
    centre = x[both].mean()
    slope = float((x[both] - centre) @ y[both] / ((x[both] - centre) @ (x[both] - centre)))
    return slope, float(y[both].mean() - slope * centre)


def _ratio(y: Array, x: Array) -> float:
    """The slope of y on x through the origin, in rows that have both."""
    both = np.isfinite(x) & np.isfinite(y)
    return float(x[both] @ y[both] / (x[both] @ x[both])) if both.any() and x[both].any() else 0.0


def _correlations(left: Array, right: Array) -> Array:
    """(D, E): correlations of columns (M, D) and (M, E), each over the rows that have both."""
    there = [np.isfinite(part).astype(np.float64) for part in (left, right)]
    a, b = (np.where(np.isfinite(part), part - _centres(part), 0.0) for part in (left, right))
    rows = np.maximum(there[0].T @ there[1], 1)
    means = (a.T @ there[1]) / rows, (there[0].T @ b) / rows
    spreads = (a**2).T @ there[1] / rows - means[0] ** 2, there[0].T @ b**2 / rows - means[1] ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (a.T @ b / rows - means[0] * means[1]) / np.sqrt(spreads[0] * spreads[1])
    return np.asarray(np.nan_to_num(found))


def _centres(part: Array) -> Array:
    there = np.isfinite(part)
    return np.asarray(np.where(there, part, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1))
