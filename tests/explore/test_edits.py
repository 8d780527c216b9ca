"""Edits: what the expert says holds in the graph at once, and nonsense is refused with its cycle."""

from itertools import pairwise

import networkx as nx
import pytest

from fipscm.errors import KnowledgeError, UnknownNameError
from fipscm.explore.edits import Changes, CycleError, Edits, imported
from fipscm.knowledge import Knowledge

CHAIN = nx.DiGraph([("a", "b"), ("b", "c")])


def test_edges_appear_and_vanish_as_told():
    edits = Edits(Knowledge(required_edges=[("a", "c")], forbidden_edges=[("b", "c")]))
    assert set(edits.applied_to(CHAIN).edges) == {("a", "b"), ("a", "c")}


def test_tiers_rule_out_edges_backwards():
    edits = Edits(Knowledge(tiers=[["b"], ["a"]]))
    assert set(edits.applied_to(CHAIN).edges) == {("b", "c")}


@pytest.mark.parametrize(
    "knowledge",
    [
        Knowledge(required_edges=[("c", "a")]),  # with the edges found
        Knowledge(required_edges=[("a", "c"), ("c", "a")]),  # on their own
        Knowledge(required_edges=[("a", "a")]),
    ],
)
def test_a_cycle_is_shown(knowledge):
    with pytest.raises(CycleError, match="→") as refused:
        Edits(knowledge).require_consistent(CHAIN)
    cycle = refused.value.cycle
    assert cycle[0] == cycle[-1]
    known = set(CHAIN.edges) | set(knowledge.required_edges)
    assert all(edge in known for edge in pairwise(cycle))


def test_an_open_edge_closes_no_cycle_and_gets_a_direction_from_the_edits():
    unsure = nx.DiGraph()
    unsure.add_edges_from(CHAIN.edges, directed=False)
    turned = Edits(Knowledge(required_edges=[("c", "a")]))
    turned.require_consistent(unsure)  # a refit turns one of the others
    assert dict(turned.applied_to(unsure).edges)["c", "a"]["directed"]
    assert not turned.applied_to(unsure).edges["a", "b"]["directed"]
    assert Edits(Knowledge(forbidden_edges=[("b", "a")])).applied_to(unsure).edges["a", "b"]["directed"]
    with pytest.raises(CycleError):
        turned.require_consistent(CHAIN)


def test_an_imported_open_edge_is_neither_required_nor_forbidden():
    given = nx.DiGraph()
    given.add_edge("b", "a", directed=False)
    edits = imported(given, [], CHAIN)
    assert edits.knowledge.required_edges == ()
    assert edits.knowledge.forbidden_edges == (("b", "c"),)


def test_an_edge_can_be_turned_where_no_other_way_leads():
    Edits(Knowledge(required_edges=[("b", "a")], forbidden_edges=[("a", "b")])).require_consistent(CHAIN)


@pytest.mark.parametrize(
    ("edits", "error"),
    [
        (Edits(Knowledge(required_edges=[("a", "b")], forbidden_edges=[("a", "b")])), KnowledgeError),
        (Edits(Knowledge(required_edges=[("a", "z")])), UnknownNameError),
        (Edits(hidden=(("a", "z"),)), UnknownNameError),
        (Edits(hidden=(("a", "a"),)), KnowledgeError),
    ],
)
def test_contradictions_and_strangers_are_refused(edits, error):
    with pytest.raises(error):
        edits.require_consistent(CHAIN)


def test_a_given_order_changes_only_where_it_must():
    edits = Edits(Knowledge(required_edges=[("d", "a")]))
    graph = nx.DiGraph()
    graph.add_nodes_from("abcd")
    assert edits.order_like(list("abcd"), graph) == list("bcda")
    assert Edits().order_like(list("abcd"), graph) == list("abcd")
    assert Edits(Knowledge(tiers=[["c"], ["b"]])).order_like(list("abcd"), graph) == list("acbd")


def test_an_imported_graph_is_the_graph():
    wanted = nx.DiGraph([("c", "a")])
    edits = imported(wanted, [("b", "c")], CHAIN)
    edits.require_consistent(CHAIN)
    assert set(edits.applied_to(CHAIN).edges) == {("c", "a")}
    assert edits.hidden == (("b", "c"),)


def test_every_difference_has_one_kind():
    found = Changes.between([("a", "b"), ("b", "c"), ("x", "y")], [("b", "a"), ("a", "c"), ("x", "y")])
    assert found == Changes(gone=(("b", "c"),), new=(("a", "c"),), turned=(("b", "a"),))
