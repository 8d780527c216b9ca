import numpy as np
import pytest
import torch
from scipy.stats import chi2_contingency

from fipscm.order.evidence.contingency import CONTINGENCY, Contingency


def statistic(bins, name):
    return Contingency.of(bins).statistics()[..., CONTINGENCY.index(name)]


def test_dependence_is_the_g2_of_the_table_of_two_columns(rng):
    first = rng.integers(3, size=400)
    bins = np.column_stack([first, (first + rng.integers(3, size=400)) // 2])
    table = np.zeros((3, 3))
    np.add.at(table, (bins[:, 0], bins[:, 1]), 1)
    g2 = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
    expected = np.sqrt(2 * g2) - np.sqrt(2 * 4 - 1)
    assert Contingency.of(bins).alone[0, 1].item() == pytest.approx(expected, abs=1e-2)


def test_independent_columns_are_standard_normal(rng):
    z = [Contingency.of(rng.integers(4, size=(500, 2))).alone[0, 1].item() for _ in range(200)]
    assert abs(np.mean(z)) < 0.3
    assert 0.8 < np.std(z) < 1.2


def test_a_common_effect_adds_dependence_and_a_common_cause_takes_it(rng):
    a, b = rng.integers(2, size=(2, 3_000))
    flip = rng.random((2, 3_000)) < 0.1
    collider = np.column_stack([a, b, (a | b) ^ flip[0]])
    fork = np.column_stack([a ^ flip[0], a ^ flip[1], a])
    adds, takes = "most that j adds to a dependence of i", "most that j takes from a dependence of i"
    assert statistic(collider, adds)[2, 0] > 1 > statistic(collider, takes)[2, 0]
    assert statistic(fork, takes)[2, 0] > 1 > statistic(fork, adds)[2, 0]
    assert abs(statistic(fork, "dependence of the bins, least given a third")[0, 1]) < 1


def test_fewer_columns_are_as_if_the_others_had_never_been_there(rng):
    bins = rng.integers(3, size=(300, 5))
    kept = torch.tensor([0, 2, 4])
    some, never = Contingency.of(bins).keep(kept).statistics(), Contingency.of(bins[:, kept.numpy()]).statistics()
    assert torch.allclose(some, never, atol=1e-4)


def test_two_columns_have_no_third(rng):
    found = Contingency.of(rng.integers(3, size=(100, 2))).statistics()
    assert found.isfinite().all()
    assert (found[0, 1, 3:] == 0).all()
