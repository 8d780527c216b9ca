import numpy as np
import pandas as pd
import pytest

from fipscm.errors import OrderError
from fipscm.metrics import tos
from fipscm.order import infer_order, order_confidence
from fipscm.order.rows.experiments import effect_log_odds, observed_rows, rows_by_experiment


def linear_gaussian(seed, nodes=5):
    """Standardized rows (700, 5): 200 observed, 100 for each column set; who was set, and the adjacency."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.uniform(0.5, 2, (nodes, nodes)) * rng.choice([-1, 0, 1], (nodes, nodes)), 1)
    sizes, spread = [200] + [100] * nodes, np.ones(nodes)
    target = np.repeat(np.arange(-1, nodes), sizes)
    rows, place = rng.normal(size=(len(target), nodes)), rng.permutation(nodes)
    for node in range(nodes):
        rows[:, node] += rows @ np.where(np.arange(nodes) < node, weights[:, node], 0)
        spread[node] = rows[:200, node].std()
        rows[target == node, node] = 2 * spread[node]
    intervened = target[:, None] == np.arange(nodes)
    return (
        ((rows - rows.mean(axis=0)) / rows.std(axis=0))[:, place],
        intervened[:, place],
        weights[place][:, place] != 0,
    )


def test_experiments_order_what_observations_cannot():
    scores = []
    for seed in range(20):
        rows, intervened, adjacency = linear_gaussian(seed)
        names = [int(name.removeprefix("x")) for name in infer_order(rows, intervened=intervened)]
        scores.append(tos(names, adjacency))
    assert np.mean(scores) >= 0.97


def test_a_column_that_changes_is_an_effect_and_one_that_does_not_is_none():
    rows, intervened, adjacency = linear_gaussian(3)
    odds = effect_log_odds(rows, intervened)
    paths = np.linalg.matrix_power(np.eye(5) + adjacency, 5) > 0
    assert (odds[adjacency] > 0).all()
    assert (odds[~paths] < 0).mean() > 0.9
    assert np.isneginf(np.diag(odds)).all()


def test_an_effect_on_the_spread_alone_is_seen():
    rng = np.random.default_rng(0)
    cause = np.r_[rng.normal(size=200), np.zeros(200)]
    effect = cause * rng.choice([-1, 1], 400) + 0.3 * rng.normal(size=400)
    intervened = np.column_stack([np.arange(400) >= 200, np.zeros(400)]) > 0
    assert effect_log_odds(np.column_stack([cause, effect]), intervened)[0, 1] > 10


def test_a_column_set_at_random_shows_its_effects_without_any_observed_row():
    rng = np.random.default_rng(0)
    cause, other = rng.normal(size=(2, 100))
    rows = np.column_stack([cause, cause + other, other])
    odds = effect_log_odds(rows, np.tile([True, False, False], (100, 1)))
    assert odds[0, 1] > 10
    assert odds[0, 2] < 0


def test_nothing_set_or_always_the_same_value_without_comparison_tells_nothing():
    rows = np.random.default_rng(0).normal(size=(60, 2))
    assert not effect_log_odds(rows, np.zeros((60, 2), dtype=bool)).any()
    rows[:, 0] = 1.0
    assert not effect_log_odds(rows, np.tile([True, False], (60, 1))).any()


def test_two_rows_are_no_evidence_of_absence():
    rows = np.random.default_rng(0).normal(size=(100, 2))
    intervened = np.zeros((100, 2), dtype=bool)
    intervened[:2, 0] = True
    assert effect_log_odds(rows, intervened)[0, 1] > -1.5


def test_the_network_reads_observed_rows_and_says_when_they_are_too_few():
    rows = np.random.default_rng(0).normal(size=(200, 2))
    intervened = np.zeros((200, 2), dtype=bool)
    intervened[:140, 0] = True
    np.testing.assert_array_equal(observed_rows(rows, intervened), ~intervened[:, 0])
    intervened[140:160, 1] = True
    with pytest.warns(UserWarning, match="Only 40 rows are without experiments, fewer than 50"):
        assert observed_rows(rows, intervened).all()


def test_a_column_that_varies_only_where_it_is_set_is_no_obstacle():
    rng = np.random.default_rng(0)
    dose = np.r_[np.zeros(100), rng.uniform(1, 2, 100)]
    frame = pd.DataFrame({"pain": rng.normal(size=200) - 2 * dose, "dose": dose})
    with pytest.warns(UserWarning, match="Where nothing was set, a column is constant"):
        assert infer_order(frame, intervened=[None] * 100 + ["dose"] * 100) == ["dose", "pain"]


def test_rows_of_one_experiment_stay_together():
    intervened = np.array([[0, 0], [1, 0], [0, 0], [1, 1], [1, 0]]) > 0
    assert [group.tolist() for group in rows_by_experiment(intervened)] == [[0, 2], [1, 4], [3]]


def test_experiments_make_an_order_sure():
    rows, intervened, adjacency = linear_gaussian(0)
    sure = order_confidence(rows, np.random.default_rng(0), resamples=5, intervened=intervened).to_numpy()
    assert sure[adjacency].min() >= 0.8


def test_no_baseline_ignores_experiments_in_silence():
    rows, intervened, _ = linear_gaussian(0)
    with pytest.raises(OrderError, match="cannot take intervened into account"):
        infer_order(rows, method="r2", intervened=intervened)
