"""What every response promises, whatever its kind."""

import numpy as np
import pytest
import torch

from fipscm.mechanism.network.flow import FlowTransformer
from fipscm.mechanism.network.transformer import TransformerConfig
from fipscm.mechanism.regression.process import Process
from fipscm.mechanism.regression.smooth import Waves
from fipscm.mechanism.regression.spread import SpreadSmoothness, fit_spread
from fipscm.mechanism.response.additive import Additive
from fipscm.mechanism.response.kinds import RESPONSES, response_arrays, restore_responses
from fipscm.mechanism.response.location_scale import LocationScale
from fipscm.mechanism.response.monotone import Monotone

ROWS = 400


def example_of_location_scale():
    """Noise that is louder where a cause is high, with a line and waves."""
    rng, generator = np.random.default_rng(5), torch.Generator().manual_seed(5)
    inputs = rng.standard_normal((ROWS, 4))
    process = Process(np.full(4, 0.5), 1.0, 0.5, 0.0)
    smoothness = SpreadSmoothness(process, Waves.draw(4, 16, generator))
    spread = fit_spread(inputs, np.exp(inputs[:, 0]) * rng.standard_normal(ROWS), smoothness)
    return LocationScale(*np.array([3.0, 2.0]), spread)


def example_of_monotone():
    """A network with random weights that reads the first and the last of three columns."""
    sizes, generator = TransformerConfig(width=8, heads=2, head_width=4, layers=1, hidden=8), torch.Generator()
    network = FlowTransformer(4, sizes, generator.manual_seed(0))
    for weights in (network.decoder, network.spline_decoder):
        weights.data.normal_(std=0.3, generator=generator)
    low, high = np.full((2, 3), 2.0) * [[-1], [1]]
    causes = np.array([0, 2])
    return Monotone(*np.array([3.0, 2.0, 0.5]), causes, low, high, np.float64(1.5), network.double())


EXAMPLES = [Additive(np.float64(3.0), np.float64(2.0)), example_of_location_scale(), example_of_monotone()]


@pytest.fixture(params=EXAMPLES, ids=lambda response: response.kind)
def response(request):
    return request.param


@pytest.fixture
def drawn():
    """Locations, causes and noises of some rows."""
    rng = np.random.default_rng(0)
    return rng.standard_normal(ROWS), rng.standard_normal((ROWS, 3)), rng.standard_normal(ROWS)


def test_every_kind_has_an_example():
    assert {response.kind for response in EXAMPLES} == set(RESPONSES)


def test_a_value_increases_in_the_noise(response, drawn):
    location, z, noise = drawn
    steps = [response.value(location, z, noise + step) for step in (0.0, 0.5, 1.0)]
    assert (np.diff(steps, axis=0) >= 0).all()
    assert (steps[-1] > steps[0]).any()


def test_the_noise_behind_a_value_gives_the_value_back(response, drawn):
    location, z, noise = drawn
    values = response.value(location, z, noise)
    again = response.noise(location, z, values, np.random.default_rng(1))
    np.testing.assert_allclose(response.value(location, z, again), values, atol=1e-6)


def test_a_saved_response_answers_the_same(response, drawn):
    location, z, noise = drawn
    (restored,) = restore_responses([response.kind], response_arrays([response]))
    np.testing.assert_array_equal(restored.value(location, z, noise), response.value(location, z, noise))


def test_slopes_are_those_of_the_standardized_value(response, drawn):
    location, z, noise = drawn
    scale, step = 2.0, 1e-6
    in_location, in_causes = response.slopes(location, z, noise)
    differences = response.value(location + step, z, noise) - response.value(location - step, z, noise)
    smooth = np.abs(np.column_stack([z, location])).max(axis=1) < 2  # away from the edge of the box
    np.testing.assert_allclose(in_location[smooth], (differences / (2 * step * scale))[smooth], rtol=1e-4, atol=1e-5)
    for column, nudge in enumerate(step * np.eye(z.shape[1])):
        differences = response.value(location, z + nudge, noise) - response.value(location, z - nudge, noise)
        np.testing.assert_allclose(
            in_causes[smooth, column], (differences / (2 * step * scale))[smooth], rtol=1e-4, atol=1e-5
        )
