"""What is known about the order of a table is read right, and every table stands once."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fipscm.bench.measured.known_orders import ANSWERED_IN_FULL, GRAPHS, TIERS, chosen_orders, known_orders
from fipscm.errors import DataError

SHARED = Path(__file__).parents[4] / "shared" / "data"


@pytest.fixture
def folder(tmp_path):
    """A folder of data with one table in tiers and every table with a graph, all of the chain a -> b -> c."""
    rows = pd.DataFrame(np.arange(90.0).reshape(30, 3), columns=["a", "b", "c"])
    chain = pd.DataFrame([[0, 1, 0], [0, 0, 1], [0, 0, 0]], rows.columns, rows.columns)
    for table, graph in GRAPHS.values():
        (tmp_path / table).parent.mkdir(parents=True, exist_ok=True)
        rows.to_csv(tmp_path / table, index=False)
        chain.to_csv(tmp_path / graph)
    (tmp_path / GRAPHS["light_tunnel"][1]).write_text("source,target\na,b\nb,c\nlamp,c\n")
    (tmp_path / TIERS).mkdir(parents=True)
    (tmp_path / TIERS / "tiers.json").write_text(json.dumps({"beer": {"a": 1, "b": 2, "c": 2}}))
    rows.to_csv(tmp_path / TIERS / "beer.csv", index=False)
    return tmp_path


@pytest.mark.filterwarnings("ignore:Skipped")
def test_a_cause_precedes_all_its_descendants_and_a_tier_all_later_ones(folder):
    known = known_orders(folder)
    assert set(known["sachs"].pairs) == {("a", "b"), ("b", "c"), ("a", "c")}
    assert set(known["light_tunnel"].pairs) == {("a", "b"), ("b", "c"), ("a", "c"), ("lamp", "c")}
    assert set(known["beer"].pairs) == {("a", "b"), ("a", "c")}
    assert list(known["beer"].read().columns) == ["a", "b", "c"]


@pytest.mark.filterwarnings("ignore:Skipped")
def test_tables_are_chosen_by_name_and_by_group(folder):
    assert [table.name for table in chosen_orders("beer,syntren_03", folder)] == ["beer", "syntren_03"]
    assert {table.name for table in chosen_orders("graphs,syntren", folder)} == set(GRAPHS)
    assert {table.name for table in chosen_orders("graphs", folder)} == {"sachs", "light_tunnel"}
    with pytest.raises(DataError, match="No table or group of tables is called 'graph' here"):
        chosen_orders("graph", folder)


def test_what_cannot_be_read_is_named_in_a_warning(tmp_path):
    with pytest.warns(UserWarning, match=r"Skipped: measured/tiers/tiers.json is a file of a folder of data"):
        assert {table.group for table in known_orders(tmp_path).values()} <= {"corpus", "pairs"}


@pytest.mark.skipif(not SHARED.is_dir(), reason="the folder of data does not lie beside the checkout")
@pytest.mark.filterwarnings("ignore:Skipped")
def test_no_table_of_the_corpus_is_judged_a_second_time_by_its_tiers_or_graph():
    from fipscm.bench.measured.corpus import corpus

    known = known_orders(SHARED)
    again = [
        table.name for table in corpus().values() if any(file.startswith(ANSWERED_IN_FULL) for file in table.files)
    ]
    assert again
    assert not any(known[name].group == "corpus" for name in again if name in known)


@pytest.mark.filterwarnings("ignore:Skipped")
def test_there_are_99_pairs_each_with_one_answer():
    known = [table for table in known_orders(None).values() if table.group == "pairs"]
    if not known:
        pytest.skip("the pairs lie in the package cdt (extra 'corpus')")
    assert len(known) == 99
    assert all(len(table.pairs) == 1 for table in known)
    assert known[0].read().shape == (349, 2)
