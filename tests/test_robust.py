import numpy as np

from fipscm.robust import robust_location, tame_rows, wild_cells


def test_a_few_wild_cells_move_neither_location_nor_scale_and_are_found():
    rng = np.random.default_rng(0)
    clean = rng.standard_normal((1_000, 2))
    dirty = clean.copy()
    dirty[:20, 0] = 1e6
    for before, after in zip(robust_location(clean), robust_location(dirty), strict=True):
        np.testing.assert_allclose(before, after, atol=0.1)
    assert wild_cells(dirty)[:20, 0].all()
    assert wild_cells(dirty).sum() == 20


def test_no_cell_of_a_column_that_is_mostly_constant_is_wild():
    column = np.zeros((100, 1))
    column[:10] = 1.0
    assert not wild_cells(column).any()


def test_rows_with_wild_cells_stay_where_a_column_would_be_constant_without_them_holes_or_not(rng):
    table = rng.standard_normal((100, 2))
    table[:, 0] = 0.0
    table[:3] = 1.0, 1e6
    table[50, 0] = np.nan
    assert tame_rows(table).all()
    table[60, 0] = 1.0
    assert not tame_rows(table)[:3].any()
