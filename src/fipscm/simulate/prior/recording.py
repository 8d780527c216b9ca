"""What happens to a whole table when it is recorded. Shapes: N rows, D columns."""

import math

import numpy as np

from fipscm.arrays import Array
from fipscm.simulate.ingredients.columns import is_informative
from fipscm.simulate.ingredients.measurement_models import missing_at_random, missing_by_column, repeated_rows

REPEATED_ROWS, INCOMPLETE = 0.1, 0.2  # shares of the tables


def recorded_rows(values: Array, rng: np.random.Generator) -> tuple[Array, set[str]]:
    """Repeat rows and lose cells, now and then, as long as every column can still be learned from."""
    used: set[str] = set()
    if rng.random() < REPEATED_ROWS:
        repeated = values[repeated_rows(len(values), rng)]
        if all(is_informative(column) for column in repeated.T):
            values, used = repeated, {"repeated-rows"}
    if rng.random() < INCOMPLETE:
        at_random = rng.random() < 0.5
        lost = (missing_at_random if at_random else missing_by_column)(values, rng)
        lost &= [is_informative(column[~gone]) for column, gone in zip(values.T, lost.T, strict=True)]
        values = np.where(lost, np.nan, values)
        used |= {"missing-at-random" if at_random else "missing-by-column"} if lost.any() else set()
    return values, used


def random_units(columns: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw a scale (D,) and an origin (D,) for every column: the units of real tables say little."""
    return np.exp(rng.uniform(math.log(0.01), math.log(100.0), columns)), rng.uniform(-3, 3, columns)


def in_units(values: Array, scale: Array, origin: Array) -> Array:
    """(N, D) with a scale and an origin for every column; levels keep their whole numbers."""
    are_levels = (np.nan_to_num(values) % 1 == 0).all(axis=0)
    return np.where(are_levels, values, scale * (values + origin))
