"""Counterfactuals whose noises are drawn among those that explain a row."""

import numpy as np
import pandas as pd
import pytest

from fipscm.mechanism.fit import fit_mechanism
from fipscm.questions.imagined import imagine, imagined_draws

ALLOWED = np.tril(np.ones((3, 3), dtype=bool), -1)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x = rng.normal(size=800)
    ward = (np.column_stack([0 * x, 2 * x, -2 * x]) + rng.gumbel(size=(800, 3))).argmax(axis=1)
    visits = rng.poisson(np.exp(0.5 + 0.5 * (ward == 1)))
    return pd.DataFrame({"x": x, "ward": ward, "visits": visits}).astype(float)


@pytest.fixture(scope="module")
def scm(table):
    kinds = ("continuous", "categorical", "count")
    return fit_mechanism(table, ALLOWED, required=ALLOWED, kinds=kinds, levels=(0, 3, 0))


def test_what_is_remembered_changes_no_answer(scm, table):
    rows, do = table.head(40), {"x": 1.0}
    remembered = imagined_draws(scm, rows, do, 3, np.random.default_rng(1))
    rng = np.random.default_rng(1)
    for found in remembered:
        pd.testing.assert_frame_equal(found, scm.counterfactual(rows, do, rng))


def test_nothing_changes_where_nothing_is_changed(scm, table, rng):
    rows = table.head(100)
    found = imagine(scm, rows, {"x": rows["x"].to_numpy()}, rng)
    pd.testing.assert_frame_equal(found, rows)


def test_a_category_takes_the_level_that_most_draws_have(scm, table, rng):
    rows = table[table["ward"] == 2].head(50)
    found = imagine(scm, rows, {"x": 3.0}, rng)
    assert set(found["ward"]) <= {0.0, 1.0, 2.0}
    assert (found["ward"] == 1).mean() > 0.9
