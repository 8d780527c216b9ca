import networkx as nx
import numpy as np
import pandas as pd
import pytest

from fipscm.constraints import Constraints
from fipscm.errors import GraphError, KnowledgeError
from fipscm.graph import adjacency_from_allowed
from fipscm.knowledge import Knowledge

NAMES = ["age", "dose", "pain"]


def test_a_root_may_stand_anywhere_in_an_order_given():
    given = Constraints(order=NAMES, knowledge=Knowledge(roots=["dose"]))
    order = given.given_order(NAMES)
    np.testing.assert_array_equal(order, [0, 1, 2])
    np.testing.assert_array_equal(
        adjacency_from_allowed(given.allowed(order, NAMES)), [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    )


def test_an_order_against_a_required_edge_or_a_tier_is_refused():
    for known in (Knowledge(required_edges=[("pain", "age")]), Knowledge(tiers=[["pain"], ["age"]])):
        with pytest.raises(KnowledgeError, match="puts 'pain' before 'age'"):
            Constraints(order=NAMES, knowledge=known).given_order(NAMES)


CHAIN = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
TABLE = pd.DataFrame(CHAIN, NAMES, NAMES)


@pytest.mark.parametrize(
    "graph",
    [
        CHAIN,
        TABLE,
        TABLE.loc[["pain", "age", "dose"], ["dose", "pain", "age"]],
        TABLE.astype(bool),
        nx.DiGraph([("age", "dose"), ("dose", "pain")]),
        nx.MultiDiGraph([("age", "dose"), ("age", "dose"), ("dose", "pain")]),
    ],
)
def test_a_graph_is_the_same_in_every_form(graph):
    np.testing.assert_array_equal(Constraints(graph=graph).given_graph(NAMES), CHAIN)


def test_variables_that_a_named_graph_leaves_out_are_isolated():
    part = TABLE.loc[["age", "dose"], ["age", "dose"]]
    np.testing.assert_array_equal(Constraints(graph=part).given_graph(NAMES), [[0, 1, 0], [0, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (TABLE * 0.3, "threshold the scores first"),
        (TABLE.to_numpy() * 0.3, "threshold the scores first"),
        (TABLE.reset_index(drop=True), r"rows are called 0, 1, 2, but its columns age, dose, pain.*graph\.index ="),
        (TABLE.iloc[:2], "rows are called age, dose, but its columns age, dose, pain"),
        (TABLE.iloc[[0, 0, 1, 2]], "rows are called age, age, dose, pain"),
        (TABLE.rename(index={"age": "z"}, columns={"age": "z"}), "node 'z' that is not a variable"),
        (TABLE + TABLE.T, "cycle: age -> dose -> age"),
        (nx.Graph([("age", "dose")]), "undirected.*DiGraph"),
        ("age -> dose", r"square, but this one has shape \(\)"),
    ],
)
def test_what_is_not_a_causal_graph_is_refused(graph, message):
    with pytest.raises(GraphError, match=message):
        Constraints(graph=graph).given_graph(NAMES)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, set()),
        ({"order": np.array(["a", "b"])}, {"a", "b"}),
        ({"graph": nx.DiGraph([("a", "b")])}, {"a", "b"}),
        ({"graph": pd.DataFrame(np.zeros((2, 2)), ["b", "c"], ["b", "c"])}, {"b", "c"}),
        ({"graph": np.zeros((3, 3))}, {"a", "b", "c"}),
        ({"knowledge": Knowledge(tiers=[["a"], ["b"]])}, {"a", "b"}),
        ({"knowledge": Knowledge(required_edges=[("a", "b")], leaves=["c"])}, {"a", "b", "c"}),
    ],
)
def test_the_columns_that_the_user_speaks_of(given, named):
    assert Constraints(**given).named(["a", "b", "c"]) == named
