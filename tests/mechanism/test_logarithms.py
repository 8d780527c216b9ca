"""Amounts whose noise multiplies are modelled on their logarithm, before any other kind of noise is tried."""

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP

CHAIN = [[0, 1], [0, 0]]


def amounts(noise, rate=None):
    """Two amounts: b grows with the rate a, and its noise is a factor."""
    rate = np.exp(noise[:, 0]) if rate is None else rate
    return pd.DataFrame({"a": rate, "b": 5 * rate**0.5 * np.exp(0.4 * noise[:, 1])})


def noises(seed, rows=1_000):
    return np.random.default_rng(seed).standard_normal((rows, 2))


@pytest.fixture(scope="module")
def table():
    return amounts(noises(0))


@pytest.fixture(scope="module")
def model(table):
    return FiP(graph=CHAIN, random_state=0).fit(table)


def test_a_noise_that_multiplies_is_told(model):
    found = model.mechanisms_.loc["b"]
    assert found["noise"] == "logarithm"
    assert found["noise_gain"] > 0.02
    assert (model.intervene({"a": 0.5}, 1_000, random_state=0)["b"] > 0).all()


def test_counterfactuals_are_twice_as_good_as_with_additive_noise(model, table):
    additive, fresh = FiP(graph=CHAIN, noise="additive", random_state=0).fit(table), noises(1, 500)
    rows, truth = amounts(fresh), amounts(fresh, np.full(500, 1.5))
    errors = [float((each.counterfactual(rows, {"a": 1.5}) - truth)["b"].abs().mean()) for each in (model, additive)]
    assert errors[0] < errors[1] / 2


def test_the_tail_of_a_cause_is_where_rows_were(model, table):
    assert model.mechanisms_.loc["a", "high"] == table["a"].max()


def test_a_slip_of_the_pen_moves_nothing(model, table):
    slip = table.copy()
    slip.loc[3, "a"] *= 1e9
    found = FiP(graph=CHAIN, random_state=0).fit(slip)
    assert found.mechanisms_.loc["a", "high"] < 1e3
    rows = amounts(noises(2, 200))
    gap = (found.counterfactual(rows, {"a": 1.5}) - model.counterfactual(rows, {"a": 1.5}))["b"]
    assert gap.abs().mean() < 0.02 * rows["b"].std()
