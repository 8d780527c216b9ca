import numpy as np
from scipy import stats

from fipscm.graph import allowed_from_order
from fipscm.mechanism.edges.linear_tests import eliminate_linear, least_squares, log_p_values


def test_least_squares_recovers_noiseless_weights_over_many_magnitudes():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((500, 3)) * [1e-3, 1.0, 1e3]
    effect = x @ [2e3, -1.0, 3e-3]
    weights = least_squares(np.column_stack([x, effect]), allowed_from_order([0, 1, 2, 3]))
    np.testing.assert_allclose(weights[3], [2e3, -1.0, 3e-3, 0.0], rtol=1e-8)
    assert (np.triu(weights) == 0).all()


def test_collinear_causes_share_the_effect():
    x = np.random.default_rng(1).standard_normal((100, 1))
    weights = least_squares(np.hstack([x, x, 2 * x]), allowed_from_order([0, 1, 2]))
    np.testing.assert_allclose(weights[2], [1.0, 1.0, 0.0])


def test_p_values_are_those_of_the_textbook():
    rng = np.random.default_rng(2)
    x = rng.standard_normal((40, 1))
    y = 0.3 * x[:, 0] + rng.standard_normal(40)
    x, y = x - x.mean(), y - y.mean()
    assert np.isclose(np.exp(log_p_values(x, y)[0]), stats.linregress(x[:, 0], y).pvalue)


def test_null_p_values_are_uniform():
    rng = np.random.default_rng(3)
    values = [np.exp(log_p_values(rng.standard_normal((60, 4)), rng.standard_normal(60))) for _ in range(200)]
    assert stats.kstest(np.concatenate(values), "uniform").pvalue > 1e-3


def test_what_the_rows_cannot_determine_has_no_evidence():
    x = np.random.default_rng(4).standard_normal((5, 8))
    assert (log_p_values(x, x[:, 0]) == 0).all()


def test_elimination_finds_a_cause_that_the_other_columns_nearly_determine():
    rng = np.random.default_rng(5)
    cause = rng.standard_normal(1_000)
    x = np.column_stack([cause, cause + 0.01 * rng.standard_normal(1_000)])
    y = cause + rng.standard_normal(1_000)
    assert (log_p_values(x, y) > -9).all()
    assert eliminate_linear(x, y, limits=np.full(x.shape[1], -9.0)).min() < -9


def test_elimination_of_nothing_is_the_plain_test():
    rng = np.random.default_rng(6)
    x = rng.standard_normal((200, 3))
    y = x.sum(axis=1) + 0.1 * rng.standard_normal(200)
    x, y = x - x.mean(axis=0), y - y.mean()
    np.testing.assert_allclose(eliminate_linear(x, y, limits=np.full(x.shape[1], -9.0)), log_p_values(x, y))
