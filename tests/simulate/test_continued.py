import numpy as np
import pytest

from fipscm.errors import UnknownNameError
from fipscm.simulate.continued import CONTINUATIONS, NODES, continued_scm, far_tests


@pytest.mark.parametrize("name", CONTINUATIONS)
def test_every_column_has_variance_one_and_noise_can_be_told(name, rng):
    scm = continued_scm(name, rng)
    rows, noise = scm.sample_arrays(20_000, rng)
    assert rows.shape[1] == NODES
    np.testing.assert_allclose(rows.std(axis=0), 1, atol=0.1)
    np.testing.assert_allclose(scm.sample_to_noise(rows), noise, atol=1e-9)


def test_beyond_the_rows_effects_go_straight_on_level_off_or_get_steeper():
    slope = {name: shape(np.array(6.0)) - shape(np.array(5.0)) for name, shape in CONTINUATIONS.items()}
    assert slope["far-saturating"] < 0.01 < slope["far-linear"] < 0.5 * slope["far-polynomial"]


@pytest.mark.parametrize("name", CONTINUATIONS)
def test_a_far_test_sets_a_cause_beyond_its_rows_and_knows_what_follows(name, rng):
    scm = continued_scm(name, rng)
    observed = scm.sample(500, rng)
    tests = list(far_tests(scm, observed, rng, rows=10))
    assert len(tests) == 2 * np.count_nonzero(scm.adjacency.any(axis=1)) > 0
    for test in tests:
        ((target, value),) = test.do.items()
        seen = observed[target]
        gap = max(seen.min() - value, value - seen.max()) / seen.std(ddof=0)
        assert 1 <= gap <= 3
        assert (test.truth[target] == value).all()
        effects = [scm.names[node] for node in np.flatnonzero(scm.adjacency[scm.names.index(target)])]
        assert (test.truth[effects] != test.factual[effects]).all(axis=None)


def test_an_unknown_continuation_is_refused(rng):
    with pytest.raises(UnknownNameError, match="far-linear"):
        continued_scm("far-linaer", rng)
