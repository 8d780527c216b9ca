"""The figures of a report, against models whose answers are known."""

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP
from fipscm.questions.contrast import ValueContrast
from fipscm.report.curves import partial_dependence
from fipscm.report.effects import contrasts, standardized_effects
from fipscm.report.variation import variation_shares
from fipscm.report.words import number, signed


@pytest.fixture(scope="module")
def rows():
    """y = 2 x + noise, z = y - x + noise; all noises of variance one."""
    rng = np.random.default_rng(0)
    noise = rng.uniform(-np.sqrt(3), np.sqrt(3), (3, 4000))
    x = noise[0]
    y = 2 * x + noise[1]
    return pd.DataFrame({"x": x, "y": y, "z": y - x + noise[2]})


@pytest.fixture(scope="module")
def model(rows):
    return FiP(order=["x", "y", "z"], random_state=0).fit(rows)


def test_variation_goes_back_to_the_noises_that_make_it(model):
    shares = variation_shares(model, "y", np.random.default_rng(0))
    assert shares["x"] == pytest.approx(0.8, abs=0.03)
    assert shares.sum() == pytest.approx(1)
    assert list(shares.index) == ["x", "y"]
    assert list(variation_shares(model, "x", np.random.default_rng(0))) == [1.0]
    thirds = variation_shares(model, "z", np.random.default_rng(0))
    assert thirds.to_numpy() == pytest.approx(np.full(3, 1 / 3), abs=0.03)


def test_a_linear_mechanism_is_a_straight_curve_over_the_range_of_the_rows(model, rows):
    curve = partial_dependence(model, "x", "z", rows.to_numpy())
    slopes = np.diff(curve.y[:, 0]) / np.diff(curve.x)
    assert slopes == pytest.approx(np.full(len(slopes), -1.0), abs=0.1)
    assert (curve.low, curve.high) == (rows["x"].min(), rows["x"].max())
    assert curve.x[0] < curve.low
    assert curve.high < curve.x[-1]
    assert (curve.ends[0] - curve.ends[1]).item() == pytest.approx(curve.high - curve.low, rel=0.1)


def test_effects_are_total_and_in_standard_deviations(model, rows):
    noise = model.scm_.noise.sample(500, np.random.default_rng(0))
    (raised,) = contrasts(model, "x", None)
    units = model.scm_.noise_to_sample(noise)
    twice = ValueContrast(raised.treated, 2 * raised.control - raised.treated)
    effects, doubled = standardized_effects(model, "x", [raised, twice], noise, units)
    np.testing.assert_allclose(doubled, 2 * effects, atol=0.05)
    spread, by = rows.std(), raised.treated - raised.control
    assert effects[1] == pytest.approx(2 * by / spread["y"], abs=0.05)
    assert effects[2] == pytest.approx(1 * by / spread["z"], abs=0.05)
    assert effects[0] == 0
    assert not standardized_effects(model, "z", contrasts(model, "z", None), noise, units).any()


def test_numbers_are_short_and_negative_ones_have_a_minus_sign():
    assert number(-0.012345) == "\N{MINUS SIGN}0.0123"
    assert signed(-2.0) == "\N{MINUS SIGN}2"
    assert number(float("nan")) == "unknown"
    assert number(123_456.7) == "123,457"
