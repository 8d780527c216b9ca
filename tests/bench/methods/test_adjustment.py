import numpy as np
import pytest

from fipscm.bench.data.problem import DataSet
from fipscm.bench.data.sources import make_problem
from fipscm.bench.methods import METHODS
from fipscm.bench.run.scoring import score_answer


def solved(name, rows, seed):
    data = DataSet(name, 5, rows=rows, seed=seed)
    problem = make_problem(data)
    return score_answer(
        METHODS["adjustment"].solve(problem, data.generator("adjustment")), problem, data.generator("x")
    )


def test_linear_effects_are_held_about_as_often_as_promised_and_intervals_shrink_with_rows():
    scores = [solved("effect-linear-normal", 100, seed) for seed in range(40)]
    assert 0.88 <= np.mean([each["coverage"] for each in scores]) <= 1
    assert all(each["no_width"] == 0 for each in scores)
    wide, narrow = scores[0]["width"], solved("effect-linear-normal", 10_000, 0)["width"]
    assert narrow == pytest.approx(wide / 10, rel=0.4)


def test_a_straight_line_misses_curved_effects():
    assert np.mean([solved("effect-curved-normal", 10_000, seed)["coverage_medium"] for seed in range(10)]) < 0.5
