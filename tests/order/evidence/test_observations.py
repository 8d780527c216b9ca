import numpy as np

from fipscm.order.evidence.observations import MOST_BINS, MOST_LEVEL_BINS, Observations


def test_holes_are_filled_in_and_counted(rng):
    values = rng.normal(size=(200, 3))
    holed = np.where(rng.random(values.shape) < 0.1, np.nan, values)
    found = Observations.of(holed)
    assert np.isfinite(found.numbers).all()
    np.testing.assert_array_equal(found.numbers[~np.isnan(holed)], holed[~np.isnan(holed)])
    np.testing.assert_allclose(found.missing, np.isnan(holed).mean(axis=0))


def test_every_column_has_a_few_bins(rng):
    values = np.column_stack([rng.normal(size=500), rng.integers(2, size=500), rng.integers(30, size=500)])
    values[:5, 2] = np.nan
    found = Observations.of(values, ("continuous", "binary", "categorical"))
    assert found.bins.min(axis=0).tolist() == [0, 0, 0]
    assert (found.bins.max(axis=0) + 1).tolist() == [MOST_BINS, 2, MOST_LEVEL_BINS]


def test_a_category_of_two_levels_is_binary(rng):
    values = np.column_stack([rng.normal(size=100), rng.integers(2, size=100)]).astype(float)
    found = Observations.of(values, ("continuous", "categorical"))
    assert found.kinds == ("continuous", "binary")
    np.testing.assert_array_equal(found.numbers, values)


def test_some_rows_keep_the_scores_of_all(rng):
    values = np.column_stack([rng.normal(size=100), rng.integers(4, size=100)]).astype(float)
    whole = Observations.of(values, ("continuous", "categorical"))
    rows = rng.integers(100, size=50)
    np.testing.assert_array_equal(whole.take(rows).numbers, whole.numbers[rows])
    np.testing.assert_array_equal(whole.take(rows).levels[1], whole.levels[1][rows])
