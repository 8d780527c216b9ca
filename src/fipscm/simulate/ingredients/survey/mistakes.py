"""Bad cells: typing errors and codes that stand for no answer. Shapes: N rows."""

import numpy as np

from fipscm.arrays import Array

MOST = 0.01  # share of the cells of a column
CODES = (-9.0, -1.0, 0.0, 99.0, 999.0, 9999.0)


def with_bad_cells(values: Array, rng: np.random.Generator) -> Array:
    """(N,) -> the same with some cells ten times too large or small, or with a code in their place."""
    hit = rng.random(len(values)) < rng.uniform(0.0, MOST)
    hit[rng.integers(len(values))] = True
    wrong = np.full_like(values, rng.choice(CODES)) if rng.random() < 0.5 else values * rng.choice([0.1, 10.0, -1.0])
    return np.where(hit, wrong, values)
