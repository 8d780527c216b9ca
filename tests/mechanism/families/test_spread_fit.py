import numpy as np
import pytest

from fipscm.mechanism.families.spread_fit import fit_spread, spread_prior

ROWS = 3_000
LAWS = {
    "normal": lambda rng: rng.standard_normal(ROWS),
    "skewed": lambda rng: rng.exponential(size=ROWS) - 1,
    "heavy": lambda rng: rng.standard_t(3, ROWS),
}


def found(inputs, residual):
    return fit_spread(inputs, residual, spread_prior(inputs, residual))


@pytest.mark.parametrize("law", LAWS)
def test_a_spread_is_found_whatever_the_law_of_the_noise(law):
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((ROWS, 1))
    true = 0.3 + np.exp(-np.square(inputs[:, 0]))
    spread = found(inputs, true * LAWS[law](rng))(inputs)
    assert np.square(spread).mean() == pytest.approx(1, rel=1e-6)
    assert np.abs(np.log(spread / true) - np.log(spread / true).mean()).mean() < 0.1


def test_a_few_wild_rows_do_not_move_a_spread():
    rng = np.random.default_rng(1)
    inputs = rng.standard_normal((ROWS, 1))
    residual = np.exp(0.5 * inputs[:, 0]) * rng.standard_normal(ROWS)
    wild = residual.copy()
    wild[:5] = 1e6
    clean, hit = found(inputs, residual)(inputs), found(inputs, wild)(inputs)
    assert np.abs(np.log(clean / hit)).max() < 0.1


def test_beyond_the_rows_a_spread_is_constant():
    rng = np.random.default_rng(2)
    inputs = rng.uniform(-1, 1, (ROWS, 1))
    spread = found(inputs, np.exp(2 * inputs[:, 0]) * rng.standard_normal(ROWS))
    far = spread(np.array([[1.0], [5.0], [1e9]]))
    np.testing.assert_allclose(far, spread(inputs.max(axis=0, keepdims=True))[0], rtol=1e-2)


def test_noise_that_vanishes_keeps_a_spread_above_zero():
    inputs = np.random.default_rng(3).uniform(-1, 1, (ROWS, 1))
    residual = np.where(inputs[:, 0] > 0, np.random.default_rng(4).standard_normal(ROWS), 0.0)
    spread = found(inputs, residual)(inputs)
    assert np.isfinite(spread).all()
    assert (spread > 0).all()
