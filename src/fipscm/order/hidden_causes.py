"""Pairs of columns that may share a hidden cause, as the order model sees it. Shapes: N rows, D variables."""

from collections.abc import Hashable, Sequence

import numpy as np

from fipscm.arrays import Array
from fipscm.order.readings import first_look
from fipscm.order.weights import Encoder

LIKELY = 0.5  # a pair counts as suspect where a hidden cause is more likely than not
Suspect = tuple[Hashable, Hashable, float]  # two columns, and the probability of a hidden cause of both


def hidden_causes(values: Array, raw: bool = False, encoder: Encoder | None = None) -> Array | None:
    """(D, D), the probability that a hidden variable causes both columns of rows (N, D); None if no encoder tells."""
    return first_look(values, raw, encoder)[0]


def suspects(names: Sequence[Hashable], probabilities: Array, limit: float = LIKELY) -> list[Suspect]:
    """Pairs that probably share a hidden cause, the likeliest first.

    >>> suspects(["a", "b"], np.array([[0.0, 0.8], [0.8, 0.0]]))
    [('a', 'b', 0.8)]
    """
    above = np.triu(probabilities, 1)
    likely = [(names[i], names[j], float(above[i, j])) for i, j in np.argwhere(above > limit)]
    return sorted(likely, key=lambda pair: -pair[2])
