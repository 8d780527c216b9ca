import numpy as np
import pytest
from scipy import optimize, stats

from fipscm.mechanism.predictors import gaussian_process as processes
from fipscm.mechanism.predictors.fourier import fourier_features
from fipscm.mechanism.predictors.gaussian_process import LEVEL, is_curved, learn_process, linear_evidence
from fipscm.mechanism.predictors.ridge import Ridge


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


def test_waves_predict_what_the_exact_process_predicts():
    z, y = rows(150, 2)
    process = learn_process(z, y)
    waves = fourier_features(process, np.arange(2), 2_048, 2_048)
    new = np.random.default_rng(1).uniform(-1.5, 1.5, (50, 2))

    def covariance(a, b):
        distance = np.square((a[:, None] - b) * process.relevance).sum(axis=2)
        return LEVEL + a @ b.T + process.signal * np.exp(-0.5 * distance)

    exact = covariance(new, z) @ np.linalg.solve(covariance(z, z) + process.noise * np.eye(150), y)
    variances = np.r_[LEVEL, 1, 1, np.full(2_048, 2 * process.signal / 2_048)]
    found = waves.value(new, Ridge(waves, z, process.noise / variances).coefficients(y)[:, None])[:, 0]
    np.testing.assert_allclose(found, exact, atol=0.02)
