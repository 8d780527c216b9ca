"""Symmetric matrices that should be positive definite: factored, solved and inverted whatever rounding left of them.

Collinear columns, repeated rows and regressions without noise make a Gram matrix singular up to rounding errors. Then
a little is added to its diagonal, at first no more than rounding errors are; if that does not help, eigenvalues that
rounding cannot tell from zero are raised to where it can. Shapes: N rows of the matrix, M right-hand sides.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from fipscm.arrays import Array

JITTERS = (0.0, 1e-12, 1e-10, 1e-8)  # of the mean of the diagonal; a matrix of rows of unit variance does not feel them
SMALLEST_EIGENVALUE = 1e-10  # of the largest one


def lower_factor(matrix: Array) -> Array:
    """(N, N) -> (N, N), lower triangular, whose product with its transpose is the matrix as far as rounding tells.

    >>> lower_factor(np.ones((2, 2))).round(3)
    array([[1., 0.],
           [1., 0.]])
    """
    if not matrix.size:
        return matrix.copy()
    diagonal = matrix.diagonal()
    for jitter in JITTERS:
        raised = matrix.copy()  # LAPACK reads the transpose of what NumPy holds, which is the same matrix
        raised.flat[:: len(matrix) + 1] = diagonal + jitter * diagonal.mean()
        factor, failed = linalg.lapack.dpotrf(raised.T, lower=1, clean=1, overwrite_a=1)
        if not failed:
            return np.asarray(factor)
    values, vectors = np.linalg.eigh(matrix)
    roots = np.sqrt(np.maximum(values, SMALLEST_EIGENVALUE * values[-1]))
    triangle = linalg.qr((vectors * roots).T, mode="r", check_finite=False)[0]
    return np.asarray((triangle * np.where(triangle.diagonal() < 0, -1.0, 1.0)[:, None]).T)


def solve(matrix: Array, right: ArrayLike) -> Array:
    """(N, N) and (N,) or (N, M) -> x such that matrix @ x is the right-hand side."""
    if not matrix.size:
        return np.array(right, dtype=np.float64)
    return np.asarray(linalg.cho_solve((lower_factor(matrix), True), right, check_finite=False))


def inverse(matrix: Array) -> Array:
    """(N, N) -> (N, N)."""
    return solve(matrix, np.eye(len(matrix)))
