"""Tables of categories are such, and their levels depend on their causes."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from fipscm.simulate.ingredients.categories.tables import PROBABILITY_TABLES
from fipscm.simulate.prior.categories import MOST_CONFIGURATIONS, bayesian_network_table


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    return [bayesian_network_table(int(rng.integers(2, 16)), 1_000, rng) for _ in range(150)]


def test_nearly_all_columns_are_categories_of_two_to_twenty_levels(tables):
    assert np.mean(np.concatenate([table.is_category for table in tables])) > 0.8
    for table in tables:
        for column in table.values.T[table.is_category]:
            assert 2 <= len(np.unique(column[~np.isnan(column)])) <= 20


def test_every_kind_of_table_and_hidden_causes_occur(tables):
    assert {flag for table in tables for flag in table.flags} >= {
        *PROBABILITY_TABLES,
        "grades",
        "measurement",
        "hidden-cause",
    }


def test_graphs_are_sparse_and_dense_with_a_bounded_number_of_configurations(tables):
    for table in tables:
        levels = np.array([len(np.unique(column[~np.isnan(column)])) for column in table.values.T])
        for node in range(len(levels)):
            causes = (table.adjacency[:, node] == 1) & table.is_category
            assert levels[causes].prod() <= MOST_CONFIGURATIONS
    causes = np.concatenate([table.adjacency.sum(axis=0) for table in tables])
    assert 0.5 < causes.mean() < 2.5
    assert causes.max() >= 4


def test_most_edges_show_in_the_frequencies_of_two_columns(tables):
    values = []
    for table in tables:
        for cause, effect in np.argwhere(table.adjacency):
            pair = table.values[:, [cause, effect]]
            if table.is_category[[cause, effect]].all() and not np.isnan(pair).any():
                counts = np.histogram2d(*pair.T, bins=np.arange(9) - 0.5)[0]
                shown = counts[np.ix_(counts.any(axis=1), counts.any(axis=0))]
                values.append(chi2_contingency(shown).pvalue)
    assert np.mean(np.array(values) < 0.01) > 0.6
