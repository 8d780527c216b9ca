"""What every response promises, whatever its kind; also far beyond where training rows were."""

from typing import NamedTuple

import numpy as np
import pytest
import torch
from scipy import stats

from fipscm.mechanism.network.flow import FlowTransformer
from fipscm.mechanism.network.transformer import TransformerConfig
from fipscm.mechanism.noise_distribution import EmpiricalNoise
from fipscm.mechanism.predictors.basis import Lines
from fipscm.mechanism.predictors.predictor import Predictor
from fipscm.mechanism.responses.additive import Additive
from fipscm.mechanism.responses.categorical import Categorical
from fipscm.mechanism.responses.count import Count
from fipscm.mechanism.responses.cumulative import Cumulative
from fipscm.mechanism.responses.kinds import RESPONSES
from fipscm.mechanism.responses.location_scale import LocationScale
from fipscm.mechanism.responses.logarithm import Logarithm
from fipscm.mechanism.responses.monotone import Monotone
from fipscm.mechanism.responses.monotone_curve import MonotoneCurve
from fipscm.mechanism.responses.post_nonlinear import PostNonlinear
from fipscm.mechanism.responses.response import Response
from fipscm.mechanism.responses.spread import Spread, with_location
from fipscm.mechanism.responses.zero_inflated import ZeroInflated

ROWS, MANY = 400, 20_000
NORMAL = stats.norm.ppf((np.arange(2_000) + 0.5) / 2_000)


class Example(NamedTuple):
    """A response, the number of its outputs, and the law of its noise."""

    response: Response
    outputs: int = 1
    law: str = "normal"


def example_of_location_scale():
    """Noise that is louder where the first of two inputs is high."""
    log = Predictor(Lines(np.arange(3)), np.array([[0.0], [1.0], [0.0], [0.2]]))
    return LocationScale(3.0, 2.0, 0.7, Spread(log, np.full(3, -3.0), np.full(3, 3.0), -3.0, 3.0))


def example_of_monotone():
    """A network with random weights that reads two inputs and the location."""
    sizes, generator = TransformerConfig(width=8, heads=2, head_width=4, layers=1, hidden=8), torch.Generator()
    network = FlowTransformer(4, sizes, generator.manual_seed(0))
    for weights in (network.decoder, network.spline_decoder):
        weights.data.normal_(std=0.3, generator=generator)
    return Monotone(3.0, 2.0, 0.5, np.full(3, -2.0), np.full(3, 2.0), 1.5, network.double())


CURVE = MonotoneCurve(np.array([-1.0, 0.0, 2.0]), np.array([3.0, 0.5, 1.0]))
POSITIVE = MonotoneCurve(np.array([0.5, 1.0, 2.0]), np.array([3.0, 0.5, 1.0]), positive=True)
AMOUNTS = EmpiricalNoise(0.3 * NORMAL[:, None])
EXAMPLES = {
    "additive": Example(Additive(3.0, 2.0)),
    "location-scale": Example(example_of_location_scale()),
    "monotone": Example(example_of_monotone()),
    "binary": Example(Cumulative(np.array([0.0, 1.0]), np.array([0.3]), 1.0), law="logistic"),
    "ordinal": Example(Cumulative(np.array([1.0, 2.0, 5.0]), np.array([-0.5, 1.0]), 1.0), law="logistic"),
    "count": Example(Count(0.0, -5.0, 5.0, 4095.0, 1.0), law="logistic"),
    "dispersed count": Example(Count(0.7, -5.0, 5.0, 4095.0, 1.0), law="logistic"),
    "logarithm": Example(Logarithm(0.2, 0.5, 5.0, float(np.exp(0.5)))),
    "post-nonlinear": Example(PostNonlinear(1.0, 1.0, CURVE, NORMAL)),
    "positive post-nonlinear": Example(PostNonlinear(1.0, 1.0, POSITIVE, NORMAL)),
    "categorical": Example(Categorical(np.ones(3)), 3, "gumbel"),
    "zero-inflated": Example(ZeroInflated(Additive(4.0, 0.5), AMOUNTS, 0.1, 1.0), 2, "logistic"),
    "zero-inflated logarithm": Example(
        ZeroInflated(Logarithm(1.0, 0.5, 5.0, 1.046), AMOUNTS, 1e-3, 1.0), 2, "logistic"
    ),
}
CONTINUOUS = [name for name, each in EXAMPLES.items() if not each.response.discrete]
DISCRETE = ["binary", "ordinal", "count", "dispersed count", "categorical"]
WITH_TANGENT = ["additive", "location-scale", "count", "dispersed count", "logarithm"]
WITH_TANGENT += ["post-nonlinear", "positive post-nonlinear"]


