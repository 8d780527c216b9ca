"""Which rows come into a table at all. Shapes: N rows, D numeric columns."""

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Array
from fipscm.simulate.ingredients.functions import standardized


def selected_rows(records: Array, keep: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """(N, D) -> (keep,) the rows that are highest in a column or in the sum of two, strictly or by tendency."""
    columns = rng.choice(records.shape[1], min(records.shape[1], int(rng.integers(1, 3))), replace=False)
    signs = rng.choice([-1.0, 1.0], len(columns))
    criterion = np.column_stack([standardized(records[:, column]) for column in columns]) @ signs
    chance = 0.0 if rng.random() < 0.5 else rng.uniform(0.1, 1.0)
    criterion = criterion + (chance + 1e-9) * rng.standard_normal(len(criterion))  # ties fall by chance
    return np.sort(np.argpartition(criterion, -keep)[-keep:])
