import numpy as np
import pytest

from fipscm.mechanism.regression.bend import Bend, learn_bend

BEND = Bend(np.array([-1.0, 0.0, 2.0, 5.0]), np.array([3.0, 0.1, 0.1, 1.0]))
EVERYWHERE = np.linspace(-20, 20, 2_001)


def test_a_bend_increases_and_gives_its_values_back():
    bent = BEND(EVERYWHERE)
    assert (np.diff(bent) > 0).all()
    np.testing.assert_allclose(BEND.inverse(bent), EVERYWHERE, atol=1e-9)


def test_slopes_are_derivatives():
    step = 1e-6
    difference = (BEND(EVERYWHERE + step) - BEND(EVERYWHERE - step)) / (2 * step)
    np.testing.assert_allclose(BEND.slope(EVERYWHERE), difference, atol=1e-5)


@pytest.mark.parametrize("far", [-1e6, 1e6])
def test_its_ends_are_straight(far):
    once, twice = BEND(np.array([far])), BEND(np.array([2 * far]))
    assert twice - once == pytest.approx(BEND.slope(np.array([far])) * far)


@pytest.mark.parametrize("bend", [np.exp, np.cbrt, lambda u: u], ids=["exponential", "root", "straight"])
def test_the_scale_on_which_causes_and_noise_add_up_is_found(bend):
    rng = np.random.default_rng(0)
    causes = rng.standard_normal((2_000, 1))
    total = np.sin(causes[:, 0]) + 0.7 * causes[:, 0] + 0.4 * rng.standard_normal(2_000)
    found = learn_bend(causes, bend(total))
    assert np.corrcoef(found(bend(total)), total)[0, 1] > 0.99


def test_a_value_that_many_rows_share_has_no_bend():
    rng = np.random.default_rng(1)
    causes = rng.standard_normal((500, 1))
    assert learn_bend(causes, np.maximum(causes[:, 0] + rng.standard_normal(500), 0)) is None