def noises(example, rows, seed=0):
    """Of its law: (N,), of a category (N, K)."""
    size = (rows, example.outputs) if example.response.is_category else rows
    return getattr(np.random.default_rng(seed), example.law)(size=size)


def situations(example, rows=ROWS):
    """Locations (N, K) and inputs (N, 2)."""
    rng = np.random.default_rng(1)
    return rng.standard_normal((rows, example.outputs)), rng.standard_normal((rows, 2))


def beyond(example, rise):
    """Locations and inputs of rows whose mean lies higher by so much, far away from the training rows."""
    location, z = situations(example)
    return example.response.continued(location, np.full(location.shape, rise)), 30 * z


PLACES = {"within": situations, "above": lambda e: beyond(e, 20.0), "below": lambda e: beyond(e, -20.0)}


@pytest.fixture(params=EXAMPLES)
def example(request):
    return EXAMPLES[request.param]


@pytest.fixture(params=PLACES)
def place(request):
    return PLACES[request.param]


def test_every_kind_has_an_example():
    assert {example.response.kind for example in EXAMPLES.values()} == set(RESPONSES)


def test_a_value_increases_in_the_noise(example, place):
    location, z = place(example)
    noise = noises(example, ROWS)
    if example.response.is_category:  # a level that gets more noise loses no row
        for level, more in enumerate(np.eye(example.outputs)):
            had, has = (example.response.value(location, z, noise + size * more) == level for size in (0, 50))
            assert (has >= had).all()
            assert has.sum() > had.sum()
        return
    steps = [example.response.value(location, z, noise + step) for step in (0.0, 0.5, 1.0, 50.0)]
    assert (np.diff(steps, axis=0) >= 0).all()
    if not example.response.discrete:
        assert (np.diff(steps, axis=0) > 0).all()


@pytest.mark.parametrize("generator", [np.random.default_rng(1), None], ids=["drawn", "median"])
def test_the_noise_behind_a_value_gives_the_value_back(example, place, generator):
    location, z = place(example)
    values = example.response.value(location, z, noises(example, ROWS))
    again = example.response.noise(location, z, values, generator)
    np.testing.assert_allclose(example.response.value(location, z, again), values, rtol=1e-5, atol=1e-6)


def test_a_noise_comes_back_where_a_value_leaves_no_other_open(example, place):
    if not example.response.discrete:
        (location, z), noise = place(example), noises(example, ROWS)
        found = example.response.noise(location, z, example.response.value(location, z, noise))
        np.testing.assert_allclose(found, noise, rtol=1e-5, atol=1e-5)


