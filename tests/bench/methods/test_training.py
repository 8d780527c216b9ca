"""The methods that measure training, on tables small enough to train on."""

import numpy as np
import pandas as pd
import pytest

from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.training import SubsampledOrdering, TransformerCost


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(100, 5)), columns=list("abcde"))
    return Problem(table, np.triu(np.ones((5, 5), dtype=np.int8), 1), np.ones(5))


def test_an_encoder_learns_to_order_from_two_removals_a_table(problem):
    def score(steps):
        method = SubsampledOrdering(2, steps, scored=(5,))
        return method.solve(problem, np.random.default_rng(0)).figures["tos_5"]

    assert score(40) > score(0) + 0.2


def test_the_cost_of_the_transformer_is_that_of_the_table(problem):
    def cost(columns):
        part = Problem(problem.table[columns], np.zeros((len(columns),) * 2, dtype=np.int8), np.ones(len(columns)))
        return TransformerCost().solve(part, np.random.default_rng(0)).figures

    small, large = cost(["a", "b"]), cost(list("abcde"))
    assert 0 < small["parameters"] < large["parameters"]
    assert large.keys() == {"parameters", "train_seconds", "test_seconds"}
