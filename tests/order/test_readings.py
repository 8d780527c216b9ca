"""Which networks read a table, in which view, and how two of them decide together."""

import numpy as np
import pytest
import torch

from fipscm.order.evidence.views import VIEWS, ViewsTable
from fipscm.order.inference import drawn_orders, zero_shot_order
from fipscm.order.network.reader import Voice
from fipscm.order.readings import (
    ENOUGH_TO_READ,
    Reading,
    Together,
    first_look,
    is_additive,
    read,
    shipped_reading,
    ways_of,
)
from fipscm.order.removal import remove_leaves
from fipscm.order.weights import shipped_encoder, wide_encoder
from fipscm.simulate import sample_scm
from fipscm.usual import usual_rows


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
    assert ways_of(tiny_encoder) == [Reading(tiny_encoder, view) for view in VIEWS]
    assert ways_of(views_encoder) == [Reading(views_encoder)]


def test_an_additive_table_is_read_by_its_values_and_by_the_first_network_alone(additive, amounts):
    assert is_additive(first_look(additive)[1])
    assert not is_additive(first_look(amounts)[1])
    alone = remove_leaves(Reading(shipped_encoder()).of(additive, raw=False))
    found = zero_shot_order(additive)
    np.testing.assert_array_equal(found.order, alone.order)
    np.testing.assert_array_equal(found.edges, alone.edges)
    assert found.view == "values"


def test_voices_decide_by_a_weighted_mean_of_their_log_odds(additive, tiny_encoder, views_encoder):
    voices = Voice(tiny_encoder, "ranks", 0.25), Voice(views_encoder, "both", 0.75)
    evidence = ViewsTable.of(additive).evidence()
    each = [voice.read(evidence, raw=False) for voice in voices]
    together = Together(voices).of(additive, raw=False)
    found = together.logits()
    for part in ("leaf", "parent"):
        torch.testing.assert_close(getattr(found, part), getattr(each[0], part) / 4 + getattr(each[1], part) * 3 / 4)
    assert torch.equal(found.confounded, each[1].confounded)
    assert together.without(torch.tensor([2])).shape == (1, 4)


@pytest.mark.parametrize("view", VIEWS)
def test_a_voice_of_one_view_says_what_its_network_says_alone(view, additive, tiny_encoder):
    alone = Reading(tiny_encoder, view).of(additive, raw=False).logits()
    among_others = Voice(tiny_encoder, view, 1.0).read(ViewsTable.of(additive).evidence(), raw=False)
    torch.testing.assert_close(among_others.leaf, alone.leaf, atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(among_others.parent, alone.parent, atol=1e-3, rtol=1e-3)


@pytest.fixture(scope="module")
def bent(additive):
    """An additive table whose columns were recorded by sensors that bend."""
    return np.exp((additive - additive.mean(axis=0)) / additive.std(axis=0))


def test_bent_values_are_read_by_the_second_network_and_by_the_ranks_of_the_first(bent, rng):
    together = shipped_reading(bent, raw=False)
    assert shipped_reading(bent[usual_rows(bent)], raw=False).view == "both"
    assert [(voice.encoder, voice.view) for voice in together.voices] == [
        (shipped_encoder(), "ranks"),
        (wide_encoder(), "both"),
    ]
    expected = remove_leaves(together.of(bent, raw=False))
    found = zero_shot_order(bent)
    np.testing.assert_array_equal(found.order, expected.order)
    assert (found.sureness, found.view) == (expected.sureness, "both")
    assert {len(order) for order in drawn_orders(bent, rng, draws=2)} == {5}


def test_noise_that_multiplies_is_read_by_both_networks_and_from_all_rows(amounts):
    together = shipped_reading(amounts[usual_rows(amounts)], raw=False)
    assert [(voice.encoder, voice.view) for voice in together.voices] == [
        (shipped_encoder(), "values"),
        (wide_encoder(), "both"),
    ]
    expected = remove_leaves(together.of(amounts, raw=False))
    found = zero_shot_order(amounts)
    np.testing.assert_array_equal(found.order, expected.order)
    assert (found.sureness, found.view) == (expected.sureness, "both")


def test_two_columns_are_read_by_the_first_network_alone(amounts):
    assert shipped_reading(amounts[:, :2], raw=False) == Reading(shipped_encoder())


def test_missing_cells_do_not_make_an_additive_table_look_like_another_one(additive, rng):
    holed = np.where(rng.random(additive.shape) < 0.1, np.nan, additive)
    whole = holed[~np.isnan(holed).any(axis=1)]
    np.testing.assert_array_equal(first_look(holed)[1], first_look(whole)[1])
    assert is_additive(first_look(holed)[1])


def test_a_first_look_is_what_the_second_network_tells(additive, tiny_encoder):
    confounded, world = first_look(additive)
    assert confounded.shape == (5, 5)
    assert world.sum() == pytest.approx(1)
    assert first_look(additive, encoder=tiny_encoder) == (None, None)


def test_whole_rows_have_half_of_the_say_where_cells_are_missing(additive, tiny_encoder):
    rng, way = np.random.default_rng(0), Reading(tiny_encoder)
    holed = np.where(rng.random(additive.shape) < 0.1, np.nan, additive)
    whole = holed[~np.isnan(holed).any(axis=1)]
    assert len(whole) >= ENOUGH_TO_READ
    found = read(way, holed, raw=False).logits()
    each = [way.of(rows, raw=False).logits() for rows in (holed, whole)]
    for part in ("leaf", "parent"):
        torch.testing.assert_close(getattr(found, part), (getattr(each[0], part) + getattr(each[1], part)) / 2)


def test_few_whole_rows_have_no_say_of_their_own(additive, tiny_encoder):
    holed, way = additive.copy(), Reading(tiny_encoder)
    holed[ENOUGH_TO_READ - 1 :, 0] = np.nan
    torch.testing.assert_close(read(way, holed, raw=False).logits().leaf, way.of(holed, raw=False).logits().leaf)
