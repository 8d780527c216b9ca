import numpy as np
import pytest
import torch
from scipy import stats

from fipscm.mechanism.direction import evidence_of_reversal, log_density
from fipscm.mechanism.reorder import ENOUGH, OrderedGraph, reorder

ROWS = 3_000
FREE = np.zeros((3, 3), dtype=bool)
ANY = ~np.eye(3, dtype=bool)


def chain(function, seed=0):
    """x0 -> x1 -> x2, standardised."""
    rng = np.random.default_rng(seed)
    x0 = rng.normal(size=ROWS)
    x1 = function(x0) + 0.4 * rng.normal(size=ROWS)
    x2 = function(x1) + 0.4 * rng.normal(size=ROWS)
    columns = np.column_stack([x0, x1, x2])
    return (columns - columns.mean(axis=0)) / columns.std(axis=0)


def bend(x):
    return x + 1.5 * np.sin(2 * x)


def improved(z, order, *, unsure=(True, True, True), possible=ANY, before=FREE):
    graph = OrderedGraph(np.array(order), np.zeros((3, 3), dtype=bool))
    return list(reorder(z, graph, np.array(unsure), possible, before, torch.Generator().manual_seed(0)))


@pytest.mark.parametrize("order", [[1, 0, 2], [0, 2, 1]])
def test_a_wrong_pair_of_a_nonlinear_chain_is_set_right(order):
    assert improved(chain(bend), order) == [0, 1, 2]


def test_a_right_order_stays():
    assert improved(chain(bend), [0, 1, 2]) == [0, 1, 2]


def test_linear_gaussian_rows_say_nothing_about_the_direction():
    z = chain(lambda x: 1.2 * x)
    assert improved(z, [1, 0, 2]) == [1, 0, 2]
    rows = torch.as_tensor(z, dtype=torch.float32)
    assert abs(evidence_of_reversal(rows, 1, 0, [], torch.Generator().manual_seed(0))) < ENOUGH / 2


def test_only_unsure_nodes_move():
    assert improved(chain(bend), [1, 0, 2], unsure=(False, True, True)) == [1, 0, 2]


def test_knowledge_holds_whatever_the_rows_say():
    before = FREE.copy()
    before[1, 0] = True
    assert improved(chain(bend), [1, 0, 2], before=before) == [1, 0, 2]
    possible = ANY.copy()
    possible[1, 0] = False
    assert improved(chain(bend), [1, 0, 2], possible=possible) == [1, 0, 2]


def test_columns_of_a_few_values_have_no_density_and_stay():
    z = np.round(chain(bend))
    assert improved(z, [1, 0, 2]) == [1, 0, 2]


def test_a_reversal_takes_the_causes_along_and_refuses_cycles():
    edges = np.zeros((4, 4), dtype=bool)
    edges[[0, 1], [3, 3]] = True
    turned = OrderedGraph(np.array([0, 2, 1, 3]), edges).reversed(0, 3)
    assert list(turned.order) == [1, 3, 0, 2]
    edges[0, 1] = True
    assert OrderedGraph(np.array([0, 2, 1, 3]), edges).reversed(0, 3) is None


def test_log_density_is_near_the_true_one():
    values = np.random.default_rng(0).laplace(size=4_000)
    assert log_density(values).mean() == pytest.approx(stats.laplace.logpdf(values).mean(), abs=0.03)
