"""Noises that are large in the same rows. Shapes: N rows, D variables, P pairs.

A hidden common cause of two columns has a share in the noises of both. An edge between the two may explain all that is
straight about it, and leave noises that are not correlated. Still, both are large in the rows in which the hidden cause
is far out, unless all of it is normal. Unlike kernel tests this takes all rows, so that it sees what these overlook.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from fipscm.arrays import Array
from fipscm.order.evidence.table import normal_scores


class Pair(NamedTuple):
    """Two columns, the correlation of the sizes of their noises, and the chance of such a one if they are independent.

    The p-value is corrected for the number of pairs.
    """

    first: int
    second: int
    correlation: float
    p_value: float


def size_correlations(noises: Array) -> list[Pair]:
    """Of all pairs of noises (N, D), whatever their laws and signs; the strongest first."""
    sizes = np.abs(normal_scores(noises))
    centred = sizes - sizes.mean(axis=0)
    standardized = centred / np.maximum(centred.std(axis=0), 1e-9)
    correlations = standardized.T @ standardized / len(noises)
    rows, columns = np.triu_indices(noises.shape[1], 1)
    found = correlations[rows, columns]
    p_values = np.minimum(1.0, len(found) * stats.norm.sf(np.sqrt(len(noises)) * found))
    strongest = np.argsort(-found)
    return [Pair(int(rows[i]), int(columns[i]), float(found[i]), float(p_values[i])) for i in strongest]
