import numpy as np
import pytest
import torch

from fipscm.graph import allowed_from_order
from fipscm.mechanism.edges.posterior import weigh_edges
from fipscm.mechanism.predictors.gaussian_process import learn_process


def standardized(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def weighed(values, prior, roughly=False):
    z = standardized(values)
    allowed = allowed_from_order(range(z.shape[1]))
    generator = torch.Generator().manual_seed(0)
    return weigh_edges(z, allowed, np.where(allowed, prior, 0.0), generator, roughly=roughly)


def table(rows, seed=0, strength=1.0, bend=np.asarray):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, 3))
    return np.column_stack([x, strength * bend(x[:, 0]) + rng.standard_normal(rows)])


@pytest.mark.parametrize("rows", [100, 2_000])
def test_strong_rows_overrule_a_network_that_sees_nothing(rows):
    assert weighed(table(rows), 0.01).kept[3].tolist() == [True, False, False, False]


@pytest.mark.parametrize("rows", [400, 2_000])
def test_an_edge_that_anyone_sees_is_tried_even_if_the_network_rules_it_out(rows):
    rng = np.random.default_rng(5)
    x = rng.standard_normal(rows)
    answer = (rng.random(rows) < 1 / (1 + np.exp(-1.5 * x))).astype(float)
    assert weighed(np.column_stack([x, answer]), 0.001).kept[1, 0]


def test_few_rows_leave_a_weak_edge_to_the_network():
    values = table(60, strength=0.15)
    assert weighed(values, 0.97).kept[3, 0]
    assert not weighed(values, 0.03).kept[3, 0]


def test_many_rows_overrule_a_network_that_sees_too_much():
    assert weighed(table(5_000), 0.8).kept[3].tolist() == [True, False, False, False]


@pytest.mark.parametrize("rows", [100, 2_000])
def test_a_curve_without_slope_is_found(rows):
    found = weighed(table(rows, bend=np.square), 0.1)
    assert found.kept[3].tolist() == [True, False, False, False]
    assert found.curved[3]


@pytest.mark.parametrize("rows", [100, 2_000])
def test_scores_are_positive_exactly_where_edges_are_kept_and_zero_where_none_is_allowed(rows):
    found = weighed(table(rows), 0.3)
    allowed = allowed_from_order(range(4))
    assert ((found.scores > 0) == found.kept).all()
    assert (found.scores[~allowed] == 0).all()


def test_independent_columns_get_no_edges():
    values = np.random.default_rng(3).standard_normal((150, 8))
    assert not weighed(values, 0.02).kept.any()


def test_rows_that_tell_nothing_of_a_node_leave_its_edges_to_the_others(monkeypatch):
    monkeypatch.setattr("fipscm.mechanism.edges.posterior.MOST_ROWS", 100)  # of 300 rows in all
    z, allowed = standardized(table(100)), allowed_from_order(range(4))
    more = np.vstack([z, standardized(np.random.default_rng(9).standard_normal((200, 4)))])
    unusable = np.zeros(more.shape, dtype=bool)
    unusable[100:, 3] = True
    of_few = weigh_edges(z, allowed, np.where(allowed, 0.1, 0.0), torch.Generator())
    of_more = weigh_edges(more, allowed, np.where(allowed, 0.1, 0.0), torch.Generator(), unusable=unusable)
    np.testing.assert_allclose(of_more.scores[3], of_few.scores[3])


def test_the_smoothness_of_the_causes_that_stay_is_their_own():
    z = standardized(table(300, bend=np.square))
    found = weighed(z, 0.1)
    own, causes = found.smoothness[3], z[:, found.kept[3]]
    assert learn_process(causes, z[:, 3], own).evidence < own.evidence_of(causes, z[:, 3]) + 0.05


def test_what_is_weighed_roughly_loses_no_cause():
    for seed in range(3):
        values = table(150, seed, bend=np.sin)
        assert (weighed(values, 0.2, roughly=True).kept >= weighed(values, 0.2).kept).all()
