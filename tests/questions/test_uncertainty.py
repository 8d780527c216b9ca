import numpy as np
import pytest

from fipscm.questions.uncertainty import agreement, total_effects
from fipscm.simulate import known_scm


@pytest.fixture
def triangle(rng):
    return known_scm("triangle").sample(5000, rng).to_numpy()


def test_total_effects_of_a_linear_scm_on_its_own_order(triangle):
    expected = [[0, 10, 6], [0, 0, 0.5], [0, 0, 0]]
    np.testing.assert_allclose(total_effects(triangle, np.array([0, 1, 2])), expected, atol=0.3)


def test_nothing_flows_against_the_order_or_a_mask(triangle):
    effects = total_effects(triangle, np.array([2, 1, 0]))
    assert not np.tril(effects.T, -1).any()
    without = np.ones((3, 3), dtype=bool)
    without[2, 1] = False
    assert total_effects(triangle, np.array([0, 1, 2]), without)[1, 2] == 0


def test_effects_do_not_depend_on_units(triangle):
    units = np.array([1e-6, 1e6, 1e13])
    effects = total_effects(triangle * units, np.array([0, 1, 2]))
    np.testing.assert_allclose(
        effects / units * units[:, None], total_effects(triangle, np.array([0, 1, 2])), rtol=1e-6
    )


def test_independent_variables_have_no_effect_in_any_order(rng):
    values = rng.normal(size=(2000, 4))
    assert not total_effects(values, rng.permutation(4)).any()
    assert (agreement(values, np.arange(4), [rng.permutation(4) for _ in range(5)]) == 1).all()


def test_agreement_is_the_share_of_orders_that_say_the_same(triangle):
    same, turned = np.array([0, 1, 2]), np.array([1, 0, 2])
    shares = agreement(triangle, same, [same, same, turned, turned])
    assert shares[0, 1] == 0.5  # the effect of x0 on x1 is gone once x1 stands first
    assert (np.diag(shares) == 1).all()
    assert (agreement(triangle, same, [same]) == 1).all()


def test_an_effect_stays_where_a_proxy_of_the_cause_stands_before_it(rng):
    x, own, error = rng.normal(size=(3, 100))
    values = np.column_stack([x, x + own, x + 0.02 * error])
    assert agreement(values, np.array([0, 1, 2]), [np.array([0, 2, 1])])[0, 1] == 1
