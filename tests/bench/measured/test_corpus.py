"""The corpus is large and mixed, and what it holds for certain can be true of its tables."""

from pathlib import Path

import networkx as nx
import pytest

from fipscm.bench.measured.corpus import corpus, find_tables
from fipscm.errors import NotInstalledError, UnknownNameError

PUBLISHED_DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
LEXICON = {
    *("wage1", "bwght", "titanic", "penguins", "nhefs", "gapminder", "diamonds", "randhie", "hitters", "thornton"),
    *("nsw", "fair", "ccard", "card", "airfoil", "auto_mpg", "pima", "mroz", "wage2"),
}
TABLES = list(corpus().values())


def read(table):
    try:
        return table.read(PUBLISHED_DATA)
    except NotInstalledError as reason:
        pytest.skip(str(reason))


def test_there_are_forty_tables_and_half_of_them_are_held_out():
    assert len(TABLES) >= 40
    assert {table.name for table in TABLES if table.half == "lexicon"} == LEXICON
    assert sum(table.half == "held-out" and len(table.pairs) > 0 for table in TABLES) >= 20


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_facts_and_effects_are_about_columns_of_the_table(table):
    frame = read(table)
    named = {name for pair in table.pairs for name in pair} | {n for e in table.effects for n in (e.of, e.on)}
    assert named <= set(frame.columns)
    for effect in table.effects:
        assert effect.low <= effect.value <= effect.high
        if isinstance(effect.treated, str):
            assert {effect.treated, effect.control} <= set(frame[effect.of].dropna())
        else:
            assert frame[effect.of].min() <= min(effect.treated, effect.control) < frame[effect.of].max()


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_facts_do_not_contradict_each_other(table):
    assert nx.is_directed_acyclic_graph(nx.DiGraph(table.pairs))


@pytest.mark.parametrize("table", [table for table in TABLES if table.effects], ids=lambda table: table.name)
def test_what_is_certain_lets_a_known_treatment_act(table):
    columns = sorted({name for pair in table.pairs for name in pair})
    for effect in table.effects:
        knowledge = table.knowledge(effect.of, columns)
        treatment, outcome = columns.index(effect.of), columns.index(effect.on)
        assert knowledge.must_precede(columns)[treatment, outcome]
        assert knowledge.allowed(columns)[outcome, treatment]


def test_a_table_reads_as_from_its_csv_file(tmp_path):
    frame = find_tables("ccard")[0].read()
    frame.to_csv(tmp_path / "ccard.csv", index=False)
    assert list(frame.columns) == ["AVGEXP", "AGE", "INCOME", "INCOMESQ", "OWNRENT"]
    assert all(kind.kind in "if" for kind in frame.dtypes)


def test_a_table_without_its_folder_says_what_to_name(tmp_path):
    with pytest.raises(NotInstalledError, match="name it by --data"):
        corpus()["airfoil"].read(tmp_path)


def test_an_unknown_table_is_named():
    with pytest.raises(UnknownNameError, match="did you mean 'titanic'"):
        find_tables("ccard,titanik")
