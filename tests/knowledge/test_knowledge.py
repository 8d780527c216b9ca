from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fipscm.errors import KnowledgeError, UnknownNameError
from fipscm.graph import find_cycle
from fipscm.knowledge import Knowledge

NAMES = ["a", "b", "c", "d"]


def edges_of(mask):
    return {(NAMES[cause], NAMES[effect]) for effect, cause in np.argwhere(mask)}


def test_no_knowledge_allows_every_edge_and_demands_nothing():
    known = Knowledge()
    assert known.allowed(NAMES).sum() == 12
    assert not known.precedence(NAMES).any()
    assert not known.required(NAMES).any()


def test_each_kind_of_knowledge_takes_away_exactly_its_edges():
    everything = edges_of(Knowledge().allowed(NAMES))
    for known, gone in (
        (Knowledge(required_edges=[("a", "b")]), {("b", "a")}),
        (Knowledge(forbidden_edges=[("a", "b")]), {("a", "b")}),
        (Knowledge(tiers=[["a"], ["b", "c"]]), {("b", "a"), ("c", "a")}),
        (Knowledge(roots=["a"]), {("b", "a"), ("c", "a"), ("d", "a")}),
        (Knowledge(randomised=["a"]), {("b", "a"), ("c", "a"), ("d", "a")}),
        (Knowledge(leaves=["a"]), {("a", "b"), ("a", "c"), ("a", "d")}),
    ):
        assert everything - edges_of(known.allowed(NAMES)) == gone


def test_tiers_reach_over_tiers_in_between():
    allowed = edges_of(Knowledge(tiers=[["a"], ["b"], ["c"]]).allowed(NAMES))
    assert ("c", "a") not in allowed
    assert ("a", "c") in allowed


def test_precedence_follows_required_edges_tiers_roots_and_leaves():
    before = Knowledge(required_edges=[("a", "b")], tiers=[["b"], ["c"]], leaves=["d"]).precedence(NAMES)
    expected = {("a", "b"), ("b", "c"), ("a", "d"), ("b", "d"), ("c", "d")}
    assert {(NAMES[i], NAMES[j]) for i, j in np.argwhere(before)} == expected
    assert Knowledge(roots=["a", "b"]).precedence(NAMES).sum() == 4


def test_only_required_edges_and_tiers_ask_every_order_for_something():
    known = Knowledge(required_edges=[("a", "b")], tiers=[["b"], ["c"]], roots=["a"], leaves=["d"])
    assert {(NAMES[i], NAMES[j]) for i, j in np.argwhere(known.must_precede(NAMES))} == {("a", "b"), ("b", "c")}


def test_a_root_in_a_late_tier_stands_first_among_those_it_may():
    randomised = Knowledge(tiers=[["a"], ["b", "c"]], roots=["b"])
    before = {(NAMES[i], NAMES[j]) for i, j in np.argwhere(randomised.precedence(NAMES))}
    assert before == {("a", "b"), ("a", "c"), ("b", "c"), ("b", "d")}
    early = Knowledge(tiers=[["a", "b"], ["c"]], leaves=["a"])
    before = {(NAMES[i], NAMES[j]) for i, j in np.argwhere(early.precedence(NAMES))}
    assert before == {("a", "c"), ("b", "c"), ("b", "a"), ("d", "a")}


def test_a_variable_without_causes_and_effects_has_no_edges_and_no_place():
    alone = Knowledge(roots=["a"], leaves=["a"])
    assert not alone.precedence(NAMES).any()
    assert not any("a" in edge for edge in edges_of(alone.allowed(NAMES)))


@given(st.data())
def test_knowledge_that_is_consistent_always_has_an_order(data):
    tier = data.draw(st.lists(st.integers(0, 4), min_size=6, max_size=6))
    names = list("abcdef")
    known = Knowledge(
        required_edges=data.draw(st.lists(st.sampled_from(list(combinations(names, 2))), max_size=3)),
        tiers=[[name for name, place in zip(names, tier, strict=True) if place == number] for number in range(4)],
        roots=data.draw(st.sets(st.sampled_from(names))),
        leaves=data.draw(st.sets(st.sampled_from(names))),
    )
    try:
        known.allowed(names)
    except KnowledgeError:
        with pytest.raises(KnowledgeError):
            known.precedence(names)
    else:
        assert find_cycle(known.precedence(names)) is None
        assert not (known.must_precede(names) & ~known.precedence(names)).any()


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"required_edges": [("a", "b"), ("b", "c"), ("c", "a")]}, "a before b before c before a"),
        ({"required_edges": [("b", "a")], "tiers": [["a"], ["b"]]}, "(a before b before a|b before a before b)"),
        ({"required_edges": [("b", "a")], "roots": ["a"]}, "'b' -> 'a' is required"),
        ({"required_edges": [("a", "b")], "forbidden_edges": [("a", "b")]}, "'a' -> 'b' is required"),
        ({"required_edges": [("a", "b")], "roots": ["a", "b"]}, "'a' -> 'b' is required"),
        ({"required_edges": [("a", "b")], "leaves": ["a", "b"]}, "'a' -> 'b' is required"),
        ({"required_edges": [("a", "a")]}, "a before a"),
    ],
)
def test_contradictions_are_named(known, message):
    for ask in (Knowledge(**known).allowed, Knowledge(**known).precedence):
        with pytest.raises(KnowledgeError, match=message):
            ask(NAMES)


def test_one_variable_in_two_tiers_is_refused():
    with pytest.raises(KnowledgeError, match="'a' stands in two tiers"):
        Knowledge(tiers=[["a"], ["a", "b"]])


@pytest.mark.parametrize("known", [{"roots": ["z"]}, {"tiers": [["z"]]}, {"forbidden_edges": [("a", "z")]}])
def test_unknown_variables_are_refused(known):
    with pytest.raises(UnknownNameError, match="'z'"):
        Knowledge(**known).allowed(NAMES)
