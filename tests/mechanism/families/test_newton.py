"""Regressions on a scale of their own."""

import numpy as np
import pytest
from scipy.special import expit

from fipscm.mechanism.families.discrete import fitted_levels
from fipscm.mechanism.families.newton import Design, newton
from fipscm.mechanism.responses.likelihoods import CountLikelihood, OrderedLikelihood

ROWS = 4000
EVEN = np.ones(ROWS)  # weights


def design_of(cause):
    return Design(np.column_stack([np.ones(len(cause)), cause]), np.array([0.01, 0.1]))


@pytest.fixture
def cause():
    return np.random.default_rng(0).normal(size=ROWS)


LIKELIHOODS = [
    OrderedLikelihood(np.tile([0.0, 1.0, 2.0, 1.0], 3), np.array([-1.0, 0.5]), 0.3),
    CountLikelihood(np.arange(12.0)),
]


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda each: type(each).__name__)
def test_slopes_are_those_of_finite_differences(likelihood):
    location, step = np.linspace(-2, 2, 12), 1e-5
    slope, weight = likelihood.slope_and_weight(location)
    rise = likelihood.log(location + step) - likelihood.log(location - step)
    np.testing.assert_allclose(slope, rise / (2 * step), rtol=1e-5, atol=1e-7)
    bend = likelihood.slope_and_weight(location + step)[0] - likelihood.slope_and_weight(location - step)[0]
    np.testing.assert_allclose(weight, -bend / (2 * step), rtol=1e-5, atol=1e-7)


def test_levels_are_learned(cause):
    noise = np.random.default_rng(1).logistic(size=ROWS)
    places = np.digitize(2 * cause + noise, [-1.0, 1.0]).astype(float)
    thresholds = np.array([-1.0, 1.0])
    found = newton(design_of(cause), OrderedLikelihood(places, thresholds), np.zeros(2), EVEN)
    np.testing.assert_allclose(found, [0, 2], atol=0.15)
    coefficients, learned = fitted_levels(design_of(cause), places, 3, EVEN)
    np.testing.assert_allclose(coefficients[1], 2, atol=0.15)
    np.testing.assert_allclose(learned - coefficients[0], thresholds, atol=0.15)


def test_counts_are_learned(cause):
    rng = np.random.default_rng(2)
    mean = np.exp(0.5 + 0.7 * cause)
    found = newton(design_of(cause), CountLikelihood(rng.poisson(mean).astype(float)), np.zeros(2), EVEN)
    np.testing.assert_allclose(found, [0.5, 0.7], atol=0.05)


def test_perfectly_separated_levels_have_finite_slopes(cause):
    places = (cause > 0).astype(float)
    slope = newton(design_of(cause), OrderedLikelihood(places, np.zeros(1)), np.zeros(2), EVEN)[1]
    assert 3 < slope < 100
    assert ((expit(slope * cause) > 0.5) == places).all()
