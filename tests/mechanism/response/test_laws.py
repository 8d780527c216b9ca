"""What every response promises, whatever its kind."""

import numpy as np
import pytest
import torch

from fipscm.mechanism.network.flow import FlowTransformer
from fipscm.mechanism.network.transformer import TransformerConfig
from fipscm.mechanism.regression.bend import Bend
from fipscm.mechanism.regression.process import Process
from fipscm.mechanism.regression.smooth import Waves
from fipscm.mechanism.regression.spread import SpreadSmoothness, fit_spread
from fipscm.mechanism.response.additive import Additive
from fipscm.mechanism.response.bent import Bent
from fipscm.mechanism.response.count import Count
from fipscm.mechanism.response.gumbel import Gumbel, noises_behind, one_hot
from fipscm.mechanism.response.kinds import MONOTONE, RESPONSES, response_arrays, restore_responses
from fipscm.mechanism.response.location_scale import LocationScale, inputs_of
from fipscm.mechanism.response.logarithm import Logarithm
from fipscm.mechanism.response.monotone import Monotone
from fipscm.mechanism.response.thresholds import Thresholds

ROWS = 400
ONE, LOW, HIGH = np.float64(1.0), np.float64(-5.0), np.float64(5.0)


def example_of_location_scale():
    """Noise that is louder where a cause is high, with a line and waves."""
    rng, generator = np.random.default_rng(5), torch.Generator().manual_seed(5)
    inputs = rng.standard_normal((ROWS, 4))
    process = Process(np.full(4, 0.5), 1.0, 0.5, 0.0)
    smoothness = SpreadSmoothness(process, Waves.draw(4, 16, generator))
    spread = fit_spread(inputs, np.exp(inputs[:, 0]) * rng.standard_normal(ROWS), smoothness)
    return LocationScale(*np.array([3.0, 2.0, 0.7]), spread)


def example_of_monotone():
    """A network with random weights that reads the first and the last of three columns."""
    sizes, generator = TransformerConfig(width=8, heads=2, head_width=4, layers=1, hidden=8), torch.Generator()
    network = FlowTransformer(4, sizes, generator.manual_seed(0))
    for weights in (network.decoder, network.spline_decoder):
        weights.data.normal_(std=0.3, generator=generator)
    low, high = np.full((2, 3), 2.0) * [[-1], [1]]
    causes = np.array([0, 2])
    return Monotone(*np.array([3.0, 2.0, 0.5]), causes, low, high, np.float64(1.5), network.double())


EXAMPLES = [
    Additive(np.float64(3.0), np.float64(2.0)),
    example_of_location_scale(),
    example_of_monotone(),
    Thresholds(np.array([0.0, 1.0]), np.array([0.3]), ONE),
    Thresholds(np.array([1.0, 2.0, 5.0]), np.array([-0.5, 1.0]), ONE),
    Count(np.float64(0.0), LOW, HIGH, np.float64(4000.0), ONE),
    Count(np.float64(0.7), LOW, HIGH, np.float64(4000.0), ONE),
    Logarithm(np.float64(0.2), np.float64(0.5), HIGH, ONE, ONE),
    Bent(ONE, ONE, Bend(np.array([-1.0, 0.0, 2.0]), np.array([3.0, 0.5, 1.0])), np.zeros(1), ONE),
    Bent(ONE, ONE, Bend(np.array([0.5, 1.0, 2.0]), np.array([3.0, 0.5, 1.0]), True), np.zeros(1), ONE),
    Gumbel(ONE),
]
DISCRETE = [response for response in EXAMPLES if response.discrete and response.kind != "gumbel"]


@pytest.fixture(params=EXAMPLES, ids=lambda response: response.kind)
def response(request):
    return request.param


@pytest.fixture
def drawn():
    """Locations, causes and noises of some rows."""
    rng = np.random.default_rng(0)
    return rng.standard_normal(ROWS), rng.standard_normal((ROWS, 3)), rng.standard_normal(ROWS)


def test_every_kind_has_an_example():
    assert {response.kind for response in EXAMPLES} == {*RESPONSES, MONOTONE}


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


@pytest.mark.parametrize("response", [each for each in EXAMPLES if not each.linked], ids=lambda each: each.kind)
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


CONTINUED = [each for each in EXAMPLES if each.kind in ("additive", "location-scale", "count", "logarithm", "bent")]


@pytest.mark.parametrize("response", CONTINUED, ids=lambda response: response.kind)
@pytest.mark.parametrize("rise", [0.3, 3.0, 100.0])
def test_a_mean_that_rises_goes_on_by_as_much_in_units_of_its_own(response, drawn, rise):
    location, z, _ = drawn
    onward = response.continued(location, np.full(ROWS, rise))
    unit = 1.0 if response.linked else 2.0  # of locations of additive noise: the standard deviation of the column
    np.testing.assert_allclose(response.mean(onward, z) - response.mean(location, z), unit * rise)


