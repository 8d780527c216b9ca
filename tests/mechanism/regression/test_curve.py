from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import optimize, stats

from fipscm.mechanism.regression.curve import WaveEvidence, fit_curve
from fipscm.mechanism.regression.process import Process, learn_process
from fipscm.mechanism.regression.skip import Skip
from fipscm.mechanism.regression.smooth import WaveRegression, Waves

ROWS = 2_000


def added(z):
    return np.sin(2 * z[:, 0]) + np.tanh(2 * z[:, 1])


def multiplied(z):
    return np.sin(2 * z[:, 0]) * np.tanh(2 * z[:, 1])


def fitted(function):
    """Two causes that nearly always go together, and a skip whose last column is a curve of them."""
    rng = np.random.default_rng(0)
    z = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], ROWS)
    y = function(z) + 0.2 * rng.standard_normal(ROWS)
    skip = Skip.unsolved(3, torch.Generator().manual_seed(0))
    waves = Waves(torch.from_numpy(skip.frequencies[:2, :512]), torch.from_numpy(skip.phases[:512]))
    process, fit = fit_curve(z, y, waves, learn_process(z, y))
    return process, skip.with_curve(2, np.arange(2), process, fit)


def test_a_sum_is_known_where_causes_never_were_together():
    process, skip = fitted(added)
    apart = np.array([[1.5, -1.5, 0.0], [-1.5, 1.5, 0.0]])
    assert process.additive
    found = skip.node(apart, 2)
    np.testing.assert_allclose(found, added(apart), atol=0.15)


def test_what_is_no_sum_is_one_function_of_all_causes():
    process, skip = fitted(multiplied)
    assert not process.additive
    assert 2 not in skip.sums


def test_a_sum_has_no_mixed_derivative():
    _, skip = fitted(added)
    low, high = np.zeros((2, 3)), np.zeros((2, 3))
    low[:, 1], high[:, 1] = -1, 1
    slopes = [skip.slopes(places, 2)[:, 0] for places in (low, high)]
    np.testing.assert_allclose(*slopes, atol=1e-9)


@pytest.mark.parametrize("additive", [False, True], ids=["of all causes", "a sum"])
def test_evidence_is_the_density_of_a_normal_distribution(additive):
    rng = np.random.default_rng(1)
    z, y, noise = rng.standard_normal((30, 2)), rng.standard_normal(30), 0.3
    some = Process(np.ones(2), 1.0, noise, 0.0, additive)
    waves = Waves.draw(2, 8, torch.Generator().manual_seed(0)).suited_to(some)
    functions = waves.cosines(torch.from_numpy(z), torch.ones(2, dtype=torch.float64)).numpy()

    def gap(signal):
        covariance = 10 + z @ z.T + 2 * signal / 8 * functions @ functions.T + noise * np.eye(30)
        process = replace(some, signal=signal)
        return stats.multivariate_normal(cov=covariance).logpdf(y) - WaveRegression(z, waves, process).evidence(y)

    assert gap(0.5) == pytest.approx(gap(2.0))


@pytest.mark.parametrize("line", [True, False], ids=["with a line", "without"])
@pytest.mark.parametrize("additive", [False, True], ids=["of all causes", "a sum"])
def test_the_slope_of_the_evidence_is_its_derivative(additive, line):
    rng = np.random.default_rng(2)
    z, y, weights = rng.standard_normal((40, 2)), rng.standard_normal(40), rng.uniform(0.2, 3.0, 40)
    process = Process(np.array([0.7, 1.3]), 0.8, 0.3, 0.0, additive, line)
    rows = WaveEvidence(z, y, Waves.draw(2, 16, torch.Generator().manual_seed(0)).suited_to(process), weights, line)
    difference = optimize.approx_fprime(process.parameters, lambda at: rows.loss_and_slope(at)[0], 1e-6)
    np.testing.assert_allclose(rows.loss_and_slope(process.parameters)[1], difference, atol=1e-4)


@pytest.mark.parametrize("line", [True, False], ids=["with a line", "without"])
def test_what_is_searched_is_the_evidence_of_the_regression(line):
    rng = np.random.default_rng(3)
    z, y, weights = rng.standard_normal((40, 2)), rng.standard_normal(40), rng.uniform(0.2, 3.0, 40)
    waves = Waves.draw(2, 16, torch.Generator().manual_seed(0))
    one, other = (Process(np.full(2, r), s, n, 0.0, line=line) for r, s, n in ((1.0, 1.0, 0.3), (0.3, 0.5, 0.8)))
    rows = WaveEvidence(z, y, waves, weights, line)
    gap = WaveRegression(z, waves, one, weights).evidence(y) - WaveRegression(z, waves, other, weights).evidence(y)
    assert rows.evidence_of(one) - rows.evidence_of(other) == pytest.approx(gap)
