import numpy as np
import pandas as pd
import pytest

from fipscm.bench.data.problem import DataSet
from fipscm.bench.data.sources import make_problem
from fipscm.bench.methods import METHODS
from fipscm.bench.run.scoring import score_answer
from fipscm.metrics import SCORES


@pytest.fixture(scope="module")
def problem():
    return make_problem(DataSet("far-linear", 6, rows=1_000))


@pytest.fixture(scope="module")
def answer(problem):
    return METHODS["least-squares"].solve(problem, np.random.default_rng(0))


def test_doing_nothing_returns_the_factual_rows(problem, answer):
    pd.testing.assert_frame_equal(answer.model.counterfactual(problem.table, {}), problem.table)


def test_samples_look_like_the_table(problem, answer):
    drawn = answer.model.sample(5_000, np.random.default_rng(1))
    np.testing.assert_allclose(drawn.corr(), problem.table.corr(), atol=0.08)
    np.testing.assert_allclose(drawn.mean(), problem.table.mean(), atol=0.08)


def test_linear_mechanisms_hold_beyond_the_rows(problem, answer):
    scores = score_answer(answer, problem, np.random.default_rng(0))
    assert scores["far"] < 0.3
    assert "counterfactual" not in scores


def test_beyond_the_rows_only_the_descendants_count(problem, answer):
    test = problem.tests[0]
    (target,) = test.do
    found = answer.model.counterfactual(test.factual, test.do)
    assert found[target].eq(test.do[target]).all()
    unmoved = SCORES["far"](test.truth, test.factual.assign(**{target: test.do[target]}), problem.unit)
    assert SCORES["far"](test.truth, found, problem.unit) < 0.2 * unmoved
