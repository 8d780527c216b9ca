import numpy as np
import pytest

from fipscm.mechanism.families.post_nonlinear import PostNonlinearFamily, learn_curve
from fipscm.mechanism.responses.monotone_curve import MonotoneCurve

BEND = MonotoneCurve(np.array([-1.0, 0.0, 2.0, 5.0]), np.array([3.0, 0.1, 0.1, 1.0]))
EVERYWHERE = np.linspace(-20, 20, 2_001)


def test_a_bend_increases_and_gives_its_values_back():
    bent = BEND(EVERYWHERE)
    assert (np.diff(bent) > 0).all()
    np.testing.assert_allclose(BEND.inverse(bent), EVERYWHERE, atol=1e-9)


AMOUNTS = MonotoneCurve(np.array([0.2, 0.5, 2.0, 5.0]), np.array([3.0, 0.1, 0.1, 1.0]), positive=True)


@pytest.mark.parametrize(("bend", "values"), [(BEND, EVERYWHERE), (AMOUNTS, np.geomspace(1e-3, 20, 2_001))])
def test_slopes_are_derivatives(bend, values):
    step = 1e-6
    difference = (bend(values + step) - bend(values - step)) / (2 * step)
    np.testing.assert_allclose(bend.slope(values), difference, rtol=1e-4, atol=1e-5)


def test_amounts_stay_positive_and_come_back():
    values = np.geomspace(1e-9, 50, 2_001)
    assert (np.diff(AMOUNTS(values)) > 0).all()
    np.testing.assert_allclose(AMOUNTS.inverse(AMOUNTS(values)), values, rtol=1e-9)
    far = AMOUNTS.inverse(np.array([-1e9, -100.0, 0.0, 1e9]))
    assert (far >= 0).all()
    assert np.isfinite(far).all()
    assert np.isfinite(AMOUNTS(np.array([-1.0, 0.0]))).all()


@pytest.mark.parametrize("far", [-1e6, 1e6])
def test_its_ends_are_straight(far):
    once, twice = BEND(np.array([far])), BEND(np.array([2 * far]))
    assert twice - once == pytest.approx(BEND.slope(np.array([far])) * far)


@pytest.mark.parametrize("bend", [np.exp, np.cbrt, lambda u: u], ids=["exponential", "root", "straight"])
def test_the_scale_on_which_causes_and_noise_add_up_is_found(bend):
    rng = np.random.default_rng(0)
    causes = rng.standard_normal((500, 1))
    total = np.sin(causes[:, 0]) + 0.7 * causes[:, 0] + 0.4 * rng.standard_normal(500)
    found = learn_curve(causes, bend(total))
    assert np.corrcoef(found(bend(total)), total)[0, 1] > 0.98


def test_a_value_that_many_rows_share_has_no_curve(column_data):
    rng = np.random.default_rng(1)
    causes = rng.standard_normal((500, 1))
    data = column_data(np.maximum(causes[:, 0] + rng.standard_normal(500), 0), causes)
    assert not PostNonlinearFamily("smooth").applies(data)
