"""Irrelevant columns are of many kinds, and neither their graph nor their rows tie them to anything."""

import numpy as np
from scipy.stats import kstest, spearmanr

from fipscm.simulate.prior.irrelevant import irrelevant_table, with_irrelevant
from fipscm.simulate.prior.survey import survey_table
from fipscm.simulate.prior.training_table import TABLE_FAMILIES


def drawn_and_replaced(seed, nodes=6, rows=400, count=2):
    """A table, the same with irrelevant columns, and which columns they are."""
    rng = np.random.default_rng(seed)
    drawn = survey_table(nodes, rows, rng)
    replaced = with_irrelevant(drawn, count, rng)
    same = [
        np.array_equal(before, after, equal_nan=True)
        for before, after in zip(drawn.values.T, replaced.values.T, strict=True)
    ]
    return drawn, replaced, ~np.array(same)


def test_an_irrelevant_column_has_no_edge_and_no_hidden_cause():
    for seed in range(30):
        _, replaced, changed = drawn_and_replaced(seed)
        assert changed.sum() == 2
        assert not (replaced.adjacency | replaced.confounded)[changed].any()
        assert not (replaced.adjacency | replaced.confounded)[:, changed].any()


def test_the_other_columns_keep_their_cells_and_their_edges():
    for seed in range(30):
        drawn, replaced, changed = drawn_and_replaced(seed)
        among = np.ix_(~changed, ~changed)
        np.testing.assert_array_equal(drawn.adjacency[among], replaced.adjacency[among])
        np.testing.assert_array_equal(drawn.confounded[among], replaced.confounded[among])
        np.testing.assert_array_equal(np.isnan(drawn.values), np.isnan(replaced.values))


def test_its_cells_have_nothing_to_do_with_the_others():
    p_values = []
    for seed in range(150):
        _, replaced, changed = drawn_and_replaced(seed, count=1)
        if not np.isnan(replaced.values).any():
            column, other = replaced.values[:, changed][:, 0], replaced.values[:, ~changed][:, 0]
            p_values.append(spearmanr(column, other).pvalue)
    assert kstest(p_values, "uniform").pvalue > 0.01


def test_two_columns_may_have_nothing_to_do_with_each_other():
    rng = np.random.default_rng(0)
    assert not any(irrelevant_table(2, 50, rng).adjacency.any() for _ in range(30))


def test_categories_counts_grades_and_two_levels_all_occur():
    rng = np.random.default_rng(0)
    tables = [TABLE_FAMILIES["irrelevant"](4, 200, rng) for _ in range(100)]
    lone = [~(table.adjacency.any(axis=0) | table.adjacency.any(axis=1)) for table in tables]
    kinds = {kind for table, alone in zip(tables, lone, strict=True) for kind in np.array(table.kinds)[alone]}
    assert {"categorical", "binary", "ordinal", "count", "continuous"} <= kinds
