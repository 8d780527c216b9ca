import numpy as np

from fipscm.simulate.ingredients.laws import LAWS
from fipscm.simulate.ingredients.monotone_maps import LARGEST_INPUT, MonotoneMap


def test_maps_increase_smoothly_and_no_two_are_alike(rng):
    grid = np.linspace(-LARGEST_INPUT, LARGEST_INPUT, 2001)
    curves = [MonotoneMap.sample(rng)(grid) for _ in range(20)]
    for curve in curves:
        slopes = np.diff(curve)
        assert (slopes > 0).all()
        assert np.abs(np.diff(np.log(slopes))).max() < 0.5
    agreement = np.corrcoef(curves)[np.triu_indices(20, 1)]
    assert agreement.max() < 1 - 1e-6


def test_some_maps_are_skewed_and_some_have_heavy_or_light_tails(rng):
    draws = np.array([LAWS["any-smooth"](rng, (4000,)) for _ in range(60)])
    z = (draws - draws.mean(axis=1, keepdims=True)) / draws.std(axis=1, keepdims=True)
    skewness, kurtosis = (z**3).mean(axis=1), (z**4).mean(axis=1)
    assert skewness.min() < -0.5
    assert skewness.max() > 0.5
    assert kurtosis.min() < 2.4
    assert kurtosis.max() > 4


def test_laplace_noise_is_not_among_the_laws_of_training():
    assert "laplace" not in LAWS
