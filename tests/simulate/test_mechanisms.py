import numpy as np
import pytest
import torch

from fipscm.simulate.mechanisms import Equation, Fourier, NoiseSpread

WAVES = Fourier(np.array([[1.0, -2.0, 0.5]]), np.array([0.0, 1.0, 2.0]), np.array([1.0, 2.0, -1.0]), 2.0, 3.0, 0.5)


@pytest.fixture(params=[torch.float32, torch.float64], ids=str)
def default_precision(request):
    before = torch.get_default_dtype()
    torch.set_default_dtype(request.param)
    yield
    torch.set_default_dtype(before)


def test_a_fourier_function_is_its_formula_in_any_precision_of_torch(rng, default_precision):
    parents = rng.normal(size=(20, 1))
    angles = parents * WAVES.frequencies / 2 + WAVES.phases
    expected = 0.5 + 3 * np.sqrt(2 / 3) * np.cos(angles) @ WAVES.amplitudes
    np.testing.assert_allclose(WAVES(parents), expected, rtol=1e-12)
    assert WAVES(parents).dtype == np.float64


def test_an_equation_gives_back_its_noise(rng, default_precision):
    equation = Equation(WAVES, NoiseSpread(WAVES))
    parents, noise = rng.normal(size=(20, 1)), rng.normal(size=20)
    np.testing.assert_allclose(equation.invert(parents, equation(parents, noise)), noise, atol=1e-12)
