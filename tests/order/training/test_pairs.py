"""Pairs to train on."""

from dataclasses import replace

import numpy as np
import pytest

from fipscm.order.training.examples import curriculum, training_batch
from fipscm.order.training.pairs import CAUSES, sample_pair


@pytest.mark.parametrize("seed", range(20))
def test_a_pair_has_two_columns_that_vary_and_at_most_one_edge(seed):
    drawn = sample_pair(2, 100, np.random.default_rng(seed))
    assert drawn.values.shape == (100, 2)
    assert (np.nanstd(drawn.values, axis=0) > 0).all()
    assert drawn.adjacency.sum() <= 1
    assert not np.diag(drawn.adjacency).any()


def test_either_column_is_the_cause():
    drawn = [sample_pair(2, 60, np.random.default_rng(seed)).adjacency for seed in range(60)]
    assert min(sum(graph[0, 1] for graph in drawn), sum(graph[1, 0] for graph in drawn)) > 10


def test_the_cause_is_the_column_that_the_edge_leaves():
    """A cause of evenly spread settings keeps its few values; its effect has many."""
    checked = 0
    for seed in range(200):
        drawn = sample_pair(2, 200, np.random.default_rng(seed))
        if "few-settings" in drawn.flags and "p-in" not in drawn.flags and drawn.world == "additive":
            distinct = [len(np.unique(column)) for column in drawn.values.T]
            if min(distinct) < 10 and max(distinct) > 150 and drawn.adjacency.any():
                cause = int(np.argwhere(drawn.adjacency)[0, 0])
                assert cause == int(np.argmin(distinct))
                checked += 1
    assert checked >= 3


@pytest.mark.parametrize("name", CAUSES)
def test_causes_are_finite_and_vary(name, rng):
    values = CAUSES[name](500, rng)
    assert np.isfinite(values).all()
    assert values.std() > 0


def test_a_batch_of_pairs_has_one_leaf_or_two_in_each_table():
    slab = training_batch(replace(curriculum("pairs", 0), scms=4, rows=(50, 200)), 0, "views")[0]
    assert slab.leaf.shape == (4, 2)
    assert (slab.leaf.sum(dim=1) >= 1).all()