@pytest.mark.parametrize("response", CONTINUED, ids=lambda response: response.kind)
def test_the_steepness_is_how_fast_the_mean_moves_and_goes_on_moving(response, drawn):
    location, z, _ = drawn
    unit, step, steepness = 1.0 if response.linked else 2.0, 1e-6, response.steepness(location)
    within = response.mean(location + step, z) - response.mean(location - step, z)
    np.testing.assert_allclose(within / (2 * step), unit * steepness, rtol=1e-4)
    for side in (-1, 1):
        onward = response.continued(location, np.full(ROWS, side * step))
        np.testing.assert_allclose((onward - location) * steepness, side * step, rtol=1e-3)


@pytest.mark.parametrize("response", [each for each in CONTINUED if each.linked], ids=lambda response: response.kind)
def test_positive_columns_stay_positive_however_far_they_fall(response, drawn):
    location, z, noise = drawn
    if (response.value(location, z, noise - 5) >= 0).all():
        onward = response.continued(location, np.full(ROWS, -20.0))
        assert (response.mean(onward, z) > 0).all()
        assert (response.value(onward, z, noise) >= 0).all()


def test_a_location_beyond_those_of_all_rows_moves_an_exponential_along_its_tangent():
    response, z = Logarithm(np.float64(0.2), np.float64(0.5), np.float64(1.0), ONE, ONE), np.zeros((3, 1))
    found = response.mean(response.continued(np.array([2.0, 4.0, 6.0]), np.zeros(3)), z)
    assert np.ptp(np.diff(found)) == pytest.approx(0)
    assert found[1] == pytest.approx(np.exp(1.0) * (1 + 2.2 - 1.0))


@pytest.fixture
def logistic(drawn):
    """Many rows with the same causes, and logistic noises."""
    return np.full(20_000, 0.7), np.zeros((20_000, 3)), np.random.default_rng(2).logistic(size=20_000)


@pytest.mark.parametrize("response", DISCRETE, ids=lambda response: response.kind)
def test_probabilities_and_means_are_those_of_values_with_logistic_noise(response, logistic):
    location, z, noise = logistic
    values = response.value(location, z, noise)
    found, counts = np.unique(values, return_counts=True)
    told = np.exp(response.log_density(location[: len(found)], z[: len(found)], found, np.zeros_like))
    np.testing.assert_allclose(counts / len(values), told, atol=0.015)
    assert response.mean(location, z)[0] == pytest.approx(values.mean(), abs=4 * values.std() / len(values) ** 0.5)


@pytest.mark.parametrize("response", DISCRETE, ids=lambda response: response.kind)
def test_noises_drawn_behind_values_are_noises_again(response, logistic):
    location, z, noise = logistic
    again = response.noise(location, z, response.value(location, z, noise), np.random.default_rng(3))
    levels = np.linspace(0.05, 0.95, 19)
    np.testing.assert_allclose(np.quantile(again, levels), np.quantile(noise, levels), atol=0.1)


@pytest.mark.parametrize("dispersion", [0.0, 0.7])
def test_counts_far_out_are_explained_by_their_noises(dispersion):
    response = Count(np.float64(dispersion), LOW, HIGH, np.float64(4000.0), ONE)
    counts, location, z = np.array([0.0, 40.0, 90.0]), np.array([5.0, -1.0, 1.0]), np.zeros((3, 1))
    np.testing.assert_array_equal(response.value(location, z, response.noise(location, z, counts)), counts)


def test_gumbel_noises_choose_levels_by_their_locations_and_are_found_again():
    rng = np.random.default_rng(0)
    locations = np.tile([0.0, 1.0, -1.0], (20_000, 1))
    noise = rng.gumbel(size=locations.shape)
    chosen = one_hot(locations + noise)
    shares = np.exp([0.0, 1.0, -1.0]) / np.exp([0.0, 1.0, -1.0]).sum()
    np.testing.assert_allclose(chosen.mean(axis=0), shares, atol=0.015)
    for generator in (rng, None):
        again = noises_behind(locations, chosen, generator)
        np.testing.assert_array_equal(one_hot(locations + again), chosen)
    drawn = noises_behind(locations, chosen, rng)
    levels = np.linspace(0.05, 0.95, 19)
    np.testing.assert_allclose(np.quantile(drawn, levels, axis=0), np.quantile(noise, levels, axis=0), atol=0.1)


def test_a_noise_beyond_all_reach_is_not_multiplied_by_another_spread():
    response, z = example_of_location_scale(), np.array([[-3.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    quiet, loud = response.spread(inputs_of(np.zeros(2), z))
    assert loud > 10 * quiet
    far = response.noise(np.zeros(1), z[:1], np.array([203.0]))  # 200 beyond its mean, where hardly any noise is
    moved = response.value(np.zeros(1), z[1:], far) - 3.0
    assert 200 < moved < 200 + response.reach * loud


def test_a_model_saved_before_noises_had_a_reach_can_be_read():
    response = example_of_location_scale()
    before = {name: array for name, array in response.arrays().items() if name != "typical"}
    z, noise = np.zeros((3, 3)), np.array([-2.0, 0.0, 5.0])
    found = LocationScale.restore(before).value(np.zeros(3), z, noise)
    np.testing.assert_array_equal(found, response.value(np.zeros(3), z, noise))
