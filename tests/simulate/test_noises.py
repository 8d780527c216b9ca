import numpy as np
import pytest

from fipscm.errors import DataError, UnknownNameError
from fipscm.simulate.noises import NOISES, Noise

MOMENTS = {"laplace": (0, 2), "t3": (0, 3), "unit": (0.5, 1 / 12)}


@pytest.mark.parametrize("law", NOISES)
def test_every_law_has_its_mean_and_variance(law, rng):
    mean, variance = MOMENTS.get(law, (0, 1))
    draws = Noise.of(law, np.array([2.0])).sample(400_000, rng)
    assert draws.mean() == pytest.approx(2 * mean, abs=0.02)
    assert draws.var() == pytest.approx(4 * variance, rel=0.2 if law == "t3" else 0.03)


def test_noises_are_independent_across_variables(rng):
    draws = Noise.of(list(NOISES), np.ones(len(NOISES))).sample(20_000, rng)
    correlations = np.corrcoef(draws.T)[~np.eye(len(NOISES), dtype=bool)]
    assert np.abs(correlations).max() < 0.04


def test_an_unknown_law_is_refused():
    with pytest.raises(UnknownNameError, match="noise 'gauss'"):
        Noise.of("gauss", np.ones(2))


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf])
def test_a_scale_that_is_not_positive_is_refused(scale):
    with pytest.raises(DataError, match="noise scale"):
        Noise.of("normal", np.array([1.0, scale]))


def test_the_number_of_laws_must_fit():
    with pytest.raises(DataError, match="2 noise laws for 3 variables"):
        Noise.of(["normal", "laplace"], np.ones(3))
