"""Ridge regression, solved in the functions or, if these are many more than the rows, in the rows.

Shapes: N rows, F functions. With functions A (N, F) at the rows, a diagonal matrix W of the rows' weights and L of the
functions' penalties, the coefficients are

    (A'WA + L)^-1 A'Wy = L^-1 A' (A L^-1 A' + W^-1)^-1 y

On the left a matrix of functions is factored, on the right one of rows.
"""

from collections.abc import Callable, Iterable

import numpy as np
from scipy import linalg

from fipscm.arrays import Array
from fipscm.factorisation import lower_factor

Blocks = Callable[[], Iterable[tuple[slice, Array]]]  # some of the rows, and the functions there


def is_quicker_in_rows(rows: int, functions: int) -> bool:
    """Whether the matrix of rows is clearly the smaller one."""
    return 2 * rows < functions


class InFunctions:
    """Factored once for any number of effects; the functions come in blocks of rows."""

    def __init__(self, blocks: Blocks, penalties: Array, weights: Array | None) -> None:
        self._blocks, self._penalties, self._weights = blocks, penalties, weights
        gram = np.zeros((len(penalties), len(penalties)))
        for block, functions in blocks():
            weighted = functions if weights is None else np.sqrt(weights[block, None]) * functions
            gram += weighted.T @ weighted
        gram.flat[:: len(gram) + 1] += penalties
        self._factor = lower_factor(gram)

    def coefficients(self, y: Array) -> Array:
        """(N,) -> (F,)."""
        return self._solved(self._weighted(y))[0]

    def unexplained(self, y: Array) -> float:
        """Of an effect (N,): the weighted squares of the errors, and those of the coefficients by their penalties."""
        weighted = self._weighted(y)
        solution, target = self._solved(weighted)
        return float(weighted @ y - target @ solution)

    @property
    def volume(self) -> float:
        """The logarithm of the determinant of A'WA L^-1 + 1."""
        return float(2 * np.log(self._factor.diagonal()).sum() - np.log(self._penalties).sum())

    def _weighted(self, y: Array) -> Array:
        return y if self._weights is None else self._weights * y

    def _solved(self, weighted: Array) -> tuple[Array, Array]:
        """(N,) -> (F,) the coefficients, and (F,) what the functions have in common with the effect."""
        target = np.sum([functions.T @ weighted[block] for block, functions in self._blocks()], axis=0)
        return linalg.cho_solve((self._factor, True), target, check_finite=False), target


class InRows:
    """The same of functions (N, F) that are many more than the rows."""

    def __init__(self, functions: Array, penalties: Array, weights: Array | None) -> None:
        self._root_penalties = np.sqrt(penalties)
        self._root_weights = np.ones(len(functions)) if weights is None else np.sqrt(weights)
        self._scaled = self._root_weights[:, None] * functions / self._root_penalties
        covariance = self._scaled @ self._scaled.T
        covariance.flat[:: len(covariance) + 1] += 1
        self._factor = lower_factor(covariance)

    def coefficients(self, y: Array) -> Array:
        """(N,) -> (F,)."""
        answer = linalg.cho_solve((self._factor, True), self._root_weights * y, check_finite=False)
        return np.asarray(self._scaled.T @ answer / self._root_penalties)

    def unexplained(self, y: Array) -> float:
        """Of an effect (N,): the weighted squares of the errors, and those of the coefficients by their penalties."""
        half = linalg.solve_triangular(self._factor, self._root_weights * y, lower=True, check_finite=False)
        return float(half @ half)

    @property
    def volume(self) -> float:
        """The logarithm of the determinant of A'WA L^-1 + 1."""
        return 2 * float(np.log(self._factor.diagonal()).sum())

    def leverage(self) -> Array:
        """(N,), how far each row pulls its own prediction."""
        inverse = linalg.solve_triangular(self._factor, np.eye(len(self._factor)), lower=True, check_finite=False)
        return np.asarray(1 - np.square(inverse).sum(axis=0))
