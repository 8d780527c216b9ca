"""Columns whose noise is additive on another scale are modelled there, before any other kind of noise is tried."""

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP, load
from fipscm.mechanism.scales import rescaling

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


def test_counterfactuals_are_far_better_than_with_additive_noise(model, table):
    additive, fresh = FiP(graph=CHAIN, noise="additive", random_state=0).fit(table), noises(1, 500)
    rows, truth = amounts(fresh), amounts(fresh, np.full(500, 1.5))
    errors = [float((each.counterfactual(rows, {"a": 1.5}) - truth)["b"].abs().mean()) for each in (model, additive)]
    assert errors[0] < 0.6 * errors[1]


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


def bent(noise, cause=None):
    """What cause and noise add up to is steeper to both sides."""
    cause = noise[:, 0] if cause is None else cause
    total = 1.5 * np.sin(cause) + 0.6 * noise[:, 1]
    return pd.DataFrame({"a": cause, "b": total + 2 * total * np.abs(total)})


@pytest.fixture(scope="module")
def bent_model():
    return FiP(graph=CHAIN, random_state=0).fit(bent(noises(3, 1_500)))


def test_a_bend_is_told_and_its_counterfactuals_are_twice_as_good_as_with_additive_noise(bent_model):
    additive = FiP(graph=CHAIN, noise="additive", random_state=0).fit(bent(noises(3, 1_500)))
    fresh, do = noises(4, 500), {"a": 1.5}
    rows, truth = bent(fresh), bent(fresh, np.full(500, 1.5))
    errors = [float((each.counterfactual(rows, do) - truth)["b"].abs().mean()) for each in (bent_model, additive)]
    assert bent_model.mechanisms_.loc["b", "noise"] == "bent"
    assert errors[0] < errors[1] / 2


def test_everything_works_with_a_bend(bent_model, tmp_path):
    rows, do = bent(noises(5, 400)), {"a": 0.5}
    scm = bent_model.scm_
    again = scm.noise_to_sample(scm.sample_to_noise(rows.to_numpy()))
    np.testing.assert_allclose(again, rows, atol=1e-6)
    bent_model.save(tmp_path / "m.fip")
    loaded = load(tmp_path / "m.fip")
    pd.testing.assert_frame_equal(loaded.counterfactual(rows, do), bent_model.counterfactual(rows, do))
    effect = bent_model.effect("a", on="b", treated=1.0, control=0.0)
    truth = (bent(noises(6, 50_000), np.ones(50_000)) - bent(noises(6, 50_000), np.zeros(50_000)))["b"].mean()
    assert effect.low < truth < effect.high
    assert bent_model.check(rows).table.query("check == 'noise independence'")["passed"].all()


def test_a_mean_is_the_average_of_sampled_values(bent_model):
    found = bent_model.intervene({"a": 1.0}, 20_000, random_state=0)["b"]
    mean = bent_model.scm_.predict(np.array([[1.0, 0.0]]))[0, 1]
    assert mean == pytest.approx(found.mean(), abs=4 * found.std() / 20_000**0.5 + 0.02)


def test_a_bend_that_a_test_doubts_is_taken_where_unseen_rows_are_likelier_with_it(monkeypatch):
    monkeypatch.setattr(rescaling, "LEFT_OVER", 1.0)  # no log p-value is as high
    found = FiP(graph=CHAIN, random_state=0).fit(bent(noises(3, 1_500))).mechanisms_.loc["b"]
    assert found["noise"] == "bent"
    assert found["noise_gain"] > 0.02


def test_a_row_beyond_all_others_is_not_taken_for_noise():
    rng = np.random.default_rng(7)

    def heavy(cause, noise):
        total = cause + 0.4 * noise
        return pd.DataFrame({"a": cause, "b": total + total * np.abs(total)})

    table = heavy(rng.standard_t(4, 2_000), rng.standard_normal(2_000))
    model = FiP(graph=CHAIN, random_state=0).fit(table)
    far = heavy(np.array([1.3 * table["a"].max()]), np.zeros(1))
    back = model.counterfactual(far, {"a": 0.0})["b"].iloc[0]
    assert model.mechanisms_.loc["b", "noise"] == "bent"
    assert abs(back) < table["b"].std()


def awkward(kind, rows):
    rng = np.random.default_rng(rows)
    cause = rng.standard_t(2, rows) if kind == "heavy" else rng.standard_normal(rows)
    total = cause + np.sin(cause) + 0.6 * (rng.standard_t(2, rows) if kind == "heavy" else rng.standard_normal(rows))
    curves = {
        "tied": lambda: np.round(total + total * np.abs(total), 1),
        "cut off": lambda: np.minimum(np.exp(total), 3),
        "heavy": lambda: total + total * np.abs(total),
        "flat": lambda: np.log1p(np.exp(2 * total)),
    }
    return pd.DataFrame({"a": cause, "b": curves[kind]()})


@pytest.mark.parametrize("rows", [200, 700])
@pytest.mark.parametrize("kind", ["tied", "cut off", "heavy", "flat"])
def test_answers_stay_finite_and_samples_near_the_rows(kind, rows):
    table = awkward(kind, rows)
    model = FiP(graph=CHAIN, random_state=0).fit(table)
    drawn, width = model.sample(10_000, random_state=0)["b"], table["b"].max() - table["b"].min()
    assert table["b"].min() - 6 * width < drawn.min()
    assert drawn.max() < table["b"].max() + 6 * width
    for far in (-1e6, -10.0, 10.0, 1e6):
        assert np.isfinite(model.counterfactual(table, {"a": far})).all(axis=None)


def test_amounts_on_a_bend_are_never_drawn_below_zero():
    model = FiP(graph=CHAIN, random_state=0).fit(awkward("flat", 700))
    assert model.mechanisms_.loc["b", "noise"] == "bent"
    assert (model.sample(20_000, random_state=0)["b"] >= 0).all()
    assert (model.intervene({"a": -5.0}, 2_000, random_state=0)["b"] >= 0).all()
