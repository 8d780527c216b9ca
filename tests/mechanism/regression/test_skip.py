import numpy as np
import pytest
import torch

from fipscm.graph import allowed_from_order
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.regression.skip import Skip, learn_smoothness


@pytest.fixture(scope="module")
def curve():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2_000, 2))
    effect = np.sin(2 * x[:, 0]) * (1 + 0.3 * x[:, 1]) + 0.5 * x[:, 1] + 0.1 * rng.standard_normal(2_000)
    z = np.column_stack([x, effect])
    allowed = allowed_from_order([0, 1, 2])
    curved = np.array([False, False, True])
    smoothness = learn_smoothness(z, allowed, curved)
    skip = Skip.unsolved(3, torch.Generator().manual_seed(0)).solved(z, allowed, 2_000, smoothness)
    return z, allowed, skip


def test_it_learns_a_curve_close_to_its_noise(curve):
    z, _, skip = curve
    assert np.std(z[:, 2] - skip(z, Box.of(z))[:, 2]) < 0.11


def test_inside_the_box_nothing_depends_on_it(curve):
    z, _, skip = curve
    box, everywhere = Box.of(z), Box.unbounded(3)
    np.testing.assert_array_equal(skip(z, box), skip(z, everywhere))


def test_it_reads_causes_only_and_knows_its_derivatives(curve):
    z, allowed, skip = curve
    places = z[:20]
    for node in range(3):
        slopes = skip.slopes(places, node)
        assert (slopes[:, ~allowed[node]] == 0).all()
        for cause in range(3):
            nudge = 1e-6 * np.eye(3)[cause]
            difference = (skip.node(places + nudge, node) - skip.node(places - nudge, node)) / 2e-6
            np.testing.assert_allclose(slopes[:, cause], difference, atol=1e-6)


def test_beyond_the_box_it_goes_on_with_the_flattest_slope_of_the_edge_and_of_places_within(curve):
    z, _, skip = curve
    box, edge = Box.of(z), np.zeros((1, 3))
    edge[0, 0] = box.high[0]
    places = np.zeros((4, 3))
    places[:, 0] = box.high[0], *np.quantile(z[:, 0], [0.98, 0.9, 0.8])
    slopes = skip.slopes(places, 2)[:, 0]
    slope = min(slopes, key=abs) if np.ptp(np.sign(slopes)) == 0 else 0.0
    for distance in (0.1, 3.0, 100.0):
        moved = skip(edge + distance * np.array([[1.0, 0.0, 0.0]]), box) - skip(edge, box)
        assert moved[0, 2] == pytest.approx(distance * slope)


def test_it_is_continuous_where_columns_leave_the_box_one_after_the_other(curve):
    z, _, skip = curve
    box = Box.of(z)
    way = np.linspace(0, 3, 3_001)[:, None] * box.high
    assert np.abs(np.diff(skip(way, box), axis=0)).max() < 0.1


def test_straight_nodes_stay_exactly_linear(curve):
    z, _, skip = curve
    assert (skip.amplitudes[:2] == 0).all()
    assert skip.weights[1, 0] == pytest.approx(z[:, 0] @ z[:, 1] / (z[:, 0] @ z[:, 0]))


def test_waves_are_the_sum_of_all_their_cosines(curve):
    z, _, skip = curve
    angles = (z * skip.relevance[2]) @ skip.frequencies + skip.phases
    expected = skip.intercept[2] + z @ skip.weights[2] + np.cos(angles) @ skip.amplitudes[2]
    np.testing.assert_allclose(skip.node(z, 2), expected, atol=1e-9)


def test_solving_some_nodes_again_leaves_the_others_as_they_are(curve):
    z, allowed, skip = curve
    nodes, other = np.array([False, True, False]), 2 * z
    again = skip.solved(other, allowed, len(z), {}, nodes=nodes)
    assert again.weights[1, 0] == pytest.approx(skip.weights[1, 0])
    np.testing.assert_array_equal(again(z, Box.of(z))[:, [0, 2]], skip(z, Box.of(z))[:, [0, 2]])
