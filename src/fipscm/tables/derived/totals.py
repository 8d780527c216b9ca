"""Columns that are sums of others: exact linear dependences. Shapes: N rows, D columns."""

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Array
from fipscm.tables.derived.formulas import NEARLY_ALL, Formula, Table, agrees

ROWS_PER_COLUMN = 3  # with as many rows as columns, every column is a sum of the others
MOST_PARTS = 20  # a sum of more parts than a reader would look through explains nothing
_ROUNDING = 1e-5  # in standard deviations: what is left of a sum is rounding
_NEGLIGIBLE = 1e-3  # in standard deviations: the weight of a column that has no part in a sum


def sums(table: Table) -> list[Formula]:
    """The ways to write one linear dependence: each column in it as a sum of the others; none if there is none.

    A column that is the plain total of the others comes first.
    """
    found = _dependence(table)
    if found is None:
        return []
    members, weights, constant = found
    totals, others = [], []
    plain = np.allclose(np.abs(weights), 1.0, atol=_NEGLIGIBLE)
    for place, column in enumerate(members.tolist()):
        parts, bases = -np.delete(weights, place) / weights[place], tuple(np.delete(members, place).tolist())
        named = ", ".join(["'{}'"] * (len(bases) - 1)) + " and '{}'"
        if plain and (parts > 0).all() and abs(constant) < _NEGLIGIBLE:
            totals.append(Formula(column, bases, f"the sum of {named}"))
        elif plain and (parts < 0).all() and (table.distinct[members] == 2).all():
            others.append(Formula(column, bases, f"{constant / weights[place]:.6g} minus the sum of {named}"))
        elif plain:
            others.append(Formula(column, *_signed(bases, parts, constant / float(weights[place]))))
        else:
            others.append(Formula(column, bases, f"a weighted sum of {named}"))
    return totals + others


def _signed(bases: tuple[int, ...], parts: Array, constant: float) -> tuple[tuple[int, ...], str]:
    """The parts that are added, then those that are taken away, and the same in words."""
    added, taken = (
        [base for base, part in zip(bases, parts, strict=True) if (part > 0) == sign] for sign in (True, False)
    )
    terms = (
        ["'{}'" for _ in added]
        if abs(constant) < _NEGLIGIBLE or constant < 0
        else [f"{constant:.6g}", *("'{}'" for _ in added)]
    )
    less = ["'{}'" for _ in taken] + ([f"{-constant:.6g}"] if constant <= -_NEGLIGIBLE else [])
    return (*added, *taken), " minus ".join([" plus ".join(terms), *less])


def _varied_rows(values: Array) -> int:
    """In how many rows (N, D) the columns do not have their commonest values."""
    return len(values) - int(np.unique(values, axis=0, return_counts=True)[1].max())


def _dependence(table: Table) -> tuple[NDArray[np.intp], Array, float] | None:
    """Columns, the weights with which they add up to a constant in all rows, and the constant; the last weight is 1."""
    held = np.flatnonzero((np.isnan(table.values).mean(axis=0) < 1 - NEARLY_ALL) & ~table.names)
    complete = table.values[:, held][~np.isnan(table.values[:, held]).any(axis=1)]
    if len(complete) < ROWS_PER_COLUMN * len(held):
        return None
    drawn = complete[:: max(1, len(complete) // max(len(table.screen), ROWS_PER_COLUMN * len(held)))]
    spread = drawn.std(axis=0) + (drawn.std(axis=0) == 0)
    triangle = np.linalg.qr((drawn - drawn.mean(axis=0)) / spread, mode="r") / np.sqrt(len(drawn))
    basis: list[int] = []
    for column in range(len(held)):
        parts = np.linalg.lstsq(triangle[:, basis], triangle[:, column], rcond=None)[0]
        left = np.linalg.norm(triangle[:, column] - triangle[:, basis] @ parts)
        used = np.append(np.array(basis, dtype=np.intp)[np.abs(parts) > _NEGLIGIBLE], column)
        if left < _ROUNDING and 3 <= len(used) <= MOST_PARTS:
            weights = spread[column] * np.append(-parts[np.abs(parts) > _NEGLIGIBLE], 1.0) / spread[used]
            constant = float(np.median(complete[:, used] @ weights))
            computed = constant - complete[:, used[:-1]] @ weights[:-1]
            within = float(table.tolerances[held[column]])
            if agrees(complete[:, column], computed, within) and _varied_rows(
                complete[:, used]
            ) >= ROWS_PER_COLUMN * len(used):
                return held[used], weights, constant
        basis.append(column)
    return None
