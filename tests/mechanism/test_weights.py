"""Cells that neither the other columns nor a tail explain have no weight; heavy tails keep their outermost values."""

import warnings

import numpy as np
import pandas as pd
import pytest

from fipscm.graph import allowed_from_adjacency
from fipscm.mechanism import fit_mechanism
from fipscm.mechanism.families.zero_inflated import is_hurdle
from fipscm.mechanism.fit import Kinds, Table
from fipscm.mechanism.weights import cell_weights, tail_explains, warn_of_outliers

EFFECTS = np.array([[0, 1.0, 0, 0.5], [0, 0, -1.5, 0], [0, 0, 0, 1.0], [0, 0, 0, 0]])
LAWS = {
    "normal": lambda rng, size: rng.normal(size=size),
    "laplace": lambda rng, size: rng.laplace(size=size),
    "exponential": lambda rng, size: rng.exponential(size=size),
    "lognormal": lambda rng, size: rng.lognormal(size=size),
}


def linear(law="normal", rows=400, seed=0):
    noise = LAWS[law](np.random.default_rng(seed), (rows, 4))
    return noise @ np.linalg.inv(np.eye(4) - EFFECTS)


def outliers(rows, judged=None):
    every = np.ones(rows.shape[1], dtype=bool)
    return np.argwhere(cell_weights(rows, every if judged is None else judged) == 0).tolist()


@pytest.mark.parametrize("law", ["normal", "laplace"])
@pytest.mark.parametrize("seed", range(5))
def test_clean_tables_have_no_outlier(law, seed):
    assert outliers(linear(law, 1_000, seed)) == []


@pytest.mark.parametrize("law", ["exponential", "lognormal"])
def test_long_tails_keep_nearly_all_of_their_values(law):
    found = [len(outliers(linear(law, 1_000, seed))) for seed in range(5)]
    assert sum(found) <= 100  # of 20,000


@pytest.mark.parametrize("law", ["normal", "laplace"])
@pytest.mark.parametrize("column", range(4))
def test_a_lost_decimal_point_is_found(law, column):
    rows = linear(law) + 5
    place = int(np.abs(rows[:, column]).argsort()[200])
    rows[place, column] *= 100
    assert [place, column] in outliers(rows)
    assert len(outliers(rows)) <= 2


@pytest.mark.parametrize("size", [50, 200, 2_000])
def test_wrong_entries_of_either_sign_are_found_in_any_number_of_rows(size):
    rows = linear(rows=size)
    wrong = [[3, 0], [4, 1], [5, 1]]
    for (row, column), value in zip(wrong, (-1e5, 1e5, 2e5), strict=True):
        rows[row, column] = value
    assert outliers(rows) == wrong


def test_a_wrong_entry_within_its_column_is_found_by_the_others():
    rng = np.random.default_rng(1)
    rows = linear(rows=1_000)
    shared = rows[:, :1] + 0.1 * rng.normal(size=(1_000, 3))
    shared[:20, 1] += rng.choice([-1, 1], 20) * rng.uniform(5, 8, 20) * shared[:, 1].std()
    found = outliers(shared)
    assert {row for row, column in found if column == 1} >= set(range(20))
    assert len(found) <= 22


def test_columns_that_are_not_judged_keep_all_of_their_cells():
    rows = linear()
    rows[7, 2] = 1e6
    assert outliers(rows, np.array([True, True, False, True])) == []


def test_nothing_that_is_passed_in_is_changed():
    rows = linear()
    rows[7, 2] = 1e6
    before, judged = rows.copy(), np.ones(4, dtype=bool)
    weights = cell_weights(rows, judged)
    np.testing.assert_array_equal(rows, before)
    assert judged.all()
    assert set(np.unique(weights)) == {0.0, 1.0}


def test_a_unit_makes_no_difference():
    rows = linear()
    rows[[7, 9], [2, 0]] = 1e3, -1e3
    assert outliers(rows) == outliers(rows * [1e-6, 1, 1e6, 10] + [0, 5, 1e5, -3]) == [[7, 2], [9, 0]]


def test_one_column_alone_is_judged_by_its_tail():
    rows = np.random.default_rng(0).normal(size=(300, 1))
    rows[5] = 80
    assert outliers(rows) == [[5, 0]]


def test_a_cluster_is_a_part_of_the_column():
    rows = np.random.default_rng(7).normal(size=(1_000, 2))
    rows[:300, 0] += 80
    assert len(outliers(rows)) <= 1


def test_constant_and_mostly_equal_columns_are_left_alone():
    rows = np.zeros((100, 3))
    rows[:10, 0], rows[:30, 1] = 5.0, np.linspace(1, 9, 30)
    assert outliers(rows) == []


