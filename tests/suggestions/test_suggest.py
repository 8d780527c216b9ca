"""What is suggested follows from names, never contradicts itself, and is nothing where names say nothing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fipscm
from fipscm.graph import descendants
from fipscm.knowledge import Knowledge
from fipscm.suggestions.lexicon import lexicon

WORDS = sorted({word for concept in lexicon().concepts.values() for words in concept.words.values() for word in words})
ENDINGS = ["", "74", "78", "2004", "2010", "_1", "_2", "_pre", "_post", "_baseline"]


def table_of(*names):
    """A table in which every name that ends in ? is a yes or no, the others are numbers."""
    rng = np.random.default_rng(0)
    columns = {}
    for name in names:
        is_binary = name.endswith("?")
        columns[name.removesuffix("?")] = rng.integers(0, 2, 40) if is_binary else rng.normal(size=40)
    return pd.DataFrame(columns)


def order_of(*names):
    """The pairs that suggestions put in order."""
    found = fipscm.suggest(table_of(*names))
    before = descendants(found.knowledge.precedence(found.names))
    return {(found.names[i], found.names[j]) for i, j in np.argwhere(before)}


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(ENDINGS), st.booleans()), min_size=2, max_size=12))
@settings(max_examples=60, deadline=None)
def test_suggestions_never_contradict_themselves(drawn):
    names = dict.fromkeys(f"{word}{ending}{'?' if binary else ''}" for word, ending, binary in drawn)
    found = fipscm.suggest(table_of(*names))
    found.knowledge.allowed(found.names)
    assert not np.diag(descendants(found.knowledge.precedence(found.names))).any()
    assert all(fact.reason and not fact.says_nothing for fact in found.facts)


def test_nothing_is_suggested_of_names_that_say_nothing():
    found = fipscm.suggest(table_of(*(f"x{number}" for number in range(10))))
    assert found.facts == ()
    assert found.knowledge == Knowledge()
    assert found.hint == ""
    assert str(found) == "The names of the columns suggest nothing."
    assert found.table.empty


@pytest.mark.parametrize(
    "names",
    [
        ["wage", "schooling", "mother's education", "female?"],
        ["Lohn", "Schulbildung", "Elternbildung", "Geschlecht?"],
        ["salaire", "niveau d'études", "éducation des parents", "sexe?"],
        ["salario", "nivel educativo", "educación de los padres", "sexo?"],
    ],
    ids=["English", "German", "French", "Spanish"],
)
def test_four_languages_suggest_the_same(names):
    wage, schooling, parents, sex = (name.removesuffix("?") for name in names)
    in_order = [sex, parents, schooling, wage]
    assert order_of(*names) == {(a, b) for place, a in enumerate(in_order) for b in in_order[place + 1 :]}


def test_years_in_names_order_columns_and_a_treatment_lies_between():
    pairs = order_of("re78", "re74", "re75", "treat?", "u")
    assert {("re74", "re75"), ("re75", "re78"), ("re74", "treat"), ("treat", "re78")} <= pairs
    assert not any("u" in pair for pair in pairs)
    assert {("treat", "re75"), ("re75", "treat")}.isdisjoint(pairs)


def test_a_change_since_an_earlier_year_is_of_the_later_year():
    assert order_of("wt82_71", "wt71", "wt82") == {("wt71", "wt82"), ("wt71", "wt82_71")}


@pytest.mark.parametrize(
    "names", [("kids6", "kids18"), ("item1", "item2"), ("x71", "y82"), ("pm10", "co2"), ("momdad14", "step14")]
)
def test_other_numbers_are_no_years(names):
    assert not order_of(*names)


def test_waves_words_and_what_is_measured_late():
    assert order_of("sbp_2", "sbp_1", "sbp_3") == {("sbp_1", "sbp_2"), ("sbp_1", "sbp_3"), ("sbp_2", "sbp_3")}
    assert order_of("score_post", "score_pre") == {("score_pre", "score_post")}
    # Smoking acts on blood pressure, but not on that of another time.
    assert ("smoking_post", "sbp") not in order_of("smoking_post", "sbp")
    assert ("smoking", "sbp_post") in order_of("smoking", "sbp_post")


def test_a_lag_comes_before_its_own_column():
    series = np.random.default_rng(0).normal(size=61)
    table = pd.DataFrame({"gap": series[1:], "gap_1": series[:-1]})
    assert fipscm.suggest(table).knowledge.tiers == (("gap_1",), ("gap",))
    assert not fipscm.suggest(table.sample(frac=1, random_state=0)).facts


def test_a_death_is_last_unless_something_follows_it():
    assert fipscm.suggest(table_of("died?", "u", "v")).knowledge.leaves == ("died",)
    assert not fipscm.suggest(table_of("died?", "u", "cause of death?")).knowledge.leaves


def test_a_price_is_last_among_the_things_it_is_of_but_causes_sales():
    assert fipscm.suggest(table_of("price", "bedrooms", "u")).knowledge.leaves == ("price",)
    assert ("price", "sales") in order_of("price", "sales", "bedrooms")


def test_columns_that_are_no_variables_are_not_spoken_of():
    table = table_of("sex?", "wage", "age").assign(race="same", id=range(40))
    assert {*fipscm.suggest(table).names} == {"sex", "wage", "age"}


def test_suggestions_are_saved_read_shown_and_added(tmp_path):
    found = fipscm.suggest(table_of("wage", "schooling", "female?", "u"))
    found.save(tmp_path / "knowledge.toml")
    text = (tmp_path / "knowledge.toml").read_text()
    assert text == found.toml
    assert text.startswith("# What the names")
    assert Knowledge.load(tmp_path / "knowledge.toml") == found.knowledge
    assert list(found.table.columns) == ["kind", "columns", "reason"]
    assert len(found.table) == len(found.facts) == 2
    assert "schooling before wage: Schooling comes before the job" in str(found)
    assert found.hint == "female comes first and wage last"
    known, dropped = found.added_to(Knowledge(required_edges=[("wage", "schooling")]))
    assert known.roots == ("female",)
    assert [fact.kind for fact in dropped] == ["tiers"]


def test_a_model_takes_them():
    table = table_of("wage", "schooling", "female?")
    order = fipscm.infer_order(table, knowledge=fipscm.suggest(table).knowledge)
    assert order == ["female", "schooling", "wage"]


def test_what_was_measured_before_is_no_effect_of_what_comes_after_it():
    found = order_of("priorGPA", "prevGPA", "attendance", "termGPA")
    assert ("attendance", "termGPA") in found
    assert not {("attendance", "priorGPA"), ("attendance", "prevGPA")} & found
