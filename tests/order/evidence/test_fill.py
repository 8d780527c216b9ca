import numpy as np
import pytest

from fipscm.order.evidence.fill import Regression, fill_linearly


@pytest.fixture
def table(rng):
    return rng.laplace(size=(2000, 4)) @ np.array([[1, 1, 2, 0], [0, 1, 1, 3], [0, 0, 0.1, 1], [0, 0, 0, 1.0]])


@pytest.fixture
def holed(table, rng):
    return np.where(rng.random(table.shape) < 0.2, np.nan, table)


def test_holes_are_filled_and_nothing_else_changes(holed):
    filled, observed = fill_linearly(holed), ~np.isnan(holed)
    assert np.isfinite(filled).all()
    np.testing.assert_array_equal(filled[observed], holed[observed])
    np.testing.assert_array_equal(filled, fill_linearly(holed))


def test_filled_tables_have_the_correlations_of_complete_ones(table, holed):
    np.testing.assert_allclose(np.corrcoef(fill_linearly(holed).T), np.corrcoef(table.T), atol=0.03)


def test_holes_of_a_row_are_predicted_as_by_least_squares_on_its_other_cells(table):
    holes = np.zeros(table.shape, dtype=bool)
    holes[:, [1, 2]] = True
    design = np.column_stack([np.ones(len(table)), table[:, [0, 3]]])
    expected = design @ np.linalg.lstsq(design, table[:, [1, 2]], rcond=None)[0]
    regression = Regression.of(table)
    np.testing.assert_allclose(regression.holes(table, holes)[:, [1, 2]], expected, atol=1e-6)
    only = np.zeros(table.shape, dtype=bool)
    only[:, 2] = True
    np.testing.assert_allclose(regression.column(2, table)[0], regression.holes(table, only)[:, 2], atol=1e-6)
