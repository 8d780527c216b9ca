import numpy as np
import pytest

from fipscm.mechanism.training_range import INNER, TrainingRange

ROWS = np.random.default_rng(0).uniform(-2, 2, (500, 2))
RANGE = TrainingRange.of(ROWS)
FLAT = np.ones_like  # the steepness of additive noise


def wave(z):
    return (np.sin(1.3 * z[:, 0]) + 0.5 * z[:, 1])[:, None]


def onward(z, value=wave, steepness=FLAT, curved=True):
    return value(RANGE.nearest(z)) + RANGE.rise(z, value, steepness, curved)


def test_within_the_rows_nothing_is_added():
    np.testing.assert_array_equal(RANGE.rise(ROWS, wave, FLAT, True), 0)


def test_it_reaches_to_the_outermost_rows():
    np.testing.assert_array_equal(RANGE.low, ROWS.min(axis=0))
    np.testing.assert_array_equal(RANGE.high, ROWS.max(axis=0))
    np.testing.assert_array_equal(RANGE.nearest(np.array([[9.0, 0.5]])), [[RANGE.high[0], 0.5]])


@pytest.mark.parametrize("side", [-1, 1])
def test_beyond_the_slope_is_the_flattest_of_the_edge_and_of_places_within(side):
    edge = np.array([RANGE.high[0] if side > 0 else RANGE.low[0], 0.3])
    levels = 1 - INNER if side > 0 else INNER
    places = [edge[0], *np.quantile(ROWS[:, 0], levels)]
    slopes = 1.3 * np.cos(1.3 * np.array(places))
    expected = min(slopes, key=abs) if np.ptp(np.sign(slopes)) == 0 else 0.0
    for distance in (0.1, 3.0, 100.0):
        moved = onward((edge + np.array([side * distance, 0]))[None]) - onward(edge[None])
        assert moved[0, 0] == pytest.approx(side * distance * expected, abs=1e-5)


def test_slopes_of_different_signs_make_it_level():
    def arc(z):
        return (-np.square(z[:, 0] - 1.5))[:, None]

    edge = np.array([RANGE.high[0], 0.0])
    assert onward((edge + np.array([50.0, 0]))[None], arc) == pytest.approx(onward(edge[None], arc))


def test_a_line_keeps_the_slope_of_all_rows():
    def line(z):
        return (3 * z[:, 0] - z[:, 1])[:, None]

    far = np.array([[50.0, -70.0]])
    np.testing.assert_allclose(onward(far, line, curved=False), line(far))


def test_the_slope_is_that_of_the_mean_where_the_location_is_on_another_scale():
    def logarithm(z):
        return (0.5 * z[:, 0])[:, None]

    edge, places = RANGE.high[0], np.quantile(ROWS[:, 0], 1 - INNER)
    flattest = min(0.5 * np.exp(0.5 * np.array([edge, *places])))
    rise = RANGE.rise(np.array([[edge + 4.0, 0.0]]), logarithm, np.exp, True)
    assert rise[0, 0] == pytest.approx(4 * flattest, rel=1e-5)


def test_it_is_continuous_where_inputs_leave_the_range_one_after_the_other():
    way = np.linspace(0, 3, 3_001)[:, None] * np.array([2.0, 1.3])
    assert np.abs(np.diff(onward(way), axis=0)).max() < 0.01


def test_several_outputs_go_on_each_by_itself():
    def both(z):
        return np.column_stack([wave(z), 2 * z[:, 1]])

    far = np.array([[5.0, 4.0]])
    np.testing.assert_allclose(RANGE.rise(far, both, FLAT, True)[:, :1], RANGE.rise(far, wave, FLAT, True))


def test_no_rows_within_have_any_say_without_inputs():
    alone = TrainingRange.of(np.zeros((5, 0)))
    np.testing.assert_array_equal(alone.rise(np.zeros((3, 0)), lambda z: np.ones((len(z), 1)), FLAT, True), 0)
