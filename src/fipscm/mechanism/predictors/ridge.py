"""Ridge regression on the functions of a basis, solved in the functions or, if these are many more, in the rows.

Shapes: N rows, F inputs, M functions. With functions A (N, M) at the rows, a diagonal matrix W of the rows' weights and
L of the functions' penalties, the coefficients are

    (A'WA + L)^-1 A'Wy = L^-1 A' (A L^-1 A' + W^-1)^-1 y

On the left a matrix of functions is factored, on the right one of rows.
"""

from collections.abc import Iterator

import numpy as np
from scipy import linalg

from fipscm.arrays import Array
from fipscm.factorisation import lower_factor
from fipscm.mechanism.predictors.basis import CHUNK, Basis

MOST_KEPT = 20_000_000  # values of functions that are kept for another fit: 160 MB


class Ridge:
    """Rows of standardized inputs (N, F), factored once: any number of columns of the same rows is then fitted fast.

    Rows may have weights (N,), by which the squares of their errors are multiplied.
    """

    def __init__(self, basis: Basis, z: Array, penalties: Array, weights: Array | None = None) -> None:
        self._basis, self._z, self._penalties = basis, z, penalties
        self._weights = np.ones(len(z)) if weights is None else weights
        self._kept = list(self._computed()) if len(z) * len(penalties) <= MOST_KEPT else None
        self._in_rows = 2 * len(z) < len(penalties)
        if self._in_rows:
            functions = np.concatenate([functions for _, functions in self._blocks()])
            self._scaled = np.sqrt(self._weights)[:, None] * functions / np.sqrt(penalties)
            matrix = self._scaled @ self._scaled.T
            matrix.flat[:: len(matrix) + 1] += 1
        else:
            matrix = np.zeros((len(penalties), len(penalties)))
            for block, functions in self._blocks():
                weighted = np.sqrt(self._weights[block, None]) * functions
                matrix += weighted.T @ weighted
            matrix.flat[:: len(matrix) + 1] += penalties
        self._factor = lower_factor(matrix)

    def coefficients(self, y: Array) -> Array:
        """(N,) -> (M,)."""
        if self._in_rows:
            root = np.sqrt(self._weights)
            answer = linalg.cho_solve((self._factor, True), root * y, check_finite=False)
            return np.asarray(self._scaled.T @ answer / np.sqrt(self._penalties))
        weighted = self._weights * y
        target = np.sum([functions.T @ weighted[block] for block, functions in self._blocks()], axis=0)
        return np.asarray(linalg.cho_solve((self._factor, True), target, check_finite=False))

    def predict(self, coefficients: Array) -> Array:
        """(M,) -> (N,)."""
        return np.concatenate([functions @ coefficients for _, functions in self._blocks()])

    def leverage(self) -> Array:
        """(N,), how far each row pulls its own prediction; their sum is the number of parameters that are fitted."""
        if self._in_rows:
            identity = np.eye(len(self._factor))
            inverse = linalg.solve_triangular(self._factor, identity, lower=True, check_finite=False)
            return np.asarray(1 - np.square(inverse).sum(axis=0))
        pieces = [
            np.square(linalg.solve_triangular(self._factor, functions.T, lower=True, check_finite=False)).sum(axis=0)
            for _, functions in self._blocks()
        ]
        return np.asarray(np.concatenate(pieces) * self._weights)

    def _blocks(self) -> Iterator[tuple[slice, Array]]:
        return self._computed() if self._kept is None else iter(self._kept)

    def _computed(self) -> Iterator[tuple[slice, Array]]:
        for start in range(0, len(self._z), CHUNK):
            block = slice(start, start + CHUNK)
            yield block, self._basis.functions(self._z[block])
