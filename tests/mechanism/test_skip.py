import numpy as np
import pytest
import torch

from fipscm.graph import allowed_from_order
from fipscm.mechanism.skip import Skip


@pytest.fixture(scope="module")
def curve():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2_000, 2))
    effect = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.1 * rng.standard_normal(2_000)
    z = np.column_stack([x, effect])
    allowed = allowed_from_order([0, 1, 2])
    skip = Skip.fit(z, allowed, np.array([False, False, True]), 2_000, torch.Generator().manual_seed(0))
    return z, allowed, skip


def test_it_learns_a_curve_close_to_its_noise(curve):
    z, _, skip = curve
    assert np.std(z[:, 2] - skip(z)[:, 2]) < 0.11


def test_it_reads_causes_only_and_knows_its_derivatives(curve):
    z, allowed, skip = curve
    derivative = skip.jacobian(z[:20])
    assert (derivative[:, ~allowed] == 0).all()
    nudge = 1e-6 * np.array([1.0, 0.0, 0.0])
    difference = (skip(z[:20] + nudge) - skip(z[:20] - nudge)) / 2e-6
    np.testing.assert_allclose(derivative[:, :, 0], difference, atol=1e-6)


def test_straight_nodes_stay_exactly_linear(curve):
    z, _, skip = curve
    assert (skip.amplitudes[:2] == 0).all()
    assert skip.weights[1, 0] == pytest.approx(z[:, 0] @ z[:, 1] / (z[:, 0] @ z[:, 0]))
