"""Scales record what people record, higher for higher values."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from fipscm.simulate.ingredients.survey.scales import RECORDING_SCALES

ROWS = 2_000
WHOLE = ("binary", "grades", "age", "schooling", "count", "score")
NOT_NEGATIVE = (*WHOLE, "money", "hurdle", "share", "duration")


@pytest.fixture(params=RECORDING_SCALES)
def drawn(request, rng):
    latent = rng.standard_normal(ROWS)
    return request.param, latent, [RECORDING_SCALES[request.param](rng)(latent, rng) for _ in range(40)]


def test_records_are_finite_and_mostly_rise_with_the_latent_value(drawn):
    _, latent, records = drawn
    assert all(np.isfinite(record).all() for record in records)
    assert np.median([spearmanr(latent, record).statistic for record in records]) > 0.2


def test_whole_numbers_are_whole_and_amounts_are_not_negative(drawn):
    name, _, records = drawn
    for record in records:
        assert name not in WHOLE or (record % 1 == 0).all()
        assert name not in NOT_NEGATIVE or (record >= 0).all()


def test_money_with_zeros_has_both_and_shares_stay_within_the_whole(rng):
    latent = rng.standard_normal(ROWS)
    for _ in range(40):
        assert 0.03 < np.mean(RECORDING_SCALES["hurdle"](rng)(latent, rng) == 0) < 0.95
        assert RECORDING_SCALES["share"](rng)(latent, rng).max() <= 100
        assert len(np.unique(RECORDING_SCALES["binary"](rng)(latent, rng))) == 2


def test_the_same_scale_records_two_columns_in_the_same_units(rng):
    latent = rng.standard_normal(ROWS)
    for name in ("measurement", "money", "score", "schooling"):
        scale = RECORDING_SCALES[name](rng)
        first, again = scale(latent, np.random.default_rng(0)), scale(latent, np.random.default_rng(0))
        np.testing.assert_array_equal(first, again)
