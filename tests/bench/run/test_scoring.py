"""Scores of tables with columns of several kinds, and of rows held out."""

import numpy as np
import pytest

from fipscm.bench.data.problem import DataSet
from fipscm.bench.data.sources import make_problem
from fipscm.bench.methods.method import Answer
from fipscm.bench.run.scoring import score_answer
from fipscm.simulate.mixed.scm import MixedSCM

MIXED = make_problem(DataSet("mixed", 10, rows=500))


class Knowing:
    """Answers by the SCM that made the rows."""

    def __init__(self, scm: MixedSCM):
        self.scm = scm

    def intervene(self, do, rows, seed):
        return self.scm.decode(self.scm.values(self.scm.noise(rows, np.random.default_rng(seed)), do))

    def counterfactuals(self, rows, do, seed):
        rng, codes = np.random.default_rng(seed), self.scm.encode(rows)
        return [self.scm.decode(self.scm.values(self.scm.abduct(codes, rng), do)) for _ in range(50)]


class Unmoved(Knowing):
    """Answers as if nothing had effects."""

    def intervene(self, do, rows, seed):
        return super().intervene({}, rows, seed)

    def counterfactuals(self, rows, do, seed):
        return [rows]


class Silent(Knowing):
    """Has no counterfactuals."""

    def counterfactuals(self, rows, do, seed):
        return []


def scores(model):
    return score_answer(Answer(mixed_model=model(MIXED.mixed.scm)), MIXED, np.random.default_rng(0))


def test_whoever_knows_the_scm_makes_no_error():
    found = scores(Knowing)
    assert found["effects"] < 0.1
    assert found["counterfactual"] < 0.1


def test_whoever_sees_no_effects_misses_all_of_them():
    found = scores(Unmoved)
    assert found["effects"] == pytest.approx(1.0)
    assert found["counterfactual"] > 3 * scores(Knowing)["counterfactual"]


def test_whoever_has_no_counterfactuals_is_judged_by_effects_alone():
    assert scores(Silent).keys() == {"effects"}


def test_the_likelihood_is_that_of_a_cell_in_rows_held_out():
    problem = make_problem(DataSet("noise-saturating", 5, rows=300))
    seen = []

    def log_likelihood(rows):
        seen.append(rows)
        return np.full(len(rows), -10.0)

    found = score_answer(Answer(log_likelihood=log_likelihood), problem, np.random.default_rng(0))
    assert found == {"log_likelihood": -2.0}
    assert seen[0] is problem.held_out
