"""Matrices that should be positive definite are factored, solved and inverted even where rounding spoiled them."""

import numpy as np
import pytest

from fipscm.factorisation import inverse, lower_factor, solve


def _gram(rows: int, columns: int, repeated: int, rng: np.random.Generator) -> np.ndarray:
    """A Gram matrix of which so many columns are exact copies of others."""
    values = rng.normal(size=(rows, columns))
    values[:, columns - repeated :] = values[:, :repeated]
    return values.T @ values


@pytest.mark.parametrize("repeated", [0, 1, 4])
@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_factor_is_triangular_and_makes_the_matrix(repeated, unit):
    matrix = unit * _gram(50, 10, repeated, np.random.default_rng(repeated))
    factor = lower_factor(matrix)
    assert np.array_equal(factor, np.tril(factor))
    assert (factor.diagonal() >= 0).all()
    np.testing.assert_allclose(factor @ factor.T, matrix, atol=1e-6 * np.abs(matrix).max())


def test_solution_of_a_singular_system_is_one():
    rng = np.random.default_rng(1)
    matrix = _gram(50, 8, 3, rng)
    right = matrix @ rng.normal(size=8)
    np.testing.assert_allclose(matrix @ solve(matrix, right), right, rtol=1e-5, atol=1e-5)


def test_indefinite_by_rounding():
    matrix = np.ones((5, 5)) - 1e-7 * np.eye(5)
    assert np.isfinite(lower_factor(matrix)).all()
    assert np.isfinite(inverse(matrix)).all()


def test_regular_matrices_are_left_as_they_are():
    matrix = _gram(50, 6, 0, np.random.default_rng(2))
    np.testing.assert_allclose(lower_factor(matrix), np.linalg.cholesky(matrix), rtol=1e-12)
    np.testing.assert_allclose(inverse(matrix), np.linalg.inv(matrix), rtol=1e-9)


def test_nothing_to_solve():
    assert solve(np.zeros((0, 0)), np.zeros(0)).shape == (0,)
    assert inverse(np.zeros((0, 0))).shape == (0, 0)