@pytest.mark.parametrize("law", ["normal", "laplace", "exponential"])
def test_what_tails_make_is_explained(law):
    explained = [tail_explains(LAWS[law](np.random.default_rng(seed), 500)) for seed in range(40)]
    assert np.mean(explained) > 0.8


@pytest.mark.parametrize("law", ["normal", "laplace"])
def test_a_few_wrong_cells_are_more_than_a_tail(law):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        column = LAWS[law](rng, 1_000)
        column[:5] = rng.uniform(8, 15, 5) * column.std() * rng.choice([-1, 1], 5)
        assert not tail_explains(column)


def money(rows=500):
    """A cause, and an amount of which half is zero and some is a hundred times as large as others."""
    rng = np.random.default_rng(0)
    cause = rng.normal(size=rows)
    amount = (rng.random(rows) < 0.5) * np.exp(1.5 * rng.normal(size=rows) + cause)
    return pd.DataFrame({"cause": cause, "amount": amount})


def test_money_with_zeros_is_not_judged():
    table = money()
    assert is_hurdle(table.to_numpy()).tolist() == [False, True]
    weights = Table.of(table, Kinds.of(None, None, 2), None, 0).weights
    assert (weights[:, 1] == 1).all()


def test_levels_and_counts_are_not_judged():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"rare": (rng.random(500) < 0.01).astype(float), "count": rng.poisson(0.1, 500).astype(float)})
    table.loc[3, "count"] = 900.0
    weights = Table.of(table, Kinds.of(("binary", "count"), None, 2), None, 0).weights
    assert (weights == 1).all()


def test_the_warning_names_the_farthest_cell_of_each_column():
    rows, weights = linear(), np.ones((400, 4))
    rows[[3, 4, 9], [0, 0, 2]] = 500.0, -900.0, 77.0
    weights[[3, 4, 9], [0, 0, 2]] = 0
    with pytest.warns(UserWarning, match=r"2 of 'a' \(one is -900\), 1 of 'c' \(77\)"):
        warn_of_outliers(rows, weights, list("abcd"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_outliers(rows, np.ones((400, 4)), list("abcd"))


def fitted(rows):
    graph = allowed_from_adjacency(EFFECTS != 0)
    return fit_mechanism(pd.DataFrame(rows, columns=list("abcd")), graph, required=graph)


@pytest.mark.parametrize("column", [0, 2])
def test_a_wrong_entry_moves_neither_lines_nor_noises(column):
    rows = linear()
    clean = fitted(rows)
    rows[17, column] = 500 * rows[:, column].std()
    with pytest.warns(UserWarning, match=rf"Outliers, .*: 1 of '{'abcd'[column]}'"):
        model = fitted(rows)
    np.testing.assert_allclose(model.edge_weights, clean.edge_weights, atol=0.05)
    np.testing.assert_allclose(model.scale, clean.scale, rtol=0.05)
    np.testing.assert_allclose(model.high, clean.high, rtol=0.2)
    row = rows[[17]]
    np.testing.assert_allclose(model.noise_to_sample(model.sample_to_noise(row)), row)


def test_straight_mechanisms_stay_straight_beside_wrong_entries():
    rng = np.random.default_rng(1)
    values = (rng.normal(size=(1_500, 3)) * [1.0, 0.3, 0.3]).cumsum(axis=1)
    wrong = rng.choice(1_500, 75, replace=False), rng.integers(3, size=75)
    values[wrong] = rng.uniform(5, 10, 75) * rng.choice([-1, 1], 75) * values.std(axis=0)[wrong[1]]
    chain = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=bool)
    with pytest.warns(UserWarning, match="Outliers"):
        model = fit_mechanism(pd.DataFrame(values, columns=list("abc")), chain, required=chain)
    assert [each.predictor.shape for each in model.mechanisms] == ["constant", "linear", "linear"]
    assert model.edge_weights[0, 1] * model.edge_weights[1, 2] == pytest.approx(1.0, abs=0.05)


def test_a_clean_table_gets_no_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(linear())


def test_an_outlying_cause_takes_its_row_from_its_effects_but_not_from_others():
    rng = np.random.default_rng(0)
    cause, other = rng.normal(size=(2, 1_000))
    rows = pd.DataFrame({"cause": cause, "level": (cause + rng.logistic(size=1_000) > 0).astype(float), "other": other})
    rows.loc[7, "other"] = rows.loc[9, "cause"] = 1e4
    allowed = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    kinds = ("continuous", "binary", "continuous")
    with pytest.warns(UserWarning, match="Outliers"):
        model = fit_mechanism(rows, allowed, required=allowed, kinds=kinds)
    assert [mechanism.evidence.rows for mechanism in model.mechanisms] == [999, 999, 999]
    assert model.high[0] < 10
