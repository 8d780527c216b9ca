from dataclasses import replace

import numpy as np
import pytest
import torch

from fipscm.mechanism.network.transformer import TransformerConfig
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.response.fit_monotone import fit_monotone
from fipscm.mechanism.response.kinds import response_arrays, restore_responses

SMALL = TransformerConfig(width=16, heads=2, head_width=8, layers=1, hidden=16)
ROWS = 2_000
EFFECT = np.array([1])
SECOND_READS_FIRST = np.array([[False, False], [True, False]])


def exponential(cause, noise):
    return np.exp(0.5 * cause + 0.3 * noise)


def saturating(cause, noise):
    return np.tanh(cause + 0.7 * noise)


def drawn(mechanism, rows=ROWS, seed=0):
    """Rows (N, 2) of a cause and its effect, and the noise of the effect."""
    cause, noise = np.random.default_rng(seed).standard_normal((2, rows))
    return np.column_stack([cause, mechanism(cause, noise)]), noise


def learned(rows, seed=0, location=0.0):
    """The response of the effect, and the standardized rows."""
    centre, scale = rows.mean(axis=0), rows.std(axis=0)
    z = (rows - centre) / scale
    generator = torch.Generator().manual_seed(seed)
    responses = fit_monotone(
        z, z - location, SECOND_READS_FIRST, EFFECT, centre, scale, Box.of(z), generator, sizes=SMALL
    )
    return responses[1], z


@pytest.fixture(scope="module")
def fit():
    rows, _ = drawn(exponential)
    return *learned(rows), rows


@pytest.mark.parametrize("mechanism", [exponential, saturating])
def test_counterfactuals_are_at_least_twice_as_good_as_with_additive_noise(mechanism):
    rows, noise = drawn(mechanism)
    many = np.random.default_rng(1).standard_normal(500)
    mean, mean_there = (mechanism(cause[:, None], many).mean(axis=1) for cause in (rows[:, 0], rows[:, 0] + 1))
    location, location_there = ((each - rows[:, 1].mean()) / rows[:, 1].std() for each in (mean, mean_there))
    response, z = learned(rows, location=np.column_stack([np.zeros(ROWS), location]))
    there = z + np.array([1 / rows[:, 0].std(), 0])
    found = response.value(location_there, there, response.noise(location, z, rows[:, 1]))
    wanted = mechanism(rows[:, 0] + 1, noise)
    inside = np.abs(rows[:, 0] + 1) < 2  # where rows are many enough to learn from
    error, additive = (np.sqrt(np.square(x - wanted)[inside].mean()) for x in (found, rows[:, 1] - mean + mean_there))
    assert error < 0.5 * additive


def test_the_noises_of_the_rows_are_standard_normal(fit):
    response, z, rows = fit
    noise = response.noise(np.zeros(ROWS), z, rows[:, 1])
    np.testing.assert_allclose(np.quantile(noise, [0.159, 0.5, 0.841]), [-1, 0, 1], atol=0.1)


def test_a_mean_is_the_average_of_sampled_values(fit):
    response, z, _ = fit
    some, noise = z[:5], np.random.default_rng(2).standard_normal(20_000)
    averages = [response.value(np.zeros(len(noise)), np.repeat(row[None], len(noise), 0), noise).mean() for row in some]
    np.testing.assert_allclose(response.mean(np.zeros(5), some), averages, rtol=0.01)


def test_slopes_are_the_derivatives_of_the_standardized_value(fit):
    response, z, _ = fit
    location, noise = np.linspace(-0.5, 0.5, 50), np.linspace(-2, 2, 50)
    response = replace(response, low=np.full(2, -1.0), high=np.full(2, 1.0))
    z, step = z[:50] * 0.9, 1e-6
    in_location, in_causes = response.slopes(location, z, noise)

    def difference(location_step, cause_step):
        ends = [
            response.value(location + sign * location_step, z + np.array([sign * cause_step, 0]), noise)
            for sign in (1, -1)
        ]
        return (ends[0] - ends[1]) / (2 * step * response.scale)

    np.testing.assert_allclose(in_location, difference(step, 0), atol=1e-5)
    np.testing.assert_allclose(in_causes[:, 0], difference(0, step), atol=1e-5)
    assert (in_causes[:, 1] == 0).all()
    assert (in_causes[np.abs(z[:, 0]) > 1, 0] == 0).all()


def test_far_away_everything_stays_finite(fit):
    response, _, _ = fit
    for far in (-1e6, 1e6):
        z, location = np.full((4, 2), far), np.full(4, far)
        for answer in (
            response.value(location, z, z[:, 0]),
            response.noise(location, z, z[:, 0]),
            response.mean(location, z),
        ):
            assert np.isfinite(answer).all()


def test_beyond_the_locations_of_the_rows_values_move_with_the_location_and_noise_acts_as_it_does_there(fit):
    response, _, _ = fit
    z, noise, ends = np.zeros((2, 2)), np.array([-1.0, 1.0]), np.array([response.low[-1], response.high[-1]])
    moved = response.value(10 * ends, z, noise) - response.value(ends, z, noise)
    np.testing.assert_allclose(moved, 9 * response.scale * ends)


def test_the_same_seed_gives_the_same_fit_and_loading_changes_nothing():
    rows, noise = drawn(exponential, 300)
    (first, z), (second, _), (other, _) = learned(rows, 0), learned(rows, 0), learned(rows, 1)
    (loaded,) = restore_responses(["monotone"], response_arrays([first]))
    nothing = np.zeros(len(z))
    values = [response.value(nothing, z, noise) for response in (first, second, loaded, other)]
    np.testing.assert_array_equal(values[0], values[1])
    np.testing.assert_array_equal(values[0], values[2])
    assert (values[0] != values[3]).all()


def test_a_few_wild_rows_change_little(fit):
    response, z, rows = fit
    wild = rows.copy()
    wild[:10, 1] = 1e3
    centre, scale = rows.mean(axis=0), rows.std(axis=0)
    z_wild = (wild - centre) / scale
    generator = torch.Generator().manual_seed(0)
    again = fit_monotone(z_wild, z_wild, SECOND_READS_FIRST, EFFECT, centre, scale, Box.of(z), generator, sizes=SMALL)[
        1
    ]
    noise, nothing = np.linspace(-2, 2, ROWS), np.zeros(ROWS)
    gap = (again.value(nothing, z, noise) - response.value(nothing, z, noise)) / scale[1]
    assert np.sqrt(np.square(gap).mean()) < 0.15


def test_rows_that_do_not_tell_are_left_out():
    rows, noise = drawn(exponential, 300)
    centre, scale = rows.mean(axis=0), rows.std(axis=0)
    z = (rows - centre) / scale
    fits = []
    for unknown in (-7.0, 7.0):
        moved = z.copy()
        moved[:20, 1] = unknown
        residual = moved.copy()
        residual[:20, 1] = np.nan
        generator = torch.Generator().manual_seed(0)
        fits.append(
            fit_monotone(moved, residual, SECOND_READS_FIRST, EFFECT, centre, scale, Box.of(z), generator, sizes=SMALL)[
                1
            ]
        )
    nothing = np.zeros(len(z))
    np.testing.assert_array_equal(*(response.value(nothing, z, noise) for response in fits))
