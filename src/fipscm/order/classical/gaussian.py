"""Could a table be linear with normal noise? Then its standardized columns do not show who causes whom.

Shapes: N rows, D variables. All columns together are then normal, and what one column has beyond all the others is
normal and independent of them, whatever the order. Tested are skewness and kurtosis of columns and remainders, and rank
correlations between remainders, columns and their distances from the mean: they see almost every departure from that.
"""

import numpy as np
from scipy import linalg, stats

from fipscm.arrays import Array
from fipscm.factorisation import inverse
from fipscm.order.evidence.table import normal_scores
from fipscm.robust import tame_rows

LEAST_OWN_SHARE = 1e-6  # of a column's spread that is its own


def p_of_linear_gaussian(values: Array) -> float:
    """The p-value of rows (N, D) being drawn from one normal distribution, corrected for all that was tested.

    >>> rng = np.random.default_rng(0)
    >>> cause, noise = rng.normal(size=(2, 1000))
    >>> p_of_linear_gaussian(np.column_stack([cause, cause + noise])) > 0.05
    True
    >>> p_of_linear_gaussian(np.column_stack([cause, cause**2 + noise])) > 0.05
    False
    """
    z = undetermined(standardized_columns(values[tame_rows(values)]))
    beyond = standardized_columns(z @ inverse(z.T @ z / len(z)))
    shapes = stats.jarque_bera(np.hstack([z, beyond]), axis=0).pvalue
    far, wide = np.abs(z), np.abs(beyond)
    correlations = [p_of_correlations(a, b) for a, b in ((beyond, far), (wide, z), (wide, far))]
    p_values = np.concatenate([shapes, *correlations])
    return float(min(1.0, p_values.min() * len(p_values)))


def undetermined(z: Array) -> Array:
    """The columns of (N, D) that no others determine."""
    _, triangle, order = linalg.qr(z, mode="economic", pivoting=True)
    return z[:, np.sort(order[: (np.abs(np.diag(triangle)) > LEAST_OWN_SHARE * len(z) ** 0.5).sum()])]


def p_of_correlations(one: Array, other: Array) -> Array:
    """(D * (D - 1),) p-values of the rank correlations of each column of one (N, D) with all others of the other."""
    rows, columns = one.shape
    correlation = standardized_columns(normal_scores(one)).T @ standardized_columns(normal_scores(other)) / rows
    correlation = np.clip(correlation[~np.eye(columns, dtype=bool)], -1, 1)
    return np.asarray(stats.beta(rows / 2 - 1, rows / 2 - 1, loc=-1, scale=2).sf(np.abs(correlation)) * 2)


def standardized_columns(values: Array) -> Array:
    """(N, D) -> (N, D) with mean zero and variance one; a constant becomes zero."""
    centred = values - values.mean(axis=0)
    return np.asarray(centred / np.maximum(centred.std(axis=0), np.finfo(np.float64).tiny))
