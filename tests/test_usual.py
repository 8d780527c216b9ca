import numpy as np

from fipscm.metrics import tos
from fipscm.order.inference import zero_shot_order
from fipscm.simulate import sample_scm
from fipscm.usual import usual_rows


def together(rng, rows=1_000):
    """Two columns that move together, and one of its own."""
    cause = rng.normal(size=rows)
    return np.column_stack([cause, cause + 0.1 * rng.normal(size=rows), rng.normal(size=rows)])


def test_a_wrong_entry_within_the_range_of_its_column_is_found_once_the_table_has_a_wild_cell(rng):
    table = together(rng)
    table[0, 2], table[1, :2] = 50.0, [2.0, -2.0]
    assert np.flatnonzero(~usual_rows(table)).tolist() == [0, 1]


def test_a_table_without_a_wild_cell_keeps_all_of_its_rows(rng):
    assert usual_rows(np.clip(together(rng), -3, 3)).all()


def test_a_table_half_of_whose_rows_disagree_with_the_rest_loses_only_its_wild_cells(rng):
    table = together(rng)
    table[::2, 0] *= -1
    table[7, 2] = 50.0
    assert np.flatnonzero(~usual_rows(table)).tolist() == [7]


def test_columns_that_determine_each_other_set_no_row_aside(rng):
    column = rng.normal(size=(500, 1))
    table = np.hstack([column, 2 * column, rng.normal(size=(500, 1))])
    table[3, 2] = 50.0
    assert np.flatnonzero(~usual_rows(table)).tolist() == [3]


def test_wrong_entries_here_and_there_do_not_turn_an_order_around(rng):
    scm = sample_scm("lin-out", 6, rng, "released")
    values = scm.sample(3_000, rng).to_numpy(copy=True)
    wrong = rng.random(values.shape) < 0.02
    values[wrong] = (values.mean(axis=0) + rng.uniform(5, 10, values.shape) * values.std(axis=0))[wrong]
    assert tos(zero_shot_order(values).order, scm.adjacency) == 1.0


def test_rare_levels_are_neither_wild_nor_unusual(rng):
    table = np.column_stack([rng.normal(size=1_000), rng.random(1_000) < 0.1, rng.poisson(0.5, 1_000)])
    table[7, 0], table[8, 2] = 1e3, 30
    judged = np.array([True, False, False])
    assert np.flatnonzero(~usual_rows(table, judged)).tolist() == [7]
    assert usual_rows(table, np.zeros(3, dtype=bool)).all()


def test_money_that_few_have_sets_no_row_aside(rng):
    spent = np.where(rng.random(2_000) < 0.32, rng.exponential(2.0, 2_000), 0.0)
    table = np.column_stack([spent, 0.3 * spent + rng.normal(size=2_000)])
    table[7, 1] = 50.0
    assert (~usual_rows(table)).sum() <= 5
