"""The training prior is wide, safe to train on, and never shows what the test collections are made of."""

import numpy as np
import pytest

from fipscm.errors import DataError, GraphError
from fipscm.graph import find_cycle, relabel, remaining_after_leaf_removal
from fipscm.order.training.altered import ALTERATIONS
from fipscm.order.training.prior import (
    CHANGED,
    ENTERS,
    GAUSSIAN,
    MOST_CELLS,
    NODE_RANGE,
    P_IN,
    ROW_RANGE,
    WORLDS,
    sample_size,
    sample_training_table,
)
from fipscm.simulate import PRIORS
from fipscm.simulate.ingredients import structure
from fipscm.simulate.ingredients.columns import is_informative
from fipscm.simulate.ingredients.entrances import ENTRANCES
from fipscm.simulate.ingredients.functions import FUNCTIONS
from fipscm.simulate.ingredients.laws import LAWS
from fipscm.simulate.ingredients.roots import ROOTS
from fipscm.simulate.ingredients.sensors import DISCRETE, SENSORS

RECORDING = {"missing-at-random", "missing-by-column", "repeated-rows"}
GRAPH = {"hidden-cause", "irrelevant-columns", "near-copy"}
CHANGES = {"other-functions", "any-smooth", "shared-error"}
EVERY_FLAG = {"p-in", *CHANGES, *FUNCTIONS, *LAWS, *ENTRANCES, *ROOTS, *SENSORS, *RECORDING, *GRAPH}


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    return [sample_training_table(int(rng.integers(2, 16)), int(rng.integers(30, 300)), rng) for _ in range(400)]


def test_every_ingredient_and_every_world_appears(tables):
    assert {flag for table in tables for flag in table.flags} == EVERY_FLAG
    assert {table.world for table in tables} == set(WORLDS)


def test_most_tables_are_those_of_the_paper_and_most_of_these_are_changed(tables):
    papers = [table for table in tables if "p-in" in table.flags]
    assert len(papers) / len(tables) == pytest.approx(P_IN + CHANGED, abs=0.07)
    plain = [table for table in papers if table.flags == ("p-in",)]
    assert 0.3 < len(plain) / len(papers) < 0.5
    assert {table.world for table in plain} == {"linear-gaussian", "additive", "location-scale"}
    changes = {"hidden-cause", *CHANGES, *SENSORS, *RECORDING, *ALTERATIONS} - {"additive"}
    assert {flag for table in papers for flag in table.flags} == {"p-in"} | changes


def test_shapes_fit_together_and_graphs_are_acyclic(tables):
    for table in tables:
        nodes = table.values.shape[1]
        assert table.adjacency.shape == table.confounded.shape == (nodes, nodes)
        assert (table.values.dtype, table.adjacency.dtype, table.confounded.dtype) == (np.float64, np.int8, np.bool_)
        assert find_cycle(table.adjacency) is None


def test_cells_are_missing_only_if_that_was_drawn(tables):
    for table in tables:
        assert np.isnan(table.values).any() == bool({"missing-at-random", "missing-by-column"} & set(table.flags))


@pytest.mark.parametrize("rows", [30, 1000])
def test_every_column_is_finite_and_says_something(rows):
    rng = np.random.default_rng(rows)
    for _ in range(60):
        table = sample_training_table(20, rows, rng)
        for column in table.values.T:
            assert is_informative(column[~np.isnan(column)])


def test_hidden_causes_are_marked(tables):
    for table in tables:
        assert table.confounded.any() == ("hidden-cause" in table.flags)
        np.testing.assert_array_equal(table.confounded, table.confounded.T)
        assert not table.confounded.diagonal().any()


def test_a_measured_table_with_normal_noise_that_a_sensor_bent_can_be_ordered(tables):
    for table in (table for table in tables if "p-in" in table.flags and set(table.flags) & set(SENSORS) - GAUSSIAN):
        assert table.world != "linear-gaussian"


def test_the_world_is_what_the_ingredients_make_it(tables):
    for table in (table for table in tables if "p-in" not in table.flags):
        flags = set(table.flags)
        is_gaussian = flags <= GAUSSIAN | {"missing-at-random", "repeated-rows", "hidden-cause", "irrelevant-columns"}
        assert (table.world == "linear-gaussian") == is_gaussian
        if table.world == "discrete":
            assert flags & {*DISCRETE, "few-settings"}
            few = [len(np.unique(column[~np.isnan(column)])) <= 8 for column in table.values.T]
            assert np.mean(few) >= 0.5
        if table.world in ENTERS:
            assert flags & ({*ENTERS[table.world], "bent"} - ({"bent"} if table.world == "location-scale" else set()))


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


def test_the_seed_decides_the_table():
    for seed in range(20):
        first, again = (sample_training_table(6, 50, np.random.default_rng(seed)) for _ in range(2))
        np.testing.assert_array_equal(first.values, again.values)
        np.testing.assert_array_equal(first.adjacency, again.adjacency)
        assert (first.world, first.flags) == (again.world, again.flags)


def test_what_is_left_after_leaf_removal_is_a_table_again(tables, rng):
    for table in tables[:50]:
        kept = remaining_after_leaf_removal(table.adjacency, 1, rng)
        removed = np.setdiff1d(np.arange(len(table.adjacency)), kept)
        assert not table.adjacency[removed][:, kept].any()
        assert find_cycle(relabel(table.adjacency, kept)) is None


def test_wide_tables_do_not_tell_the_order_by_their_variances():
    rng = np.random.default_rng(3)
    rises = []
    for _ in range(200):
        table = sample_training_table(8, 100, rng)
        if "p-in" not in table.flags:
            spread = np.nanstd(table.values, axis=0)
            rises += [spread[effect] > spread[cause] for cause, effect in np.argwhere(table.adjacency)]
    assert 0.45 < np.mean(rises) < 0.55


def test_sizes_span_their_ranges_within_the_bound_on_cells(rng):
    sizes = np.array([sample_size(rng) for _ in range(2000)])
    assert sizes[:, 0].min() == NODE_RANGE[0]
    assert sizes[:, 0].max() >= 95
    assert ROW_RANGE[0] <= sizes[:, 1].min() <= 35
    assert 8000 < sizes[:, 1].max() <= ROW_RANGE[1]
    assert sizes.prod(axis=1).max() <= 1.01 * MOST_CELLS


def test_too_small_a_table_is_refused(rng):
    with pytest.raises(GraphError, match="1 variables has no order: ask for at least 2"):
        sample_training_table(1, 100, rng)
    with pytest.raises(DataError, match="5 rows are too few"):
        sample_training_table(4, 5, rng)
