from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import optimize, stats

from fipscm.mechanism.regression import process as processes
from fipscm.mechanism.regression.process import LEVEL, is_curved, learn_process, linear_evidence, without_line
from fipscm.mechanism.regression.smooth import WaveRegression, Waves, fit_waves, predict


def rows(count=120, causes=3, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((count, causes))
    return z, np.sin(2 * z[:, 0]) + 0.2 * rng.standard_normal(count)


@pytest.mark.parametrize("additive", [False, True], ids=["joint", "additive"])
@pytest.mark.parametrize("uneven", [np.ones(60), np.linspace(0.1, 3, 60)], ids=["even", "uneven"])
def test_the_slope_of_the_evidence_is_that_of_finite_differences(uneven, additive):
    z, y = rows(60)
    straight = LEVEL + z @ z.T
    at = np.array([-0.3, -1.0, 0.2, 0.1, -1.0])
    error = optimize.check_grad(
        lambda p: processes.loss_and_slope(p, z, y, straight, uneven, additive)[0],
        lambda p: processes.loss_and_slope(p, z, y, straight, uneven, additive)[1],
        at,
    )
    assert error < 1e-4


@pytest.mark.parametrize("causes", [0, 2])
def test_linear_evidence_is_the_density_of_a_normal_distribution(causes):
    z, y = rows(40, causes + 1)
    z = z[:, 1:]
    densities = [
        stats.multivariate_normal(cov=LEVEL + z @ z.T + np.exp(noise) * np.eye(40)).logpdf(y)
        for noise in np.linspace(*processes.NOISE, 2_000)
    ]
    assert linear_evidence(z, y) == pytest.approx(max(densities), abs=1e-3)


def test_a_learned_process_has_the_evidence_that_it_tells():
    z, y = rows(80)
    process = learn_process(z, y)
    assert process.evidence_of(z, y) == pytest.approx(process.evidence)


def test_learning_anew_without_a_cause_explains_at_least_as_much_as_keeping_the_smoothness():
    z, y = rows(80)
    kept = learn_process(z, y).of([0, 1])
    assert learn_process(z[:, :2], y, kept).evidence >= kept.evidence_of(z[:, :2], y)


@pytest.mark.parametrize("seed", range(5))
def test_a_steep_line_is_no_curve(seed):
    """Causes that go together may have steep slopes of opposite signs, and so has a curve with long length scales."""
    rng = np.random.default_rng(seed)
    shared, own = rng.standard_normal((2, 200))
    z = np.column_stack([shared, shared + 0.1 * own])
    z /= z.std(axis=0)
    y = 10 * (z[:, 0] - z[:, 1]) + 0.15 * rng.standard_normal(200)
    process = learn_process(z, y / y.std())
    assert process.evidence > linear_evidence(z, y / y.std()) + 6
    assert not is_curved(process, z, y / y.std())


def test_a_wave_is_curved_in_its_own_cause_alone():
    z, y = rows()
    process = learn_process(z, y)
    assert is_curved(process, z, y)
    assert process.relevance[0] > 10 * process.relevance[1:].max()
    assert process.noise == pytest.approx(0.04, rel=0.5)


@pytest.mark.parametrize("seed", range(5))
def test_a_line_is_not_curved(seed):
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((150, 3))
    y = z @ [1.0, -0.5, 0.0] + 0.5 * rng.laplace(size=150)
    y -= y.mean()
    assert not is_curved(learn_process(z, y), z, y)


@pytest.mark.parametrize("line", [True, False], ids=["with a line", "without"])
def test_waves_predict_what_the_exact_process_predicts(line):
    z, y = rows(150, 2)
    process = replace(learn_process(z, y), line=line)
    waves = Waves.draw(2, 2_048, torch.Generator().manual_seed(0))
    new = np.random.default_rng(1).uniform(-1.5, 1.5, (50, 2))

    def covariance(a, b):
        distance = np.square((a[:, None] - b) * process.relevance).sum(axis=2)
        return LEVEL + line * a @ b.T + process.signal * np.exp(-0.5 * distance)

    exact = covariance(new, z) @ np.linalg.solve(covariance(z, z) + process.noise * np.eye(150), y)
    found = predict(new, waves, process, fit_waves(z, y, waves, process))
    np.testing.assert_allclose(found, exact, atol=0.02)


@pytest.mark.parametrize(("slope", "line"), [(0.0, False), (3.0, True)], ids=["a bump", "a bump on a slope"])
def test_a_line_beside_the_waves_stays_where_the_rows_need_it(slope, line):
    rng = np.random.default_rng(0)
    z = rng.uniform(-3, 3, (200, 1))
    y = np.exp(-4 * np.square(z[:, 0])) + slope * z[:, 0] + 0.1 * rng.standard_normal(200)
    assert without_line(learn_process(z, y), z, y).line is line


def test_blocks_of_rows_add_up(monkeypatch):
    z, y = rows(100, 2)
    process, waves = learn_process(z, y), Waves.draw(2, 16, torch.Generator().manual_seed(0))
    whole = fit_waves(z, y, waves, process)
    monkeypatch.setattr("fipscm.mechanism.regression.smooth.BLOCK", 7)
    np.testing.assert_allclose(fit_waves(z, y, waves, process).amplitudes, whole.amplitudes, rtol=1e-6)


def test_a_curve_does_not_follow_the_noise_of_loud_rows_whose_spread_is_known():
    rng = np.random.default_rng(4)
    z = rng.standard_normal((500, 2))
    spread = np.exp(1.5 * z[:, 0])
    y = np.sin(z[:, 0]) + 0.3 * spread * rng.standard_normal(500)
    process, waves = learn_process(z, y, spread=spread), Waves.draw(2, 64, torch.Generator().manual_seed(0))
    found = WaveRegression(z, waves, process, 1 / np.square(spread))
    quiet = z[:, 0] < 0.5
    assert np.abs(found.predict(found.fit(y)) - np.sin(z[:, 0]))[quiet].mean() < 0.05
