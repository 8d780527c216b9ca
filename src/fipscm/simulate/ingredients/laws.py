"""Laws of noise as training tables have them. Laplace noise belongs to the test distribution and stays out."""

import numpy as np

from fipscm.arrays import Array
from fipscm.simulate.ingredients.monotone_maps import MonotoneMap
from fipscm.simulate.noises import NOISES, Draw

MOST_CLUSTERS = 5


def any_smooth(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw a smooth law, skewed, heavy or light in its tails, and then from it."""
    return MonotoneMap.sample(rng)(rng.standard_normal(shape))


def clusters(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Draw a few groups of values, and then from them."""
    count = int(rng.integers(2, MOST_CLUSTERS + 1))
    group = rng.choice(count, shape, p=rng.dirichlet(np.full(count, 2.0)))
    centres, widths = rng.standard_normal(count), rng.uniform(0.1, 1.0, count)
    return np.asarray(centres[group] + widths[group] * rng.standard_normal(shape))


# "unit" is "uniform" in other units.
LAWS: dict[str, Draw] = {
    **{name: draw for name, draw in NOISES.items() if name not in ("laplace", "unit")},
    "any-smooth": any_smooth,
    "clusters": clusters,
}
