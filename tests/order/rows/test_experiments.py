import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError, OrderError
from fipscm.metrics import tos
from fipscm.order import infer_order, order_confidence
from fipscm.order.rows.experiments import changed_mechanisms, observed_rows, precedence_log_odds
from fipscm.tables.experiments import Experiments


def hard(intervened):
    return Experiments.none(intervened.shape)._replace(fixed=intervened)


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


def test_a_target_stands_before_what_changes_and_what_does_not_before_the_target():
    rows, intervened, adjacency = linear_gaussian(3)
    odds = precedence_log_odds(rows, hard(intervened))
    paths = np.linalg.matrix_power(np.eye(5) + adjacency, 5) > 0
    assert (odds[adjacency] > 0).all()
    assert (odds[~paths & (odds > 0)] < 20).all()  # stability is weaker evidence than change
    assert np.isneginf(np.diag(odds)).all()


def test_an_effect_on_the_spread_alone_is_seen():
    rng = np.random.default_rng(0)
    cause = np.r_[rng.normal(size=200), np.zeros(200)]
    effect = cause * rng.choice([-1, 1], 400) + 0.3 * rng.normal(size=400)
    intervened = np.column_stack([np.arange(400) >= 200, np.zeros(400)]) > 0
    assert precedence_log_odds(np.column_stack([cause, effect]), hard(intervened))[0, 1] > 10


def test_a_column_set_at_random_shows_its_effects_without_any_observed_row():
    rng = np.random.default_rng(0)
    cause, other = rng.normal(size=(2, 100))
    rows = np.column_stack([cause, cause + other, other])
    odds = precedence_log_odds(rows, hard(np.tile([True, False, False], (100, 1))))
    assert odds[0, 1] > 10
    assert odds[0, 2] < 0


def test_nothing_done_or_always_the_same_value_without_comparison_tells_nothing():
    rows = np.random.default_rng(0).normal(size=(60, 2))
    assert not precedence_log_odds(rows, Experiments.none((60, 2))).any()
    rows[:, 0] = 1.0
    assert not precedence_log_odds(rows, hard(np.tile([True, False], (60, 1)))).any()


def test_two_rows_are_no_evidence_of_absence():
    rows = np.random.default_rng(0).normal(size=(100, 2))
    intervened = np.zeros((100, 2), dtype=bool)
    intervened[:2, 0] = True
    assert precedence_log_odds(rows, hard(intervened))[0, 1] > -1.5


def chain(rng, shifted):
    """Rows (600, 3) of a chain of three in which, in the last 200 rows, one column gets a shift and another noise."""
    rows = rng.normal(size=(600, 3))
    later = np.arange(600) >= 400
    for node in range(3):
        rows[:, node] += 1.5 * rows[:, node - 1] if node else 0.0
        if node == shifted:
            rows[later, node] = 0.5 * rows[later, node] + 3
    return rows, later


def test_a_soft_target_stands_after_its_cause_and_before_its_effect():
    rows, later = chain(np.random.default_rng(0), shifted=1)
    changed = later[:, None] & (np.arange(3) == 1)
    odds = precedence_log_odds(rows, Experiments.none(rows.shape)._replace(changed=changed))
    assert odds[0, 1] > 2
    assert odds[1, 2] > 10
    assert odds[0, 2] > 2
    # As if it had been set, what it was set to depends on its cause, which is then taken for an effect.
    assert precedence_log_odds(rows, hard(changed))[1, 0] > 10


def test_a_setting_shows_its_target_which_stands_after_what_is_stable_and_before_what_changes():
    rows, later = chain(np.random.default_rng(0), shifted=1)
    done = Experiments.none(rows.shape)._replace(setting=later.astype(np.intp))
    odds = precedence_log_odds(rows, done)
    assert odds[0, 1] > 2
    assert odds[0, 2] > 2
    assert odds[1, 2] > 1
    np.testing.assert_array_equal(changed_mechanisms(rows, done, np.arange(3)), later[:, None] & (np.arange(3) == 1))


def test_settings_in_which_nothing_differs_prefer_no_order():
    rows = np.random.default_rng(0).normal(size=(600, 3))
    done = Experiments.none(rows.shape)._replace(setting=(np.arange(600) >= 300).astype(np.intp))
    odds = precedence_log_odds(rows, done)
    assert np.abs(odds[~np.eye(3, dtype=bool)]).max() < 1
    assert not changed_mechanisms(rows, done, np.arange(3)).any()


def test_the_network_reads_the_reference_and_says_when_it_is_too_small():
    rows = np.random.default_rng(0).normal(size=(200, 2))
    intervened = np.zeros((200, 2), dtype=bool)
    intervened[:140, 0] = True
    np.testing.assert_array_equal(observed_rows(rows, hard(intervened)), ~intervened[:, 0])
    intervened[140:160, 1] = True
    with pytest.warns(UserWarning, match="Only 40 rows are without experiments, fewer than 50"):
        assert observed_rows(rows, hard(intervened)).all()


def test_a_column_that_varies_only_where_it_is_set_is_no_obstacle():
    rng = np.random.default_rng(0)
    dose = np.r_[np.zeros(100), rng.uniform(1, 2, 100)]
    frame = pd.DataFrame({"pain": rng.normal(size=200) - 2 * dose, "dose": dose})
    with pytest.warns(UserWarning, match="Where nothing was set, a column is constant"):
        assert infer_order(frame, intervened=[None] * 100 + ["dose"] * 100) == ["dose", "pain"]


def test_experiments_on_a_column_that_does_not_vary_are_refused():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["dose", "pain"]).assign(ward=1.0)
    with pytest.raises(DataError, match="'ward' in `intervened` is constant"):
        infer_order(frame, intervened=[None] * 40 + ["ward"] * 20)


def test_experiments_make_an_order_sure():
    rows, intervened, adjacency = linear_gaussian(0)
    sure = order_confidence(rows, np.random.default_rng(0), resamples=5, intervened=intervened).to_numpy()
    assert sure[adjacency].min() >= 0.8


def test_no_baseline_ignores_experiments_in_silence():
    rows, intervened, _ = linear_gaussian(0)
    with pytest.raises(OrderError, match="cannot take intervened into account"):
        infer_order(rows, method="r2", intervened=intervened)
