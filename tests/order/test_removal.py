import numpy as np
import pytest
import torch

from fipscm.graph import allowed_from_order
from fipscm.order.evidence.observations import Observations
from fipscm.order.network.reader import EvidenceReader
from fipscm.order.removal import hard_vote, random_leaf, remove_leaves


@pytest.fixture
def view(tiny_encoder, table):
    return EvidenceReader.of(tiny_encoder, [Observations.of(table.to_numpy())], raw=False)


@pytest.mark.parametrize("choose", [hard_vote, random_leaf(np.random.default_rng(0))])
def test_the_answer_is_always_a_permutation(view, choose):
    assert sorted(remove_leaves(view, choose).order) == [0, 1, 2, 3, 4]


def test_edges_agree_with_the_order(view):
    removal = remove_leaves(view)
    assert (removal.edges[~allowed_from_order(removal.order).T] == 0).all()
    assert (removal.edges[allowed_from_order(removal.order).T] > 0).all()


@pytest.mark.parametrize("at_once", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(10))
def test_any_partial_order_holds_by_construction(view, seed, at_once):
    rng = np.random.default_rng(seed)
    truth = rng.permutation(5)
    before = allowed_from_order(truth).T & (rng.random((5, 5)) < 0.5)
    rank = np.argsort(remove_leaves(view, before=before, at_once=at_once).order)
    assert (rank[:, None] < rank[None, :])[before].all()


@pytest.mark.parametrize("seed", range(5))
def test_strong_evidence_of_effects_decides_the_order(view, seed):
    truth = np.random.default_rng(seed).permutation(5)
    effects = np.where(allowed_from_order(truth).T, 100.0, -2.0)
    np.testing.assert_array_equal(remove_leaves(view, effects=effects).order, truth)


def test_a_vote_counts_heads_and_settles_ties_by_probability():
    assert hard_vote(torch.tensor([[1.0, 0.0], [1.0, 0.0], [-9.0, 9.0]])) == 0
    assert hard_vote(torch.tensor([[1.0, 0.0], [0.0, 2.0]])) == 1


def test_random_leaves_come_as_often_as_their_odds():
    choose = random_leaf(np.random.default_rng(0))
    drawn = [choose(torch.tensor([[0.0, float(np.log(3))]])) for _ in range(4000)]
    assert np.mean(drawn) == pytest.approx(0.75, abs=0.03)
