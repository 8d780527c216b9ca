"""Least squares on standardized columns, and its t-test. Shapes: N rows, D variables, P regressors."""

import numpy as np
from scipy import linalg

from fipscm.arrays import Array, Mask
from fipscm.mechanism.edges.usable import usable_rows
from fipscm.significance import log_f_tail


def least_squares(z: Array, allowed: Mask, unusable: Mask | None = None) -> Array:
    """(N, D) centred columns -> (D, D) coefficients, row = effect; collinear causes share the effect between them.

    A node is fitted on the rows that are not `unusable` (N, D) for it.
    """
    weights = np.zeros(allowed.shape)
    for node in np.flatnonzero(allowed.any(axis=1)):
        causes, rows = allowed[node], usable_rows(z, node, unusable)
        # Only rounding errors count as zero, so that nearly collinear causes still get coefficients of their own.
        weights[node, causes] = linalg.lstsq(rows[:, causes], rows[:, node], cond=1e-12)[0]
    return weights


def log_p_values(x: Array, y: Array, rows: int | None = None) -> Array:
    """(N, P), (N,) -> (P,) logarithms of the two-sided p-values of each coefficient being zero.

    A coefficient that the rows cannot determine has no evidence for it: its p-value is one. `rows` counts the
    observations when x and y are a triangular factor that stands for more of them.
    """
    regressors = x.shape[1]
    freedom = (len(x) if rows is None else rows) - regressors - 1
    if freedom < 1 or regressors == 0:
        return np.zeros(regressors)
    q, r, pivots = linalg.qr(x, mode="economic", pivoting=True)
    rank = int((np.abs(np.diag(r)) > 1e-10 * np.abs(r[0, 0])).sum())
    inverse = linalg.solve_triangular(r[:rank, :rank], np.eye(rank))
    projection = q[:, :rank].T @ y
    residual = y - q[:, :rank] @ projection
    error = np.sqrt((inverse**2).sum(axis=1) * (residual @ residual) / freedom)
    log_p = np.zeros(regressors)
    # The square of Student's t has an F distribution; its logarithm stays finite where t squared would overflow.
    with np.errstate(divide="ignore"):
        log_t = np.log(np.abs(inverse @ projection)) - np.log(np.maximum(error, 1e-300))
    log_p[pivots[:rank]] = log_f_tail(2 * log_t, 1, freedom)
    return log_p


def eliminate_linear(x: Array, y: Array, limits: Array) -> Array:
    """Log p-values (P,) of each regressor when it was removed, or at the end where it stays below its limit (P,).

    The least significant one is removed first: a true cause that the other columns nearly determine becomes significant
    only after they are removed.
    """
    # All that least squares needs of the rows is their triangular factor.
    factor = linalg.qr(np.column_stack([x, y]), mode="r")[0][: x.shape[1] + 1]
    log_p = np.zeros(x.shape[1])
    staying = list(range(x.shape[1]))
    while staying:
        log_p[staying] = log_p_values(factor[:, staying], factor[:, -1], len(x))
        weakest = max(staying, key=lambda regressor: log_p[regressor] - limits[regressor])
        if log_p[weakest] < limits[weakest]:
            break
        staying.remove(weakest)
    return log_p
