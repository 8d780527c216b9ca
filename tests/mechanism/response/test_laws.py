"""What every response promises, whatever its kind."""

import numpy as np
import pytest

from fipscm.mechanism.response.additive import Additive
from fipscm.mechanism.response.kinds import RESPONSES, response_arrays, restore_responses

ROWS = 400
EXAMPLES = [Additive(np.float64(3.0), np.float64(2.0))]


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
