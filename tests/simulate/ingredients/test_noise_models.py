import numpy as np
import pytest

from fipscm.simulate.ingredients.functions import standardized
from fipscm.simulate.ingredients.noise_models import NOISE_MODELS, NOISE_SCALES, TRANSFORMATIONS


def drawn(name, rng, rows=2000):
    causes = rng.standard_normal((rows, 2))
    return NOISE_MODELS[name](2, rng), standardized(causes[:, 0] + causes[:, 1]), causes


@pytest.mark.parametrize("name", NOISE_MODELS)
def test_only_added_noise_adds_the_same_whatever_the_causes(name, rng):
    for _ in range(10):
        noise_model, signal, causes = drawn(name, rng)
        noise = np.where(np.arange(len(signal)) % 2, 1.0, -1.0)
        added = (noise_model(signal, noise, causes) - noise_model(signal, -noise, causes)) / noise
        assert (np.std(added) < 1e-6) == (name == "additive")


@pytest.mark.parametrize("name", TRANSFORMATIONS)
@pytest.mark.parametrize("depth", [0.5, 1.5])
def test_transformations_increase_and_are_not_straight(name, depth):
    grid = np.linspace(-4, 4, 201)
    values = TRANSFORMATIONS[name](grid, depth)
    assert (np.diff(values) > 0).all()
    assert abs(np.corrcoef(grid, values)[0, 1]) < 0.995


@pytest.mark.parametrize("scale", NOISE_SCALES)
@pytest.mark.parametrize("depth", [0.4, 1.5])
def test_scales_are_positive_and_change_with_the_causes(scale, depth):
    values = NOISE_SCALES[scale](np.linspace(-30, 30, 601), depth)
    assert (values > 0).all()
    assert np.isfinite(values).all()
    assert values.max() > 1.3 * values.min()
