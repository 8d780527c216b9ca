"""Which networks read a table, in which view, and how two of them decide together."""

import numpy as np
import pytest
import torch

from fipscm.order.evidence.views import VIEWS
from fipscm.order.inference import drawn_orders, zero_shot_order
from fipscm.order.readings import Reading, Together, first_look, is_additive, views_of
from fipscm.order.removal import remove_leaves
from fipscm.order.weights import shipped_encoder, wide_encoder
from fipscm.simulate import sample_scm


@pytest.fixture(scope="module")
def additive():
    rng = np.random.default_rng(0)
    return sample_scm("rff-in", 5, rng).sample(1_500, rng).to_numpy()


@pytest.fixture(scope="module")
def amounts():
    """Each is a multiple of its cause, times a random factor."""
    rng = np.random.default_rng(0)
    values = rng.lognormal(0, 0.7, (1_500, 5))
    for effect in range(1, 5):
        values[:, effect] *= 0.2 + values[:, effect - 1]
    return values


def test_a_network_reads_one_view_after_the_other_or_both_at_once(tiny_encoder, views_encoder):
    assert views_of(tiny_encoder) == [Reading(tiny_encoder, view) for view in VIEWS]
    assert views_of(views_encoder) == [Reading(views_encoder)]


def test_an_additive_table_is_read_by_its_values_and_by_the_first_network_alone(additive, amounts):
    assert is_additive(additive, raw=False)
    assert not is_additive(amounts, raw=False)
    alone = remove_leaves(Reading(shipped_encoder()).of(additive, raw=False))
    found = zero_shot_order(additive)
    np.testing.assert_array_equal(found.order, alone.order)
    np.testing.assert_array_equal(found.edges, alone.edges)
    assert found.view == "values"


def test_two_readings_decide_by_the_mean_of_their_log_odds(additive, tiny_encoder, views_encoder):
    one, two = Reading(tiny_encoder), Reading(views_encoder)
    each = [reading.of(additive, raw=False).logits() for reading in (one, two)]
    joint = Together(one, two).of(additive, raw=False)
    found = joint.logits()
    for part in ("leaf", "parent"):
        torch.testing.assert_close(getattr(found, part), (getattr(each[0], part) + getattr(each[1], part)) / 2)
    assert torch.equal(found.confounded, each[1].confounded)
    assert joint.without(torch.tensor([2])).shape == (1, 4)


def test_what_is_not_additive_is_read_together_with_the_surer_view(amounts, rng):
    alone = {way: remove_leaves(way.of(amounts, raw=False)) for way in views_of(shipped_encoder())}
    surer = max(alone, key=lambda way: alone[way].sureness)
    together = remove_leaves(Together(surer, Reading(wide_encoder())).of(amounts, raw=False))
    found = zero_shot_order(amounts)
    np.testing.assert_array_equal(found.order, together.order)
    assert (found.sureness, found.view) == (together.sureness, surer.view)
    assert {len(order) for order in drawn_orders(amounts, rng, draws=2)} == {5}


def test_a_first_look_is_what_the_second_network_tells(additive, tiny_encoder):
    confounded, world = first_look(additive)
    assert confounded.shape == (5, 5)
    assert world.sum() == pytest.approx(1)
    assert first_look(additive, encoder=tiny_encoder) == (None, None)
