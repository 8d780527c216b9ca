import numpy as np
import pytest

from fipscm.errors import KnowledgeError, UnknownNameError
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


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"required_edges": [("a", "b"), ("b", "c"), ("c", "a")]}, "a before b before c before a"),
        ({"required_edges": [("b", "a")], "tiers": [["a"], ["b"]]}, "(a before b before a|b before a before b)"),
        ({"required_edges": [("b", "a")], "roots": ["a"]}, "before"),
        ({"required_edges": [("a", "b")], "forbidden_edges": [("a", "b")]}, "'a' -> 'b' is required"),
        ({"required_edges": [("a", "b")], "roots": ["a", "b"]}, "'a' -> 'b' is required"),
        ({"required_edges": [("a", "b")], "leaves": ["a", "b"]}, "'a' -> 'b' is required"),
        ({"required_edges": [("a", "a")]}, "a before a"),
    ],
)
def test_contradictions_are_named(known, message):
    with pytest.raises(KnowledgeError, match=message):
        Knowledge(**known).allowed(NAMES)


def test_one_variable_in_two_tiers_is_refused():
    with pytest.raises(KnowledgeError, match="'a' stands in two tiers"):
        Knowledge(tiers=[["a"], ["a", "b"]])


@pytest.mark.parametrize("known", [{"roots": ["z"]}, {"tiers": [["z"]]}, {"forbidden_edges": [("a", "z")]}])
def test_unknown_variables_are_refused(known):
    with pytest.raises(UnknownNameError, match="'z'"):
        Knowledge(**known).allowed(NAMES)
