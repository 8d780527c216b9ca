"""Shares of drawn orders are worth less than they say; what is known stays certain."""

import hashlib

import numpy as np
import pytest
from scipy.special import logit

from fipscm.order import order_confidence
from fipscm.order.confidence import Calibration, Told, confidence, log_odds, shipped_calibration
from fipscm.order.weights import WEIGHTS


@pytest.fixture
def orders():
    return [np.array([0, 1, 2])] * 9 + [np.array([1, 0, 2])]


def test_confidence_is_a_probability_its_complement_and_on_the_side_of_the_share(orders):
    sure = confidence(orders)
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose((sure + sure.T)[off], 1)
    assert 0.5 < sure[0, 1] < sure[0, 2] < 1


def test_the_log_odds_of_a_share_count_so_much(orders):
    expected = shipped_calibration().slope * log_odds(np.array(0.9), len(orders))
    assert logit(confidence(orders)[0, 1]) == pytest.approx(expected)


def test_what_is_known_and_what_experiments_show_stays_as_it_is(orders):
    before = np.zeros((3, 3), dtype=bool)
    before[0, 2] = True
    sure = confidence(orders, before=before)
    assert (sure[0, 2], sure[2, 0]) == (1, 0)
    assert sure[0, 1] < 1
    assert confidence(orders, is_set=True)[0, 1] == pytest.approx(0.9)


def test_what_follows_from_what_is_known_is_certain_too(orders):
    tiers = np.eye(3, k=1, dtype=bool)  # the first column before the second, and that before the third
    assert confidence(orders, before=tiers)[0, 2] == 1


def test_a_table_whose_rows_do_not_show_the_order_gives_no_confidence():
    sure = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        first, second, third = rng.standard_normal((3, 500))
        chain = np.column_stack([first, first + second, first + second + third])
        sure.append(order_confidence(chain, rng, resamples=8).to_numpy()[np.triu_indices(3, 1)])
    assert np.abs(np.array(sure) - 0.5).mean() < 0.2


def test_more_draws_that_agree_are_worth_more():
    few, many = (log_odds(np.array([1.0]), draws) for draws in (5, 50))
    assert few < many


def test_what_ships_was_calibrated_with_the_weights_that_ship():
    digest = hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()
    assert digest.startswith(shipped_calibration().weights), (
        "run `fipscm bench orders`, then `fipscm bench-calibration`"
    )


def test_a_calibration_is_read_as_it_was_written(tmp_path):
    calibration = Calibration(
        0.3,
        "abc",
        12,
        (Told(0.6, 30, 40), Told(0.7, 1, 2)),
        (Told(0.6, 9, 9), Told(0.7, 8, 8)),
    )
    calibration.save(tmp_path / "calibration.json")
    assert Calibration.load(tmp_path / "calibration.json") == calibration


def test_the_sentence_is_of_the_highest_level_that_was_told_often():
    told = Told(0.6, 70, 100), Told(0.7, 41, 50), Told(0.8, 3, 3)
    assert Calibration(0.3, "", 12, told).sentence == (
        "Of directions told with 70% or more on measured tables with known answers, 41 of 50 were right."
    )
    assert "hardly better than a coin" in Calibration(0.0, "", 12, (Told(0.6, 0, 0),)).sentence
