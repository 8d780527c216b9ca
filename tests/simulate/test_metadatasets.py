import numpy as np
import pandas as pd
import pytest

from fipscm.errors import UnknownNameError
from fipscm.simulate import counterfactual_tests, known_scm, metadataset


@pytest.mark.parametrize("name", ["lin-in", "lin-out", "rff-in", "rff-out"])
def test_three_dimensions_three_families_three_scms_make_27(name):
    cases = list(metadataset(name, dims=(3, 4, 5)))
    assert len(cases) == 27
    assert len({(case.nodes, case.family, case.replicate) for case in cases}) == 27
    assert all(len(case.scm.names) == case.nodes for case in cases)


def test_a_case_does_not_depend_on_what_else_is_asked_for():
    alone = next(metadataset("rff-out", dims=(5,), per_family=1))
    among = next(case for case in metadataset("rff-out", dims=(4, 5), per_family=2) if case.nodes == 5)
    pd.testing.assert_frame_equal(alone.sample(20), among.sample(20))


def test_cases_and_seeds_differ():
    first, second = (next(metadataset("lin-in", dims=(5,), seed=seed)).sample(5) for seed in (0, 1))
    assert not np.allclose(first, second)
    frames = [case.sample(5).to_numpy() for case in metadataset("lin-in", dims=(5,), per_family=2)]
    assert len({frame.tobytes() for frame in frames}) == len(frames)


def test_the_counterfactual_test_is_the_papers(rng):
    scm = known_scm("weak_arrows")
    observed = scm.sample(1000, rng)
    tests = list(counterfactual_tests(scm, observed, rng))
    assert len(tests) == 9
    for test in tests:
        ((target, value),) = test.do.items()
        assert observed[target].min() <= value <= observed[target].max()
        assert len(test.factual) == 100
        pd.testing.assert_frame_equal(scm.counterfactual(test.factual, test.do), test.truth, rtol=1e-6, atol=1e-6)


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match="lin-in, rff-in, lin-out, rff-out"):
        next(metadataset("sin-in"))