def test_values_and_means_stay_in_the_domain_of_the_column(example, place):
    location, z = place(example)
    response, low, high = example.response, *example.response.span
    found = response.value(location, z, np.concatenate([noises(example, ROWS // 2), 5 * noises(example, ROWS // 2, 1)]))
    assert np.isfinite(found).all()
    assert ((found >= low) & (found <= high)).all()
    if low == 0 and not response.discrete:
        assert (found > 0).all()
    if response.levels is not None:
        assert np.isin(found, response.levels).all()
    if response.kind == "count":
        np.testing.assert_array_equal(found, np.round(found))
    mean = response.mean(location, z)
    assert np.isfinite(mean).all()
    if response.is_category:
        np.testing.assert_allclose(mean.sum(axis=1), 1)
    else:
        assert ((mean >= low) & (mean <= high)).all()


@pytest.mark.parametrize("rise", [0.0, 20.0, -20.0])
def test_a_mean_is_the_average_of_values_over_the_noises(example, rise):
    at = situations(example, 3) if rise == 0 else (each[:3] for each in beyond(example, rise))
    noise, response = noises(example, MANY), example.response
    for location, z in zip(*at, strict=True):
        places, inputs = np.tile(location, (MANY, 1)), np.tile(z, (MANY, 1))
        values = response.value(places, inputs, noise)
        mean = response.mean(places[:1], inputs[:1])
        if response.is_category:
            values, mean = values[:, None] == response.levels, mean[0]
        error = values.std(axis=0) / MANY**0.5
        assert (np.abs(values.mean(axis=0) - mean) < 5 * error + 0.01 * np.abs(mean) + 1e-7).all()


@pytest.mark.parametrize("name", CONTINUOUS)
@pytest.mark.parametrize("place", PLACES)
def test_a_density_adds_up_to_the_share_of_the_noises(name, place):
    """Up to each value lies the same probability as up to its noise, so that all of it is one."""
    noise, example = np.linspace(-8, 8, 8_001), EXAMPLES[name]
    locations, inputs = PLACES[place](example)
    for location, z in zip(locations[:3], inputs[:3], strict=True):
        at = np.tile(location, (len(noise), 1)), np.tile(z, (len(noise), 1))
        values = example.response.value(*at, noise)
        density = np.exp(example.response.log_density(*at, values, stats.norm.logpdf))
        steps = np.diff(values) * (density[1:] + density[:-1]) / 2
        np.testing.assert_allclose(np.cumsum(steps), stats.norm.cdf(noise[1:]), atol=2e-3)


@pytest.mark.parametrize("name", DISCRETE)
@pytest.mark.parametrize("place", PLACES)
def test_probabilities_are_frequencies_and_add_up_to_one(name, place):
    example = EXAMPLES[name]
    response, noise = example.response, noises(example, MANY)
    for location, z in zip(*(each[:2] for each in PLACES[place](example)), strict=True):
        values = response.value(np.tile(location, (MANY, 1)), np.tile(z, (MANY, 1)), noise)
        most = int(max(values.max(), 10))
        possible = np.arange(4 * most + 1.0) if response.levels is None else response.levels
        at = np.tile(location, (len(possible), 1)), np.tile(z, (len(possible), 1))
        told = np.exp(response.log_density(*at, possible, stats.norm.logpdf))
        assert told.sum() == pytest.approx(1, abs=1e-3)
        np.testing.assert_allclose((values[:, None] == possible).mean(axis=0), told, atol=0.02)


@pytest.mark.parametrize("name", ["zero-inflated", "zero-inflated logarithm"])
def test_zeros_and_amounts_share_the_probability(name):
    response = EXAMPLES[name].response
    amounts = np.linspace(1e-4, 40, 80_001)
    for location in ([0.3, 0.5], [-0.5, -1.0]):
        places, z = np.tile(location, (len(amounts), 1)), np.zeros((len(amounts), 2))
        density = np.exp(response.log_density(places, z, amounts, stats.norm.logpdf))
        zero = np.exp(response.log_density(places[:1], z[:1], np.zeros(1), stats.norm.logpdf))[0]
        assert zero == pytest.approx(1 / (1 + np.exp(location[1])))
        assert np.trapezoid(density, amounts) == pytest.approx(1 - zero, abs=0.01)


def test_a_saved_response_answers_the_same(example):
    (location, z), noise = situations(example), noises(example, ROWS)
    restored = RESPONSES[example.response.kind].restore(example.response.arrays())
    values = example.response.value(location, z, noise)
    np.testing.assert_array_equal(restored.value(location, z, noise), values)
    np.testing.assert_array_equal(restored.mean(location, z), example.response.mean(location, z))
    np.testing.assert_array_equal(restored.noise(location, z, values), example.response.noise(location, z, values))
    densities = (each.log_density(location, z, values, stats.norm.logpdf) for each in (restored, example.response))
    np.testing.assert_array_equal(*densities)


def test_each_output_has_a_stretch(example):
    assert example.response.stretch.shape == (example.outputs,)
    assert (example.response.stretch > 0).all()


def middle(response, location, z):
    """The value without noise of a curve, else the mean: what goes on along its tangent."""
    return (
        response.value(location, z, np.zeros(len(z)))
        if response.kind == "post-nonlinear"
        else response.mean(location, z)
    )


def unit_of(response):
    """Of locations of additive noise that are those of a standardized column: its standard deviation."""
    return 2.0 if response.kind in ("additive", "location-scale") else 1.0


def smear(response):
    return response.smearing if response.kind == "logarithm" else 1.0


@pytest.mark.parametrize("name", WITH_TANGENT)
@pytest.mark.parametrize("rise", [0.3, 3.0, 100.0])
def test_a_mean_that_rises_goes_on_by_as_much_in_units_of_its_own(name, rise):
    example = EXAMPLES[name]
    response, (location, z) = example.response, situations(example)
    onward = response.continued(location, np.full(location.shape, rise))
    moved = middle(response, onward, z) - middle(response, location, z)
    np.testing.assert_allclose(moved, unit_of(response) * smear(response) * rise, rtol=1e-6)


@pytest.mark.parametrize("name", WITH_TANGENT)
def test_the_steepness_is_how_fast_the_mean_moves_and_goes_on_moving(name):
    example = EXAMPLES[name]
    response, step, (location, z) = example.response, 1e-6, situations(example)
    steepness = response.steepness(location)
    within = middle(response, location + step, z) - middle(response, location - step, z)
    unit = unit_of(response) * smear(response)
    np.testing.assert_allclose(within / (2 * step), unit * steepness[:, 0], rtol=1e-4)
    for side in (-1, 1):
        onward = response.continued(location, np.full(location.shape, side * step))
        np.testing.assert_allclose((onward - location) * steepness, side * step, rtol=1e-3)


def test_a_location_beyond_those_of_all_rows_moves_an_exponential_along_its_tangent():
    response, z = Logarithm(0.2, 0.5, 1.0, 1.0), np.zeros((3, 1))
    onward = response.continued(np.array([[2.0], [4.0], [6.0]]), np.zeros((3, 1)))
    found = response.mean(onward, z)
    assert np.ptp(np.diff(found)) == pytest.approx(0)
    assert found[1] == pytest.approx(np.exp(1.0) * (1 + 2.2 - 1.0))


@pytest.mark.parametrize("name", DISCRETE)
def test_noises_drawn_behind_values_are_noises_again(name):
    example = EXAMPLES[name]
    noise, location, z = noises(example, MANY), np.full((MANY, example.outputs), 0.7), np.zeros((MANY, 2))
    values = example.response.value(location, z, noise)
    again = example.response.noise(location, z, values, np.random.default_rng(3))
    levels = np.linspace(0.05, 0.95, 19)
    np.testing.assert_allclose(np.quantile(again, levels, axis=0), np.quantile(noise, levels, axis=0), atol=0.1)


@pytest.mark.parametrize("dispersion", [0.0, 0.7])
def test_counts_far_out_are_explained_by_their_noises(dispersion):
    response = Count(dispersion, -5.0, 5.0, 4095.0, 1.0)
    counts, location, z = np.array([0.0, 40.0, 90.0]), np.array([[5.0], [-1.0], [1.0]]), np.zeros((3, 1))
    np.testing.assert_array_equal(response.value(location, z, response.noise(location, z, counts)), counts)


def test_a_noise_beyond_all_reach_is_not_multiplied_by_another_spread():
    response, z = example_of_location_scale(), np.array([[-3.0, 0.0], [3.0, 0.0]])
    quiet, loud = response.spread(with_location(z, np.zeros(2)))
    assert loud > 10 * quiet
    far = response.noise(np.zeros((1, 1)), z[:1], np.array([203.0]))  # 200 beyond its mean, where hardly any noise is
    moved = response.value(np.zeros((1, 1)), z[1:], far)[0] - 3.0
    assert 100 < moved < 200 + 12 * loud


def test_the_level_with_the_largest_score_wins():
    response, location, z = Categorical(np.ones(3)), np.zeros((3, 3)), np.zeros((3, 1))
    np.testing.assert_array_equal(response.value(location, z, np.eye(3)), [0, 1, 2])


@pytest.mark.parametrize("name", ["zero-inflated", "zero-inflated logarithm"])
def test_amounts_beyond_all_rows_come_back(name):
    response = EXAMPLES[name].response
    values, location, z = np.array([0.0, 8.0, 40.0]), np.full((3, 2), -1.0), np.zeros((3, 2))
    again = response.value(location, z, response.noise(location, z, values))
    np.testing.assert_allclose(again, values, rtol=1e-6)
