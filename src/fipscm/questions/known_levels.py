"""Whether a question speaks of levels that a column has."""

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fipscm.arrays import Array
from fipscm.errors import DataError
from fipscm.graph import listed
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.response.thresholds import Thresholds
from fipscm.scm.intervention import Do, Intervention, Shift
from fipscm.tables.columns import NEARLY


def require_known_levels(scm: LearnedSCM, asked: Mapping[Hashable, ArrayLike]) -> None:
    """Refuse values of binary and ordinal columns that are none of their levels, and of counts that count nothing."""
    for name, values in asked.items():
        response = scm.responses[scm.names.index(name)]
        numbers = np.ravel(np.asarray(values, dtype=np.float64))
        if isinstance(response, Thresholds):
            nearest = response.levels[response.places(numbers)]
            wrong = np.flatnonzero(np.abs(numbers - nearest) > NEARLY)
            if len(wrong):
                known = listed([f"{level:g}" for level in response.levels], most=20)
                raise DataError(f"{numbers[wrong[0]]:g} is not a level of column '{name}': choose one of {known}.")
        if response.kind == "count":
            wrong = np.flatnonzero((numbers < 0) | (np.abs(numbers - np.round(numbers)) > NEARLY))
            if len(wrong):
                raise DataError(
                    f"Column '{name}' holds counts, and {numbers[wrong[0]]:g} is none: give a whole number from 0 up."
                )


def within_levels(scm: LearnedSCM, do: Do | Intervention) -> Do | Intervention:
    """The same intervention, whose shifts leave no count below zero and no column of levels beyond its outermost ones.

    A warning says so if that would happen to rows like those that the model has seen.
    """
    if isinstance(do, Intervention):
        return replace(do, rules={column: _limited(scm, column, rule) for column, rule in do.rules.items()})
    places = {name: column for column, name in enumerate(scm.names)}
    return {name: _limited(scm, places[name], rule) if name in places else rule for name, rule in do.items()}


def _limited(scm: LearnedSCM, column: int, rule: Any) -> Any:
    """A shift of a column that has levels or counts, within its ends; any other rule as it is."""
    response = scm.responses[column]
    if not isinstance(rule, Shift) or not (isinstance(response, Thresholds) or response.kind == "count"):
        return rule
    low, high = (response.levels[0], response.levels[-1]) if isinstance(response, Thresholds) else (0.0, np.inf)
    least, most = float(np.min(rule.amount)), float(np.max(rule.amount))
    ends = [low] if scm.box.low[column] + least < low else []
    ends += [high] if scm.box.high[column] + most > high else []
    if ends:
        told = " or ".join(f"{end:g}" for end in ends)
        warnings.warn(
            f"'{scm.names[column]}' ends at {told}: rows that the shift would take farther stay there.",
            UserWarning,
            stacklevel=5,  # where the model was asked
        )
    return replace(rule, low=float(low), high=float(high))


def levels_of(scm: LearnedSCM) -> dict[Hashable, Array]:
    """The levels of binary and ordinal columns, by name."""
    found = zip(scm.names, scm.responses, strict=True)
    return {name: response.levels for name, response in found if isinstance(response, Thresholds)}
