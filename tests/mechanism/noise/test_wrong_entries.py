"""A noise that no tail explains is a wrong entry; heavy tails keep their outermost values."""

import warnings

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP
from fipscm.mechanism.noise.wrong_entries import wrong_entries

WEIGHTS = np.array([[0, 1.0, 0, 0.5], [0, 0, -1.5, 0], [0, 0, 0, 1.0], [0, 0, 0, 0]])
LAWS = {
    "normal": lambda rng, size: rng.normal(size=size),
    "laplace": lambda rng, size: rng.laplace(size=size),
    "lognormal": lambda rng, size: rng.lognormal(size=size),
    "t3": lambda rng, size: rng.standard_t(3, size),
    "cauchy": lambda rng, size: rng.standard_cauchy(size),
}


def linear(rows=200, seed=0):
    noise = np.random.default_rng(seed).normal(size=(rows, 4))
    return pd.DataFrame(noise @ np.linalg.inv(np.eye(4) - WEIGHTS), columns=list("abcd"))


def fitted(frame):
    return FiP(graph=WEIGHTS != 0, random_state=0).fit(frame)


@pytest.mark.parametrize("column", ["a", "c"])
def test_a_wild_cell_is_not_drawn(column):
    frame = linear()
    frame.loc[17, column] = 500 * frame[column].std()
    with pytest.warns(UserWarning, match=rf"Outliers, .*: 1 of '{column}'"):
        model = fitted(frame)
    means = model.intervene({"b": 2.0}, n=20_000, random_state=1).mean()
    # Without noise: b sets c to -3, and c sets d to -3; a mean of 200 rows has an error of 0.07 per noise.
    assert means["c"] == pytest.approx(-3.0, abs=0.6)
    assert means["d"] == pytest.approx(-3.0, abs=0.8)
    effect = model.effect("b", "d", treated=2.0, control=0.0)
    assert effect.estimate == pytest.approx(-3.0, abs=0.6)


@pytest.mark.filterwarnings("ignore:Outliers")
def test_a_wrong_entry_does_not_decide_for_logarithms():
    frame = pd.DataFrame(np.random.default_rng(1).exponential(size=(200, 2)), columns=["a", "b"])
    frame["b"] += frame["a"]
    frame.loc[17, "a"] = 500.0
    means = [
        FiP(order=["a", "b"], random_state=seed).fit(frame).sample(20_000, random_state=0)["a"].mean()
        for seed in range(5)
    ]
    np.testing.assert_allclose(means, 1.0, atol=0.25)


@pytest.mark.filterwarnings("ignore:The model has seen no 'c'")
def test_the_row_of_a_wrong_entry_is_answered_as_it_is():
    frame = linear()
    frame.loc[17, "c"] = 1_000.0
    with pytest.warns(UserWarning, match=r"Outliers, .*: 1 of 'c' \(1000\)\."):
        model = fitted(frame)
    row = frame.loc[[17]]
    assert model.abduct(row)["c"].item() == pytest.approx(1_000.0, rel=0.01)
    imagined = model.counterfactual(row, {"b": row["b"].item() + 1})
    assert imagined["c"].item() - 1_000.0 == pytest.approx(-1.5, abs=0.3)


def test_a_clean_table_gets_no_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(linear())


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("rows", [200, 2_000])
def test_tails_keep_their_values(law, rows):
    noise = LAWS[law](np.random.default_rng(5), (rows, 40))
    assert wrong_entries(noise).sum() <= 1  # of forty columns: one in a hundred of Cauchy's loses a value


@pytest.mark.parametrize("law", ["normal", "laplace", "lognormal"])
def test_wrong_entries_of_either_sign_are_found_in_any_number_of_rows(law):
    for rows in (50, 200, 2_000):
        noise = LAWS[law](np.random.default_rng(6), (rows, 3))
        noise[3, 0], noise[[4, 5], 1] = -1e5, (1e5, 2e5)
        expected = np.zeros_like(noise, dtype=bool)
        expected[3, 0] = expected[[4, 5], 1] = True
        np.testing.assert_array_equal(wrong_entries(noise), expected)


def test_a_cluster_is_a_part_of_the_noise():
    rng = np.random.default_rng(7)
    noise = rng.normal(size=(1_000, 1))
    noise[:50] += 8  # one in twenty rows
    assert not wrong_entries(noise).any()


def test_mostly_equal_and_unknown_noises_are_left_alone():
    noise = np.zeros((100, 3))
    noise[:10, 0], noise[:30, 1] = 5.0, np.linspace(1, 9, 30)
    noise[:, 2] = np.random.default_rng(8).normal(size=100)
    noise[40:, 2] = np.nan
    assert not wrong_entries(noise).any()


@pytest.mark.filterwarnings("ignore:Outliers")
def test_straight_mechanisms_stay_straight_beside_wrong_entries():
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(2_000, 3)) * [1.0, 0.3, 0.3]
    values = noise.cumsum(axis=1)
    wrong = rng.choice(2_000, 100, replace=False), rng.integers(3, size=100)
    values[wrong] = rng.uniform(5, 10, 100) * rng.choice([-1, 1], 100) * values.std(axis=0)[wrong[1]]
    model = FiP(graph=[[0, 1, 0], [0, 0, 1], [0, 0, 0]], random_state=0).fit(pd.DataFrame(values, columns=list("abc")))
    assert model.mechanisms_["shape"].tolist() == ["constant", "linear", "linear"]
    assert model.effect("a", "c", treated=2.0, control=0.0).estimate == pytest.approx(2.0, abs=0.1)
