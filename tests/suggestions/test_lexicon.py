"""The lexicon is consistent, and reads names in four languages."""

import networkx as nx
import pytest

from fipscm.suggestions.lexicon import ANY, LANGUAGES, concept_graph, lexicon
from fipscm.suggestions.words import spellings
from fipscm.tables.kinds import KINDS

BOOK = lexicon()


def test_no_word_belongs_to_two_concepts():
    owners = {}
    for concept in BOOK.concepts.values():
        for each in (spelling for words in concept.words.values() for word in words for spelling in spellings(word)):
            assert owners.setdefault(each, concept.name) == concept.name, each


@pytest.mark.parametrize("concept", BOOK.concepts.values(), ids=lambda concept: concept.name)
def test_every_concept_has_words_in_all_languages_and_is_used(concept):
    assert tuple(concept.words) == LANGUAGES
    assert all(concept.words.values())
    assert concept.meaning
    assert concept.why or not (concept.root or concept.leaf or concept.leaf_in)
    assert {*concept.kinds} <= {*KINDS}
    assert {*concept.leaf_in, *concept.not_leaf_in} <= BOOK.concepts.keys()
    used = any(concept.name in stage for chain in BOOK.chains for stage in chain.stages)
    assert used != concept.root


def test_chains_name_concepts_have_reasons_and_close_no_cycle():
    for chain in BOOK.chains:
        named = {concept for stage in chain.stages for concept in stage}
        assert chain.why.endswith(".")
        assert named - {ANY} <= BOOK.concepts.keys()
        assert {*chain.needs} <= named
    assert nx.is_directed_acyclic_graph(concept_graph(BOOK.chains))


@pytest.mark.parametrize(
    ("name", "kind", "concept"),
    [
        ("Sex", "binary", "sex"),
        ("gender_of_respondent", "categorical", "sex"),
        ("AgeGroup", "ordinal", "age"),
        ("agesq", "continuous", "age"),
        ("mothereduc", "count", "parents"),
        ("Mother's education", "count", "parents"),
        ("mother_age", "count", "age"),
        ("logSalary", "continuous", "earnings"),
        ("hoursPerWeek", "count", "hours"),
        ("birth_weight", "continuous", "birth_weight"),
        ("Geschlecht", "binary", "sex"),
        ("Körpergröße", "continuous", "height"),
        ("koerpergewicht", "continuous", "weight"),
        ("Bruttomonatslohn", "continuous", "earnings"),
        ("Wohnungspreis", "continuous", "price"),
        ("âge", "continuous", "age"),
        ("niveau d'études", "ordinal", "education"),
        ("revenu_mensuel", "continuous", "earnings"),
        ("salaire", "continuous", "earnings"),
        ("Año", "count", "calendar"),
        ("nivel_educativo", "ordinal", "education"),
        ("peso al nacer", "continuous", "birth_weight"),
        # Names that only look as if.
        ("race", "continuous", None),
        ("average", "continuous", None),
        ("mileage", "continuous", None),
        ("age_at_death", "continuous", None),
        ("state_of_health", "categorical", None),
        ("male_unemployment", "continuous", "hours"),
        ("sex_partners", "count", None),
        ("time", "continuous", None),
        ("wage_gap", "continuous", None),
        ("years", "count", None),
        ("x1", "continuous", None),
        ("", "continuous", None),
    ],
)
def test_names_are_read(name, kind, concept):
    found = BOOK.read(name, kind).concept
    assert (found and found.name) == concept


@pytest.mark.parametrize("word", ["educ", "gehalt", "loyer", "precio"])
def test_a_name_of_words_and_numbers_is_read_without_the_numbers(word):
    kind = "continuous"
    assert BOOK.read(f"{word}_2", kind).concept == BOOK.read(word, kind).concept is not None
