"""An effect that acts back on its cause, weakly and until both have settled. Shapes: N rows.

Of x = u + b y and y = a x + v, the solution is x = (u + b v) / (1 - a b) and still y = a x + v: the weak arrow brings
some of the effect's noise v to the cause. Averages over time of two columns that act on each other have the same form.
The stronger direction is the true one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fipscm.arrays import Adjacency, Array
from fipscm.simulate.ingredients.columns import tamed

BACK = 0.05, 0.3  # weight of the effect's noise beside a cause with standard deviation one


class Feedback(NamedTuple):
    """A cause, the effect that acts back on it, and the weight of the effect's noise."""

    cause: int
    effect: int
    weight: float

    def settled(self, cause: Array, noise: Array) -> Array:
        """(N,) the cause as it were without feedback, and the effect's noise (N,) -> (N,)."""
        return tamed(cause + self.weight * noise)


def sample_feedback(edges: Adjacency, is_free: Sequence[bool], rng: np.random.Generator) -> Feedback | None:
    """Draw an edge between two nodes that are free for it, and how strongly its effect acts back."""
    free = np.array(is_free)
    possible = np.argwhere((edges == 1) & np.outer(free, free))
    if not len(possible):
        return None
    cause, effect = possible[rng.integers(len(possible))].tolist()
    return Feedback(cause, effect, float(rng.choice([-1.0, 1.0]) * rng.uniform(*BACK)))
