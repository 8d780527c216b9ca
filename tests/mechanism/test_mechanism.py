"""What every mechanism promises that was learned from rows, within their range and beyond it."""

import numpy as np
import pytest

from fipscm.mechanism.families.additive import AdditiveFamily, LogarithmFamily
from fipscm.mechanism.families.discrete import CategoricalFamily, CountFamily, CumulativeFamily
from fipscm.mechanism.families.location_scale import LocationScaleFamily
from fipscm.mechanism.families.monotone import MonotoneFamily
from fipscm.mechanism.families.post_nonlinear import PostNonlinearFamily
from fipscm.mechanism.families.zero_inflated import ZeroInflatedFamily
from fipscm.mechanism.mechanism import Mechanism
from fipscm.mechanism.responses.kinds import RESPONSES

MANY = 5_000
FAMILIES = {
    "additive": AdditiveFamily("smooth"),
    "logarithm": LogarithmFamily("smooth"),
    "post-nonlinear": PostNonlinearFamily("smooth"),
    "location-scale": LocationScaleFamily("linear"),
    "monotone": MonotoneFamily("linear"),
    "binary": CumulativeFamily("linear"),
    "ordinal": CumulativeFamily("per level"),
    "count": CountFamily("linear"),
    "dispersed": CountFamily("smooth"),
    "categorical": CategoricalFamily("smooth"),
    "zero-inflated": ZeroInflatedFamily("linear", logarithm=True),
}
OF_NUMBERS = [name for name in FAMILIES if name not in ("binary", "ordinal", "categorical")]
LEARNED = {}


@pytest.fixture(scope="module")
def learned(drawn):
    """(mechanism, data) of each kind of column, learned once."""

    def of(name):
        if name not in LEARNED:
            data, family = drawn(name, 250 if name == "monotone" else 500), FAMILIES[name]
            LEARNED[name] = family.fit(data, data.all_rows, family.prepare(data)), data
        return LEARNED[name]

    return of


@pytest.fixture(params=FAMILIES)
def mechanism(request, learned):
    return learned(request.param)[0]


def places(rows, far):
    """(N, 3) causes, of which the first is `far` standard deviations away."""
    causes = np.random.default_rng(7).standard_normal((rows, 3))
    causes[:, 2] = causes[:, 2] > 0
    causes[:, 0] += far
    return causes


FAR = [0.0, 6.0, -6.0, 100.0, -100.0]


def test_every_kind_of_response_is_learned(learned):
    assert {learned(name)[0].response.kind for name in FAMILIES} == set(RESPONSES)


@pytest.mark.parametrize("far", FAR)
def test_noises_give_their_values_back(mechanism, far):
    causes = places(300, far)
    values = mechanism.value(causes, drawn_noises(mechanism, 300))
    for generator in (None, np.random.default_rng(1)):
        noise = mechanism.noise(causes, values, generator)
        np.testing.assert_allclose(mechanism.value(causes, noise), values, rtol=1e-5, atol=1e-6)


def drawn_noises(mechanism, rows):
    """(N,), of a category (N, K)."""
    noise = mechanism.noise_law.sample(rows, np.random.default_rng(3))
    return noise if mechanism.width > 1 else noise[:, 0]


@pytest.mark.parametrize("far", FAR)
def test_values_stay_in_the_domain_of_the_column(mechanism, far):
    values = mechanism.value(places(2_000, far), drawn_noises(mechanism, 2_000))
    response, (low, high) = mechanism.response, mechanism.response.span
    assert np.isfinite(values).all()
    assert ((values >= low) & (values <= high)).all()
    if low == 0 and not response.discrete:
        assert (values > 0).all()
    if response.levels is not None:
        assert np.isin(values, response.levels).all()
    if response.kind == "count":
        np.testing.assert_array_equal(values, np.round(values))


@pytest.mark.parametrize("far", FAR)
def test_values_increase_in_the_noise(mechanism, far):
    if mechanism.width == 1:
        causes, noise = places(100, far), drawn_noises(mechanism, 100)
        step = noise.std()
        values = [mechanism.value(causes, noise + size * step) for size in (0.0, 0.5, 1.0, 3.0)]
        assert (np.diff(values, axis=0) >= 0).all()
        assert (values[-1] > values[0]).any() or far != 0


