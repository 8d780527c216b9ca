"""Whether a question speaks of values that a column may have."""

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fipscm.arrays import Array, Order
from fipscm.errors import DataError
from fipscm.graph import listed
from fipscm.mechanism.learned import LearnedSCM
from fipscm.scm.intervention import Do, Intervention, Shift
from fipscm.tables.columns import NEARLY


def require_known_levels(scm: LearnedSCM, asked: Mapping[Hashable, ArrayLike]) -> None:
    """Refuse values of columns with levels that are none of them, of counts that count nothing, and amounts below zero.

    Levels of categories are their codes.
    """
    for name, values in asked.items():
        response = scm.mechanisms[scm.names.index(name)].response
        numbers = np.ravel(np.asarray(values, dtype=np.float64))
        if response.levels is not None:
            wrong = np.flatnonzero(np.abs(numbers - nearest_levels(response.levels, numbers)) > NEARLY)
            if len(wrong):
                known = listed([f"{level:g}" for level in response.levels], most=20)
                raise DataError(f"{numbers[wrong[0]]:g} is not a level of column '{name}': choose one of {known}.")
        elif response.kind == "count":
            wrong = np.flatnonzero((numbers < 0) | (np.abs(numbers - np.round(numbers)) > NEARLY))
            if len(wrong):
                raise DataError(
                    f"Column '{name}' holds counts, and {numbers[wrong[0]]:g} is none: give a whole number from 0 up."
                )
        elif response.discrete and (numbers < response.span[0]).any():
            raise DataError(f"Column '{name}' holds amounts, and {numbers.min():g} is none: give a number from 0 up.")


def within_levels(scm: LearnedSCM, do: Do | Intervention) -> Do | Intervention:
    """The same intervention, whose shifts leave no count below zero and no column of levels beyond its outermost ones.

    A warning says so if that would happen to rows like those that the model has seen.
    """
    if isinstance(do, Intervention):
        return replace(do, rules={column: _limited(scm, column, rule) for column, rule in do.rules.items()})
    places = {name: column for column, name in enumerate(scm.names)}
    return {name: _limited(scm, places[name], rule) if name in places else rule for name, rule in do.items()}


def _limited(scm: LearnedSCM, column: int, rule: Any) -> Any:
    """A shift of a column that has levels, counts or amounts, within its ends; any other rule as it is."""
    response = scm.mechanisms[column].response
    if not isinstance(rule, Shift) or not response.discrete:
        return rule
    low, high = response.span
    least, most = float(np.min(rule.amount)), float(np.max(rule.amount))
    ends = [low] if scm.low[column] + least < low else []
    ends += [high] if scm.high[column] + most > high else []
    if ends:
        told = " or ".join(f"{end:g}" for end in ends)
        warnings.warn(
            f"'{scm.names[column]}' ends at {told}: rows that the shift would take farther stay there.",
            UserWarning,
            stacklevel=6,  # where the model was asked
        )
    return replace(rule, low=low, high=high)


def levels_of(scm: LearnedSCM) -> dict[Hashable, Array]:
    """The levels of binary and ordinal columns, by name."""
    found = zip(scm.names, (mechanism.response for mechanism in scm.mechanisms), strict=True)
    return {
        name: response.levels for name, response in found if response.levels is not None and not response.is_category
    }


def category_sizes(scm: LearnedSCM) -> Order:
    """(D,), how many levels each category has; zero for other columns."""
    return np.array([each.width if each.response.is_category else 0 for each in scm.mechanisms], dtype=np.intp)


def nearest_levels(levels: Array, values: Array) -> Array:
    """(L,), (N,) -> (N,), the level that each value is nearest to.

    >>> nearest_levels(np.array([0.0, 1.0, 5.0]), np.array([0.4, 4.0])).tolist()
    [0.0, 5.0]
    """
    return np.asarray(levels[np.abs(values[:, None] - levels).argmin(axis=1)])
