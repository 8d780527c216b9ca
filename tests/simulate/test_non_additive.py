"""SCMs whose noise is not added obey the laws of SCMs, and no additive model describes them."""

import numpy as np
import pytest

from fipscm.errors import UnknownNameError
from fipscm.simulate.non_additive import NON_ADDITIVE, non_additive_scm, typical_tests

POSITIVE = ("noise-multiplicative", "noise-saturating")


@pytest.fixture(params=NON_ADDITIVE)
def scm(request):
    return non_additive_scm(request.param, 5, np.random.default_rng(3))


def test_noise_leads_to_rows_and_rows_to_the_noise(scm, rng):
    rows, noise = scm.sample_arrays(10_000, rng)
    np.testing.assert_allclose(scm.sample_to_noise(rows), noise, atol=1e-8)


def test_every_column_has_variance_one_whatever_its_place(scm, rng):
    np.testing.assert_allclose(scm.sample(20_000, rng).std(ddof=0), 1, atol=0.15)


def test_a_row_set_to_its_own_values_stays_as_it_is(scm, rng):
    rows = scm.sample(50, rng)
    answer = scm.counterfactual(rows, {name: rows[name].to_numpy() for name in scm.names[:2]})
    np.testing.assert_allclose(answer, rows, atol=1e-8)


def test_more_noise_is_a_larger_value(scm, rng):
    rows, noise = scm.sample_arrays(200, rng)
    for node in range(len(scm.names)):
        louder = scm.node_value(node, rows, noise[:, node] + 0.1)
        assert (louder > rows[:, node]).all()


def test_how_much_the_noise_matters_depends_on_the_causes(scm, rng):
    rows = scm.sample(2_000, rng).to_numpy()
    for node in np.flatnonzero(scm.adjacency.any(axis=0)):
        step = scm.node_value(node, rows, np.full(len(rows), 0.1)) - scm.node_value(node, rows, np.zeros(len(rows)))
        assert step.std() > 0.05 * step.mean()  # additive noise would move every row by the same amount


@pytest.mark.parametrize("name", POSITIVE)
def test_amounts_stay_positive(name, rng):
    scm = non_additive_scm(name, 10, rng)
    assert (scm.sample(10_000, rng) > 0).all(axis=None)


def test_a_test_sets_a_cause_to_a_value_that_was_seen_and_knows_what_follows(scm, rng):
    observed = scm.sample(300, rng)
    tests = list(typical_tests(scm, observed, rng, rows=20))
    assert len(tests) == len(scm.names)
    for test in tests:
        ((target, value),) = test.do.items()
        assert value in observed[target].to_numpy()
        assert scm.adjacency[scm.names.index(target)].any()
        np.testing.assert_allclose(scm.counterfactual(test.factual, test.do), test.truth, atol=1e-8)


def test_an_unknown_name_is_refused(rng):
    with pytest.raises(UnknownNameError, match="noise-saturating"):
        non_additive_scm("noise-saturatign", 5, rng)
