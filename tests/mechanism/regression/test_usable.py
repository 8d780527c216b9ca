"""Rows in which a node was set say nothing about its causes, and are used for all other nodes."""

import numpy as np
import pandas as pd
import pytest

from fipscm.graph import allowed_from_order
from fipscm.mechanism import LearnedSCM, MechanismConfig, TrainingConfig, TransformerConfig, fit_mechanism
from fipscm.mechanism.noise.distribution import EmpiricalNoise
from fipscm.mechanism.regression.usable import unusable_rows, usable_rows

SMALL = TransformerConfig(width=16, heads=2, head_width=8, layers=2, hidden=16)
SHORT = TrainingConfig(epochs=3)
QUICK = MechanismConfig(noise="additive", transformer=SMALL, training=SHORT)
PAPER = MechanismConfig(skip=False, edges="jacobian", noise="additive", transformer=SMALL, training=SHORT)
ALLOWED = allowed_from_order([0, 1, 2])


def chain(shape, seed=0):
    """cause -> middle -> effect, where middle was set far away in the later half of 800 rows; and what was set."""
    rng = np.random.default_rng(seed)
    cause, middle, effect = rng.normal(size=(3, 800))
    intervened = np.zeros((800, 3), dtype=bool)
    intervened[400:, 1] = True
    middle = np.where(intervened[:, 1], rng.normal(5.0, 3.0, 800), shape(cause) + 0.5 * middle)
    return pd.DataFrame({"cause": cause, "middle": middle, "effect": middle - 1 + 0.5 * effect}), intervened


def test_usable_rows_are_centred_and_all_of_them_come_back_untouched():
    frame, intervened = chain(lambda cause: cause)
    z = frame.to_numpy()
    assert usable_rows(z, 0, intervened) is z
    own = usable_rows(z, 1, intervened)
    assert own.shape == (400, 3)
    np.testing.assert_allclose(own.mean(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("shape", [lambda cause: 2 * cause, lambda cause: 2 * np.sin(2 * cause)], ids=["line", "wave"])
def test_a_mechanism_is_learned_where_it_was_at_work(shape):
    frame, intervened = chain(shape)
    learned = fit_mechanism(frame, ALLOWED, QUICK, intervened=intervened)
    assert learned.adjacency[0, 1] == learned.adjacency[1, 2] == 1
    rows = frame.to_numpy()[:400]
    assert np.abs(learned.predict(rows)[:, 1] - shape(rows[:, 0])).mean() < 0.3
    noise = learned.noise.ordered
    assert abs(noise[:, 1].mean()) < 0.2
    assert noise[:, 1].std() == pytest.approx(0.5, abs=0.1)


def test_what_was_set_is_no_evidence_against_a_cause():
    frame, intervened = chain(lambda cause: 0.5 * cause)
    told, untold = (fit_mechanism(frame, ALLOWED, QUICK, intervened=mask) for mask in (intervened, None))
    assert told.edge_scores[0, 1] > 5 > untold.edge_scores[0, 1]


def test_rows_of_an_experiment_teach_its_effects():
    frame, intervened = chain(lambda cause: cause)
    with_them = fit_mechanism(frame, ALLOWED, QUICK, intervened=intervened)
    without = fit_mechanism(frame.head(400), ALLOWED, QUICK)
    assert with_them.edge_scores[1, 2] > 1.5 * without.edge_scores[1, 2]


@pytest.mark.parametrize("config", [QUICK, PAPER], ids=["default", "paper"])
def test_nothing_set_changes_no_bit(config):
    frame, intervened = chain(np.sin)
    one, two = (fit_mechanism(frame, ALLOWED, config, intervened=mask).arrays() for mask in (None, intervened & False))
    for name in one:
        np.testing.assert_array_equal(one[name], two[name])


def test_a_cause_that_varies_only_where_it_was_set_is_learned_from_there():
    rng = np.random.default_rng(0)
    dose = np.r_[np.zeros(100), rng.uniform(1, 2, 100)]
    frame = pd.DataFrame({"dose": dose, "pain": 0.3 * rng.normal(size=200) - 2 * dose})
    intervened = np.column_stack([dose > 0, np.zeros(200, dtype=bool)])
    learned = fit_mechanism(frame, allowed_from_order([0, 1]), QUICK, intervened=intervened)
    assert learned.edge_weights[0, 1] == pytest.approx(-2, abs=0.3)
    np.testing.assert_allclose(learned.sample(50, rng)["dose"], 0, atol=1e-9)


def test_a_noise_with_gaps_keeps_its_law_and_can_be_saved():
    rng = np.random.default_rng(0)
    noise = rng.normal(3.0, 2.0, (3_000, 2))
    noise[1_000:, 1] = np.nan
    law = EmpiricalNoise.of(noise)
    assert law.ordered.shape == (3_000, 2)
    assert (np.diff(law.ordered, axis=0) >= 0).all()
    levels = np.linspace(0.01, 0.99, 50)
    np.testing.assert_allclose(
        law.quantile(np.tile(levels[:, None], 2))[:, 1], np.quantile(noise[:1_000, 1], levels), atol=0.1
    )
    frame, intervened = chain(lambda cause: cause)
    learned = fit_mechanism(frame, ALLOWED, QUICK, intervened=intervened)
    again = LearnedSCM.restore(learned.arrays(), learned.settings())
    pd.testing.assert_frame_equal(*(model.sample(20, np.random.default_rng(1)) for model in (learned, again)))


def test_wild_causes_make_rows_unusable_unless_that_leaves_less_than_half():
    wild = np.zeros((10, 3), dtype=bool)
    wild[:2, 0], wild[4:, 1] = True, True
    nothing_set, all_before = np.zeros_like(wild), allowed_from_order([0, 1, 2])
    first_alone = all_before.copy()
    first_alone[:, 1] = False
    assert unusable_rows(nothing_set, wild, all_before)[:, 2].sum() == 0
    assert unusable_rows(nothing_set, wild, all_before, first_alone)[:, 2].tolist() == wild[:, 0].tolist()
    assert unusable_rows(nothing_set, wild, first_alone)[:, 0].tolist() == wild[:, 0].tolist()
