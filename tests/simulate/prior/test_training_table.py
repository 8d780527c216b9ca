"""The training prior is wide, safe to train on, and never shows what the test collections are made of."""

import numpy as np
import pytest

from fipscm.errors import DataError, GraphError, UnknownNameError
from fipscm.graph import find_cycle, relabel, remaining_after_leaf_removal
from fipscm.simulate import PRIORS
from fipscm.simulate.ingredients import structure
from fipscm.simulate.ingredients.columns import is_informative
from fipscm.simulate.ingredients.laws import LAWS
from fipscm.simulate.prior.training_table import (
    TABLE_FAMILIES,
    draw_nodes,
    draw_rows,
    sample_training_table,
)
from fipscm.tables.kinds import KINDS

EVEN = dict.fromkeys(TABLE_FAMILIES, 1.0)
TABLES = 120


@pytest.fixture(scope="module", params=TABLE_FAMILIES)
def tables(request):
    rng = np.random.default_rng(0)
    draw = TABLE_FAMILIES[request.param]
    return [draw(int(rng.integers(2, 16)), int(rng.integers(30, 300)), rng) for _ in range(TABLES)]


def test_shapes_fit_together_and_graphs_are_acyclic(tables):
    for table in tables:
        nodes = table.values.shape[1]
        assert table.adjacency.shape == table.confounded.shape == (nodes, nodes)
        assert len(table.kinds) == nodes
        assert set(table.kinds) <= set(KINDS)
        assert (table.values.dtype, table.adjacency.dtype, table.confounded.dtype) == (np.float64, np.int8, np.bool_)
        assert find_cycle(table.adjacency) is None
        assert list(table.flags) == sorted(set(table.flags))


def test_cells_are_missing_only_if_that_was_drawn(tables):
    for table in tables:
        assert np.isnan(table.values).any() == bool({"missing-at-random", "missing-by-column"} & set(table.flags))


def test_every_column_is_finite_and_says_something(tables):
    for table in tables:
        for column in table.values.T:
            assert is_informative(column[~np.isnan(column)])


@pytest.mark.parametrize(("nodes", "rows"), [(2, 30), (100, 30), (20, 1000)])
@pytest.mark.parametrize("family", TABLE_FAMILIES)
def test_the_smallest_and_the_widest_tables_can_be_learned_from(family, nodes, rows):
    rng = np.random.default_rng(nodes)
    for _ in range(20):
        table = TABLE_FAMILIES[family](nodes, rows, rng)
        assert table.values.shape == (rows, nodes)
        for column in table.values.T:
            assert is_informative(column[~np.isnan(column)])


def test_the_codes_of_a_category_are_all_the_numbers_from_0(tables):
    for table in tables:
        for column, kind in zip(table.values.T, table.kinds, strict=True):
            if kind == "categorical":
                codes = np.unique(column[~np.isnan(column)])
                assert len(codes) > 2
                np.testing.assert_array_equal(codes, np.arange(len(codes)))


def test_hidden_causes_are_marked(tables):
    for table in tables:
        assert table.confounded.any() == ("hidden-cause" in table.flags)
        np.testing.assert_array_equal(table.confounded, table.confounded.T)
        assert not table.confounded.diagonal().any()


def test_nothing_of_the_out_distribution_is_seen(tables):
    outside = {
        family
        for priors in PRIORS.values()
        for name in priors
        if name.endswith("-out")
        for family in priors[name].families
    }
    assert not set(structure.IN_FAMILIES) & outside
    assert "laplace" not in LAWS
    assert not any("laplace" in flag for table in tables for flag in table.flags)


@pytest.mark.parametrize("family", TABLE_FAMILIES)
def test_the_seed_decides_the_table(family):
    for seed in range(10):
        first, again = (TABLE_FAMILIES[family](6, 50, np.random.default_rng(seed)) for _ in range(2))
        np.testing.assert_array_equal(first.values, again.values)
        np.testing.assert_array_equal(first.adjacency, again.adjacency)
        assert (first.kinds, first.family, first.flags) == (again.kinds, family, again.flags)


def test_what_is_left_after_leaf_removal_is_a_table_again(tables, rng):
    for table in tables[:20]:
        kept = remaining_after_leaf_removal(table.adjacency, 1, rng)
        removed = np.setdiff1d(np.arange(len(table.adjacency)), kept)
        assert not table.adjacency[removed][:, kept].any()
        assert find_cycle(relabel(table.adjacency, kept)) is None


def test_columns_stand_in_no_causal_order(tables):
    edges = np.concatenate([np.argwhere(table.adjacency) for table in tables])
    assert np.mean(edges[:, 0] < edges[:, 1]) == pytest.approx(0.5, abs=0.1)


def test_families_are_drawn_with_their_shares(rng):
    drawn = [sample_training_table(3, 30, rng, {"p-in": 1, "categories": 3, "survey": 0}).family for _ in range(400)]
    assert set(drawn) == {"p-in", "categories"}
    assert drawn.count("categories") / len(drawn) == pytest.approx(0.75, abs=0.08)


def test_ranges_of_variables_are_drawn_with_their_weights(rng):
    drawn = np.array([draw_nodes([(2, 2, 1.0), (5, 9, 3.0)], rng) for _ in range(2000)])
    assert set(drawn) == {2, 5, 6, 7, 8, 9}
    assert (drawn == 2).mean() == pytest.approx(0.25, abs=0.04)


def test_few_rows_are_drawn_less_often_than_many(rng):
    drawn = np.array([draw_rows(100, 10_000, rng) for _ in range(2000)])
    assert 100 <= drawn.min() < 200
    assert 9_000 < drawn.max() <= 10_000
    assert (drawn < 1_000).mean() == pytest.approx(0.25, abs=0.04)


def test_too_small_a_table_is_refused(rng):
    with pytest.raises(GraphError, match="1 variables has no order: ask for at least 2"):
        sample_training_table(1, 100, rng, EVEN)
    with pytest.raises(DataError, match="5 rows are too few"):
        sample_training_table(4, 5, rng, EVEN)


def test_shares_that_name_no_family_or_none_at_all_are_refused(rng):
    with pytest.raises(UnknownNameError, match="family of training tables"):
        sample_training_table(4, 50, rng, {"surveys": 1.0})
    for shares in ({}, {"survey": 0.0}, {"survey": -1.0}, {"survey": float("nan")}):
        with pytest.raises(DataError, match="at least 0"):
            sample_training_table(4, 50, rng, shares)
