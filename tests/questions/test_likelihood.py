import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from fipscm.mechanism.noise_distribution import log_density


@pytest.mark.parametrize(
    "known",
    [
        np.random.default_rng(0).normal(size=300),
        np.random.default_rng(1).exponential(size=1_000),
        np.repeat([0.0, 1.0], [80, 20]),
    ],
    ids=["normal", "skewed", "two values"],
)
def test_a_density_integrates_to_one(known):
    points = np.quantile(known, [0, 0.1, 0.5, 0.9, 1])
    ends = [-1e4, *np.linspace(-10, 15, 60), *points, 1e4]
    parts = (
        quad(lambda x: float(np.exp(log_density(np.array([x]), known, 1e-9)[0])), low, high, limit=200)[0]
        for low, high in zip(sorted(ends), sorted(ends)[1:], strict=False)
    )
    assert sum(parts) == pytest.approx(1, abs=2e-3)


def test_it_is_close_to_the_true_density_and_finite_everywhere():
    known = np.random.default_rng(0).normal(size=5_000)
    places = np.linspace(-2, 2, 9)
    np.testing.assert_allclose(log_density(places, known, 1e-9), norm.logpdf(places), atol=0.15)
    assert np.isfinite(log_density(np.array([-1e12, 1e150]), known, 1e-9)).all()
    assert np.isfinite(log_density(np.array([0.0, 1.0]), np.zeros(50), 1e-9)).all()
