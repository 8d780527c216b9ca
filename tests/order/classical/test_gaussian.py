import numpy as np
import pytest

from fipscm.order.classical.gaussian import p_of_linear_gaussian
from fipscm.simulate import sample_scm


def linear_table(noise, rows, rng):
    """Four columns, each made from the one before."""
    drawn = getattr(rng, noise)(size=(rows, 4))
    return drawn @ np.triu(np.ones((4, 4)))


@pytest.mark.parametrize("rows", [100, 1_000, 5_000])
def test_normal_tables_are_rarely_rejected(rows):
    rng = np.random.default_rng(0)
    found = [p_of_linear_gaussian(linear_table("standard_normal", rows, rng)) for _ in range(100)]
    assert np.mean(np.array(found) < 0.05) <= 0.12


@pytest.mark.parametrize("name", ["lin-out", "rff-in", "rff-out"])
def test_tables_that_show_their_order_are_rejected(name):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        assert p_of_linear_gaussian(sample_scm(name, 8, rng).sample(300, rng).to_numpy()) < 0.01


def test_a_few_wild_cells_do_not_make_a_normal_table_orderable(rng):
    table = linear_table("standard_normal", 500, rng)
    table[:5, 2] += 1_000
    assert p_of_linear_gaussian(table) > 0.05


def test_a_column_that_others_determine_is_no_trouble(rng):
    table = linear_table("standard_normal", 500, rng)
    assert p_of_linear_gaussian(np.column_stack([table, table.sum(axis=1)])) > 0.05
