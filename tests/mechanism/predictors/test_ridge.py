import numpy as np
import pytest

from fipscm.mechanism.predictors.basis import Lines
from fipscm.mechanism.predictors.ridge import Ridge

ROWS = 30


@pytest.fixture(params=[5, 100], ids=["solved in functions", "solved in rows"])
def table(request):
    """Standardized inputs, a target, and weights of the rows."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((ROWS, request.param)), rng.standard_normal(ROWS), np.geomspace(0.1, 10, ROWS)


def test_coefficients_solve_the_normal_equations(table):
    z, y, weights = table
    basis, penalties = Lines(np.arange(z.shape[1])), np.geomspace(0.01, 10, z.shape[1] + 1)
    functions = basis.functions(z)
    gram = functions.T @ (weights[:, None] * functions) + np.diag(penalties)
    expected = np.linalg.solve(gram, functions.T @ (weights * y))
    ridge = Ridge(basis, z, penalties, weights)
    np.testing.assert_allclose(ridge.coefficients(y), expected, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ridge.predict(expected), functions @ expected)


def test_leverage_is_how_far_a_prediction_follows_its_row(table):
    z, y, _ = table
    ridge = Ridge(Lines(np.arange(z.shape[1])), z, np.full(z.shape[1] + 1, 2.0))
    for row, leverage in enumerate(ridge.leverage()):
        moved = ridge.predict(ridge.coefficients(y + np.eye(ROWS)[row]) - ridge.coefficients(y))
        assert leverage == pytest.approx(moved[row])
