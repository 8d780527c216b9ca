"""Tables of categories follow the laws of the networks that they are drawn from."""

import numpy as np
import pytest

from fipscm.bench.data.bayesian_networks import BAYESIAN_NETWORKS, SMALL_NETWORKS, categories_table
from fipscm.bench.data.problem import DataSet
from fipscm.bench.data.sources import make_problem
from fipscm.errors import DataError
from fipscm.graph import find_cycle

pytest.importorskip("pgmpy", reason="the networks lie in the package pgmpy (extra 'baselines')")


@pytest.mark.parametrize("name", BAYESIAN_NETWORKS)
def test_a_table_has_the_variables_of_its_network_and_a_graph_without_cycles(name):
    table, adjacency = categories_table(name, 200, np.random.default_rng(0))
    assert table.shape == (200, BAYESIAN_NETWORKS[name])
    assert adjacency.shape == (table.shape[1], table.shape[1])
    assert find_cycle(adjacency) is None
    assert all(isinstance(cell, str) for cell in table.to_numpy().ravel())


def test_rows_have_the_conditional_probabilities_of_the_network():
    table, adjacency = categories_table("bayes-survey", 50_000, np.random.default_rng(0))
    assert (table["S"] == "M").mean() == pytest.approx(0.6, abs=0.01)
    chosen = (table["O"] == "self") & (table["R"] == "big")
    assert (table["T"][chosen] == "car").mean() == pytest.approx(0.70, abs=0.03)
    causes = table.columns[adjacency[:, table.columns.get_loc("T")] == 1]
    assert set(causes) == {"O", "R"}


def test_positions_of_columns_do_not_tell_the_order():
    places = [
        list(categories_table("bayes-asia", 1, np.random.default_rng(seed))[0]).index("asia") for seed in range(9)
    ]
    assert len(set(places)) > 1


@pytest.mark.parametrize("name", SMALL_NETWORKS)
def test_a_data_set_is_the_same_whenever_it_is_made_and_has_no_scale(name):
    data = DataSet(name, SMALL_NETWORKS[name], rows=100)
    assert make_problem(data).table.equals(make_problem(data).table)
    with pytest.raises(DataError, match="have no scale"):
        make_problem(DataSet(name, SMALL_NETWORKS[name], rows=100, scale="standardized"))
