"""Does the noise of a node depend on columns in more than its mean? Cheap tests. Shapes: N rows, P columns, K columns.

Sizes and signs of the residuals are regressed on normal scores of the columns and on their squares. All of it goes by
ranks: heavy tails alone make no difference.
"""

import numpy as np
from scipy import linalg, special, stats

from fipscm.arrays import Array
from fipscm.significance import log_f_tail

_MOST_ROWS = 20_000  # more would find differences that do not matter


def log_p_of_unevenness(columns: Array, residual: Array) -> float:
    """Log p-value of the sizes of residuals (N,) not depending on columns (N, P)."""
    residual = residual[:_MOST_ROWS]
    return _log_p(np.ones((len(residual), 1)), _functions(columns[:_MOST_ROWS]), _sizes(residual))


def log_p_of_uneven_shape(columns: Array, residual: Array) -> float:
    """Log p-value of neither sizes nor signs of residuals (N,) depending on columns (N, P)."""
    residual = residual[:_MOST_ROWS]
    one, functions = np.ones((len(residual), 1)), _functions(columns[:_MOST_ROWS])
    scores = _sizes(residual), np.sign(residual - np.median(residual))
    return min(0.0, min(_log_p(one, functions, score) for score in scores) + float(np.log(2)))


def log_p_of_each(columns: Array, residual: Array, known: Array) -> Array:
    """(K,) log p-values: do the sizes of residuals (N,) depend on a column (N, K), beside the known ones (N, P)?"""
    residual, known = residual[:_MOST_ROWS], known[:_MOST_ROWS]
    beside = np.column_stack([np.ones(len(residual)), _functions(known)])
    basis = linalg.qr(beside, mode="economic")[0]
    functions, left = (_without(basis, part) for part in (_functions(columns[:_MOST_ROWS]), _sizes(residual)))
    own = np.arange(columns.shape[1])[:, None] + [0, columns.shape[1]]
    return np.array([_log_p_of_rest(functions[:, both], left, beside.shape[1]) for both in own])


def _sizes(residual: Array) -> Array:
    return _scores(np.abs(residual)[:, None])[:, 0]


def _functions(columns: Array) -> Array:
    """(N, P) -> (N, 2 P)."""
    scores = _scores(columns)
    return np.hstack([scores, np.square(scores)])


def _scores(columns: Array) -> Array:
    """(N, P) -> (N, P), the normal quantiles of ranks."""
    return np.asarray(special.ndtri((stats.rankdata(columns, axis=0) - 0.5) / len(columns)))


def _log_p(beside: Array, functions: Array, y: Array) -> float:
    """Log p-value of the functions (N, F) adding nothing to those beside them (N, G), for an effect y (N,)."""
    basis = linalg.qr(beside, mode="economic")[0]
    return _log_p_of_rest(_without(basis, functions), _without(basis, y), beside.shape[1])


def _without(basis: Array, values: Array) -> Array:
    """What an orthonormal basis (N, G) leaves of values (N, ...)."""
    return np.asarray(values - basis @ (basis.T @ values))


def _log_p_of_rest(functions: Array, left: Array, taken: int) -> float:
    """Log p-value of functions (N, F) saying nothing about what is left (N,), after so many others were taken out."""
    q, r, _ = linalg.qr(functions, mode="economic", pivoting=True)
    size = np.abs(np.diag(r))
    rank = int((size > 1e-8 * np.sqrt(len(left))).sum())
    freedom = len(left) - taken - rank
    if rank == 0 or freedom < 1:
        return 0.0
    explained = float(np.square(q[:, :rank].T @ left).sum())
    error = max(float(left @ left) - explained, 1e-12 * len(left))
    with np.errstate(divide="ignore"):
        return float(log_f_tail(np.log(explained / error * freedom / rank), rank, freedom))
