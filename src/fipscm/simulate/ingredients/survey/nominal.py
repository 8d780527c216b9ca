"""Columns of levels without an order, such as a site, a region or an occupation. Shapes: N rows, P causes, L levels."""

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Array
from fipscm.simulate.ingredients.columns import is_informative

MOST_NOMINAL_LEVELS = 8


def sample_levels(scores: Array, most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """(N, P) scores of the causes -> (N,) codes, by a multinomial logit; without causes, with any frequencies."""
    rows, causes = scores.shape
    levels = int(rng.integers(3, most + 1))
    frequencies = np.log(rng.dirichlet(np.full(levels, rng.uniform(0.7, 8.0))) + 0.01)
    slopes = rng.uniform(0.3, 1.5) * rng.standard_normal((causes, levels))
    codes = (frequencies + scores @ slopes + rng.gumbel(size=(rows, levels))).argmax(axis=1)
    return codes if is_informative(codes.astype(np.float64)) else rng.permutation(rows) % levels
