import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fipscm.errors import GraphError, OrderError
from fipscm.graph import (
    adjacency_from_allowed,
    allowed_from_adjacency,
    allowed_from_order,
    as_adjacency,
    descendants,
    find_cycle,
    from_networkx,
    is_order_of,
    leaves,
    order_positions,
    relabel,
    remaining_after_leaf_removal,
    remove_node,
    to_networkx,
    topological_order,
)

NAMES = ["a", "b", "c", "d", "e", "f"]


@st.composite
def dags(draw, most=6):
    nodes = draw(st.integers(1, most))
    edges = np.tril(draw(arrays(np.int8, (nodes, nodes), elements=st.integers(0, 1))), -1)
    return relabel(edges, draw(st.permutations(range(nodes))))


@given(dags())
def test_topological_order_puts_every_cause_first(adjacency):
    assert is_order_of(topological_order(adjacency), adjacency)


@given(dags(most=4))
def test_is_order_of_agrees_with_a_look_at_every_edge(adjacency):
    for order in itertools.permutations(range(len(adjacency))):
        forward = all(order.index(cause) < order.index(effect) for cause, effect in np.argwhere(adjacency))
        assert is_order_of(order, adjacency) == forward


@given(dags())
def test_networkx_round_trip_keeps_the_graph(adjacency):
    names = NAMES[: len(adjacency)]
    np.testing.assert_array_equal(from_networkx(to_networkx(adjacency, names), names), adjacency)


@given(dags())
def test_effect_and_cause_views_are_each_others_inverse(adjacency):
    np.testing.assert_array_equal(adjacency_from_allowed(allowed_from_adjacency(adjacency)), adjacency)


@given(dags())
def test_descendants_are_those_of_networkx(adjacency):
    graph = nx.from_numpy_array(adjacency, create_using=nx.DiGraph)
    expected = [[j in nx.descendants(graph, i) for j in graph] for i in graph]
    np.testing.assert_array_equal(descendants(adjacency), expected)


@given(dags(), st.integers(0, 2**32), st.data())
def test_removing_leaves_keeps_every_cause_of_what_remains(adjacency, seed, data):
    count = data.draw(st.integers(0, len(adjacency) - 1))
    kept = remaining_after_leaf_removal(adjacency, count, np.random.default_rng(seed))
    assert len(kept) == len(adjacency) - count
    gone = np.setdiff1d(np.arange(len(adjacency)), kept)
    assert not adjacency[np.ix_(gone, kept)].any()


@given(dags())
def test_removing_a_leaf_leaves_the_other_edges(adjacency):
    leaf = int(np.flatnonzero(leaves(adjacency))[0])
    smaller = remove_node(adjacency, leaf)
    assert smaller.sum() == adjacency.sum() - adjacency[:, leaf].sum()


def test_a_mask_from_an_order_is_strictly_triangular_in_that_order():
    order = np.array([2, 0, 1])
    np.testing.assert_array_equal(allowed_from_order(order)[np.ix_(order, order)], np.tri(3, k=-1, dtype=bool))


def test_a_cycle_is_named():
    cyclic = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert find_cycle(cyclic) == [0, 1, 2, 0]
    with pytest.raises(GraphError, match=r"cycle: age -> dose -> pain -> age.*remove or reverse"):
        as_adjacency(cyclic, ["age", "dose", "pain"])


def test_a_self_loop_is_a_cycle():
    with pytest.raises(GraphError, match="cycle: 0 -> 0"):
        as_adjacency([[1]])


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((0, 0)), "no nodes"),
        (np.zeros((2, 3)), r"square.*\(2, 3\)"),
        ([[0, 0.5], [0, 0]], "only 0 and 1"),
    ],
)
def test_what_is_not_an_adjacency_matrix_is_refused(matrix, message):
    with pytest.raises(GraphError, match=message):
        as_adjacency(matrix)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["a", "b"], "leaves out 'c'"),
        (["a", "b", "b", "c"], "repeats 'b'"),
        (["a", "b", "z"], "names 'z'.*a, b, c"),
        ([], "leaves out 'a'"),
        ("abc", "a list of all variables, causes first, not 'abc'"),
        ({"a", "b", "c"}, "a list of all variables"),
        (3, "a list of all variables, causes first, not 3"),
    ],
)
def test_an_order_that_is_not_a_permutation_is_refused(order, message):
    with pytest.raises(OrderError, match=message):
        order_positions(order, ["a", "b", "c"])


@pytest.mark.parametrize("order", [("b", "a"), np.array(["b", "a"]), pd.Index(["b", "a"]), np.array([1, 0])])
def test_an_order_may_come_in_any_sequence(order):
    np.testing.assert_array_equal(order_positions(order, ["a", "b"]), [1, 0])


def test_a_graph_over_unknown_variables_is_refused():
    with pytest.raises(GraphError, match="node 'z'"):
        from_networkx(nx.DiGraph([("a", "z")]), ["a", "b"])


def test_nothing_is_mutated(rng):
    adjacency = np.tril(np.ones((5, 5), dtype=np.int8), -1)
    before = adjacency.copy()
    topological_order(adjacency)
    descendants(adjacency)
    remaining_after_leaf_removal(adjacency, 3, rng)
    np.testing.assert_array_equal(adjacency, before)
