"""Whether a question leads to where the model has seen no rows. Shapes: N values."""

import warnings
from collections.abc import Hashable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fipscm.arrays import Array
from fipscm.mechanism.learned import LearnedSCM
from fipscm.scm.intervention import Do, Intervention, Shift

MARGIN = 0.1  # of a column's range: a little beyond the outermost row is not far


def distances(values: Array, low: float, high: float) -> Array:
    """(N,) how far each value (N,) lies outside of a range, as a share of the range; zero within.

    >>> distances(np.array([-1.0, 5.0, 30.0]), 0.0, 10.0)
    array([0.1, 0. , 2. ])
    """
    outside = np.maximum(low - values, values - high)
    return np.asarray(np.maximum(outside, 0) / (high - low))


def warn_of_extrapolation(scm: LearnedSCM, asked: Mapping[Hashable, ArrayLike]) -> None:
    """Warn once for each column of which the values asked for lie far beyond the rows that the model has seen."""
    for name, values in asked.items():
        column = scm.names.index(name)
        low, high = scm.low[column], scm.high[column]
        numbers = np.asarray(values, dtype=np.float64)
        outside = distances(numbers, low, high)
        far = np.count_nonzero(outside > MARGIN)
        if far:
            count = f" (the farthest of {far} such values)" if far > 1 else ""
            warnings.warn(
                f"The model has seen no '{name}' near {numbers[outside.argmax()]:g}{count}: its rows go from {low:g} "
                f"to {high:g}, so the answer extrapolates.",
                UserWarning,
                stacklevel=4,  # where the model was asked
            )


def values_set(scm: LearnedSCM, do: Do | Intervention) -> dict[Hashable, Array]:
    """The values (N,) that an intervention sets by name; shifts and functions set none by themselves."""
    rules = Intervention.parse(do, scm.names).rules
    return {
        scm.names[column]: np.ravel(rule)
        for column, rule in rules.items()
        if not isinstance(rule, Shift) and not callable(rule)
    }


def values_reached(scm: LearnedSCM, do: Do | Intervention, answers: pd.DataFrame) -> dict[Hashable, Array]:
    """The values (N,) by name that shifts and functions have led to, in the answers of a model."""
    rules = Intervention.parse(do, scm.names).rules
    moved = [scm.names[column] for column, rule in rules.items() if isinstance(rule, Shift) or callable(rule)]
    return {name: answers[name].to_numpy(dtype=np.float64) for name in moved}