@pytest.mark.parametrize("far", [0.0, 5.0, -5.0])
def test_means_are_averages_over_the_noises(mechanism, far):
    response, noise = mechanism.response, drawn_noises(mechanism, MANY)
    for cause in places(3, far):
        mean = mechanism.mean(cause[None])
        values = response.value(*(np.repeat(each, MANY, axis=0) for each in mechanism.at(cause[None])), noise)
        if response.is_category:
            values = values[:, None] == response.levels
        # A spline of the noise takes it for normal, which it is up to what few rows tell.
        allowed = 0.1 if response.kind == "monotone" else 5 / MANY**0.5
        error = allowed * values.std(axis=0) + 0.05 * np.abs(mean) + 1e-3
        assert (np.abs(values.mean(axis=0) - mean) < error).all()


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_rows_are_likelier_given_their_causes_than_given_others(name, learned):
    mechanism, data = learned(name)
    others = np.roll(data.causes, 1, axis=0)
    own, other = (mechanism.log_density(each, data.values) for each in (data.causes, others))
    assert np.isfinite(own).all()
    assert own.mean() > other.mean() + 0.1


def test_a_restored_mechanism_answers_the_same(mechanism):
    restored = Mechanism.restore(mechanism.arrays())
    causes, noise = places(50, 4.0), drawn_noises(mechanism, 50)
    values = mechanism.value(causes, noise)
    for one, other in (
        (restored.value(causes, noise), values),
        (restored.noise(causes, values), mechanism.noise(causes, values)),
        (restored.mean(causes), mechanism.mean(causes)),
        (restored.log_density(causes, values), mechanism.log_density(causes, values)),
    ):
        np.testing.assert_array_equal(one, other)
    assert restored.acts_on == mechanism.acts_on
    assert {**restored.describe(), "noise": 0} == pytest.approx({**mechanism.describe(), "noise": 0}, nan_ok=True)


def test_slopes_are_differences_of_means(learned):
    mechanism, _ = learned("additive")
    causes, step = places(20, 0.0), 1e-4
    found = mechanism.slopes(causes)
    for place in (0, 1):
        up, down = (mechanism.mean(causes + sign * step * np.eye(3)[place]) for sign in (1, -1))
        np.testing.assert_allclose(found[:, place], (up - down) / (2 * step), rtol=1e-3, atol=1e-3)


def test_the_slope_in_a_category_is_the_largest_difference_of_its_levels(column_data):
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=600)
    data = column_data(np.array([0.0, 5.0, 1.0])[codes] + 0.1 * rng.standard_normal(600), codes, cause_levels=[3])
    family = AdditiveFamily("linear")
    mechanism = family.fit(data, data.all_rows, family.prepare(data))
    np.testing.assert_allclose(mechanism.slopes(data.causes[:4])[:, 0], 5, atol=0.1)


def test_causes_that_are_read_are_told_by_what_they_move(learned):
    assert learned("additive")[0].acts_on == ["mean"] * 3
    assert learned("monotone")[0].acts_on == ["mean and spread"] * 3
    assert learned("location-scale")[0].acts_on[0] == "mean and spread"


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_beyond_the_rows_means_are_straight_in_the_units_of_the_column(name, learned):
    """Where they rise; a mean that falls towards the lowest value there is does so ever more slowly."""
    mechanism, data = learned(name)
    causes = np.tile([0.2, 0.1, 1.0], (30, 1))
    causes[:, 0] = data.causes[:, 0].max() + np.linspace(5, 60, 30)
    curve = mechanism.mean(causes)
    assert curve[-1] >= curve[0]
    if mechanism.response.kind == "zero-inflated":
        return  # two outputs go on, each along its tangent
    if mechanism.response.kind == "post-nonlinear":  # of the value without noise
        curve = mechanism.value(causes, np.zeros(30))
    np.testing.assert_allclose(np.diff(curve, n=2), 0, atol=1e-6 * max(1.0, np.ptp(curve)))
