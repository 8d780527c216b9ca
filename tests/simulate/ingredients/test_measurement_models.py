import numpy as np
import pytest

from fipscm.simulate.ingredients.columns import Palette, is_informative, sample_column
from fipscm.simulate.ingredients.measurement_models import (
    DISCRETE,
    MEASUREMENT_MODELS,
    missing_at_random,
    missing_by_column,
    repeated_rows,
    shared_error,
)


@pytest.mark.parametrize("name", MEASUREMENT_MODELS)
def test_a_sensor_changes_the_record_and_leaves_the_truth_alone(name, rng):
    true = rng.standard_normal(500)
    kept = true.copy()
    record = MEASUREMENT_MODELS[name](true, rng)
    np.testing.assert_array_equal(true, kept)
    assert not np.array_equal(record, true)
    assert np.isfinite(record).all()


@pytest.mark.parametrize(("name", "most"), [("few-levels", 7), ("binary", 2)])
def test_discrete_records_have_few_values_in_the_order_of_the_truth(name, most, rng):
    for _ in range(20):
        true = np.sort(rng.standard_normal(300))
        record = DISCRETE[name](true, rng)
        assert 2 <= len(np.unique(record)) <= most
        assert (np.diff(record) >= 0).all()


def test_few_cells_are_wild(rng):
    for _ in range(20):
        true = rng.standard_normal(4000)
        changed = MEASUREMENT_MODELS["outliers"](true, rng) != true
        assert changed.mean() < 0.065


def test_cells_are_lost_whatever_the_row_or_by_another_column():
    higher = {missing_at_random: [], missing_by_column: []}
    for missing, differences in higher.items():
        rng = np.random.default_rng(1)
        for _ in range(30):
            common = rng.standard_normal((3000, 1))
            values = common + 0.1 * rng.standard_normal((3000, 4))
            lost = missing(values, rng)
            assert lost.mean() < 0.5
            differences += [common[gone].mean() - common[~gone].mean() for gone in lost.T if gone.any()]
    assert np.abs(higher[missing_at_random]).max() < 0.4
    assert np.median(higher[missing_by_column]) > 0.3


def test_repeated_rows_keep_most_rows(rng):
    for _ in range(20):
        assert 0.5 < len(np.unique(repeated_rows(1000, rng))) / 1000 < 1


def test_a_record_that_says_nothing_is_replaced_by_the_plain_one(monkeypatch, rng):
    monkeypatch.setitem(MEASUREMENT_MODELS, "broken", lambda values, rng: np.zeros_like(values))
    palette = Palette(("linear",), ("normal",), ("additive",), measurement_models=("broken",), measured_share=1.0)
    column = sample_column(rng.standard_normal((40, 1)), palette, rng)
    np.testing.assert_array_equal(column.record, column.true)
    assert "broken" not in column.made_with


@pytest.mark.parametrize(
    ("values", "answer"),
    [
        ([1.0] * 10, False),
        ([0.0] * 8 + [1.0] * 2, False),
        ([0.0] * 7 + [1.0] * 3, True),
        ([0.0, 1.0, 2.0, 3.0, 4.0], True),
        ([0.0, 1.0, 2.0, 3.0, np.inf], False),
    ],
)
def test_a_column_is_informative_with_five_values_or_two_frequent_ones(values, answer):
    assert is_informative(np.array(values)) == answer


def test_a_shared_error_moves_all_columns_together(rng):
    values = rng.standard_normal((5000, 4))
    errors = shared_error(values, rng) - values
    assert np.linalg.matrix_rank(errors, tol=1e-6) == 1
    assert (errors.std(axis=0) > 0).all()
    assert (errors.std(axis=0) < 0.75 * values.std(axis=0)).all()
