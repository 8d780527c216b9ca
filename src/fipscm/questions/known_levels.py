"""Whether a question speaks of levels that a column has."""

from collections.abc import Hashable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from fipscm.arrays import Array
from fipscm.errors import DataError
from fipscm.graph import listed
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.response.thresholds import Thresholds
from fipscm.tables.columns import NEARLY


def require_known_levels(scm: LearnedSCM, asked: Mapping[Hashable, ArrayLike]) -> None:
    """Refuse values of binary and ordinal columns that are none of their levels, and counts below zero."""
    for name, values in asked.items():
        response = scm.responses[scm.names.index(name)]
        numbers = np.ravel(np.asarray(values, dtype=np.float64))
        if isinstance(response, Thresholds):
            nearest = response.levels[response.places(numbers)]
            wrong = np.flatnonzero(np.abs(numbers - nearest) > NEARLY)
            if len(wrong):
                known = listed([f"{level:g}" for level in response.levels], most=20)
                raise DataError(f"{numbers[wrong[0]]:g} is not a level of column '{name}': choose one of {known}.")
        if response.kind == "count" and (numbers < 0).any():
            raise DataError(
                f"Column '{name}' holds counts, but {numbers.min():g} is negative: give a number from 0 up."
            )


def levels_of(scm: LearnedSCM) -> dict[Hashable, Array]:
    """The levels of binary and ordinal columns, by name."""
    found = zip(scm.names, scm.responses, strict=True)
    return {name: response.levels for name, response in found if isinstance(response, Thresholds)}
