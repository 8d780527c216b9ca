"""Cells far out are tails where there are as many of them, and as far, as such tails make."""

import numpy as np
import pytest

from fipscm.mechanism.fitting.tails import tails_explain


@pytest.mark.parametrize("law", ["normal", "laplace", "exponential"])
def test_columns_without_wrong_entries_mostly_are_what_tails_make(law):
    explained = [tails_explain(getattr(np.random.default_rng(seed), law)(size=(500, 3))) for seed in range(40)]
    assert np.mean(explained) > 0.8


@pytest.mark.parametrize("law", ["normal", "laplace"])
def test_one_wrong_cell_in_two_hundred_is_more_than_that(law):
    explained = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        columns = getattr(rng, law)(size=(1000, 3))
        columns[:5] = rng.uniform(5, 10, (5, 3)) * columns.std(axis=0) * rng.choice([-1, 1], (5, 3))
        explained.append(tails_explain(columns))
    assert not any(explained)


def test_cells_that_are_not_known_say_nothing():
    columns = np.random.default_rng(0).laplace(size=(500, 2))
    more = np.vstack([columns, np.full((20, 2), np.nan)])
    assert tails_explain(more) == tails_explain(columns)


def test_equal_cells_are_no_tail_and_no_wrong_entries():
    columns = np.random.default_rng(0).laplace(size=(500, 2))
    assert tails_explain(np.column_stack([columns, np.ones(500)])) == tails_explain(columns)
