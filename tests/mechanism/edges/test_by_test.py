import numpy as np
import pytest
import torch

from fipscm.graph import adjacency_from_allowed, allowed_from_order
from fipscm.mechanism.edges.by_test import find_edges
from fipscm.mechanism.edges.screen import screen
from fipscm.metrics import directed_f1
from fipscm.simulate import known_scm, sample_scm


def standardized(scm, rows, seed):
    values = scm.sample_arrays(rows, np.random.default_rng(seed))[0]
    return (values - values.mean(axis=0)) / values.std(axis=0)


def found_f1(scm, rows=4_000, seed=0):
    test = find_edges(standardized(scm, rows, seed), allowed_from_order(scm.order), torch.Generator().manual_seed(seed))
    return directed_f1(adjacency_from_allowed(test.kept), scm.adjacency), test


@pytest.mark.parametrize("name", ["lin-in", "lin-out"])
def test_linear_graphs_are_recovered_and_seen_to_be_linear(name):
    f1, test = found_f1(sample_scm(name, 12, np.random.default_rng(5)), rows=10_000)
    assert f1 >= 0.97
    assert not test.curved.any()


def test_badly_scaled_linear_graphs_of_twenty_variables_are_recovered():
    scm = sample_scm("lin-out", 20, np.random.default_rng(1))
    f1, _ = found_f1(scm, rows=4_000)
    assert f1 >= 0.95


def test_nonlinear_graphs_are_recovered():
    f1, test = found_f1(sample_scm("rff-in", 7, np.random.default_rng(2), family="erdos-renyi"))
    assert f1 >= 0.8
    assert test.curved.any()


def test_causes_that_act_only_together_are_found():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((3_000, 3))
    effect = x[:, 0] * x[:, 1] + 0.3 * rng.standard_normal(3_000)
    values = np.column_stack([x, effect])
    test = find_edges(values / values.std(axis=0), allowed_from_order([0, 1, 2, 3]), torch.Generator().manual_seed(0))
    assert test.kept[3].tolist() == [True, True, False, False]


def test_scores_and_edges_agree_and_respect_the_mask():
    scm = known_scm("simpson")
    allowed = allowed_from_order(scm.order)
    test = find_edges(standardized(scm, 2_000, 4), allowed, torch.Generator().manual_seed(0), level=0.01)
    assert ((test.scores > 2) == test.kept).all()
    assert (test.scores[~allowed] == 0).all()


def test_independent_columns_get_no_edges():
    z = np.random.default_rng(6).standard_normal((2_000, 8))
    assert not find_edges(z, allowed_from_order(range(8)), torch.Generator().manual_seed(0)).kept.any()


def test_few_rows_leave_only_the_linear_test_and_say_so():
    z = np.random.default_rng(7).standard_normal((20, 10))
    with pytest.warns(UserWarning, match="straight lines"):
        screening = screen(z, allowed_from_order(range(10)), np.full((10, 10), -5.0))
    assert (screening.curvature[4:] == 0).all()


def test_a_node_of_a_wide_table_is_tested_for_curvature_on_its_own_causes():
    rng = np.random.default_rng(8)
    z = rng.standard_normal((500, 60))
    z[:, 1] = np.square(z[:, 0]) + 0.1 * rng.standard_normal(500)
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    allowed = np.zeros((60, 60), dtype=bool)
    allowed[1, 0] = True
    assert find_edges(z, allowed, torch.Generator().manual_seed(0)).kept[1, 0]


@pytest.mark.parametrize(
    "effect",
    [
        lambda x, rng: (rng.random(len(x)) < 0.03 + 0.05 * (x > 0.3)).astype(float),
        lambda x, rng: np.maximum(x, 0) + 2 * rng.standard_t(3, len(x)),
        lambda x, rng: x + np.exp(1.3 * rng.standard_normal(len(x))),
    ],
    ids=["rare yes", "bent line under heavy noise", "lognormal noise"],
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_an_edge_that_anyone_sees_is_kept(effect, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(3_000)
    values = np.column_stack([x, effect(x, rng)])
    z = (values - values.mean(axis=0)) / values.std(axis=0)
    assert find_edges(z, allowed_from_order([0, 1]), torch.Generator().manual_seed(0)).kept[1, 0]


@pytest.mark.parametrize("seed", range(2))
def test_causes_are_found_in_the_quiet_rows_of_an_uneven_noise(seed):
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((3, 2_000))
    cause = rng.standard_normal(2_000)
    other = np.sin(1.5 * cause) + 0.5 * noise[0]
    related = np.tanh(cause) - other + 0.5 * noise[1]
    spread = 0.5 * np.exp(1.2 * cause - other - 0.5)
    effect = np.sin(2 * cause) + np.tanh(other) + spread * noise[2]
    values = np.column_stack([cause, other, related, effect])
    z, allowed = (values - values.mean(axis=0)) / values.std(axis=0), np.zeros((4, 4), dtype=bool)
    allowed[3, :3] = True
    assert find_edges(z, allowed, torch.Generator().manual_seed(0)).kept[3].tolist() == [True, True, False, False]
