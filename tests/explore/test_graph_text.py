"""Graphs as text: what is written is read back, in every format and with any name."""

from itertools import pairwise

import networkx as nx
import pytest

from fipscm.errors import GraphError
from fipscm.explore.graph_text import WRITERS, read_graph

NAMES = (
    "plain",
    "two words",
    'a "quoted" one',
    "back\\slash",
    "dose->pain",
    "größe 量",
    "<b>&amp;</b>",
    "{}[];,=",
    "node",
)


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS.keys())
def test_every_graph_survives_every_format(writer):
    graph = nx.DiGraph()
    graph.add_nodes_from((*NAMES, "alone"))
    graph.add_edges_from(pairwise(NAMES))
    read, hidden = read_graph(writer(graph, [("plain", "alone")]))
    assert list(read.edges) == list(graph.edges)
    assert set(read) == set(graph)
    assert hidden == [("plain", "alone")]


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS.keys())
def test_open_edges_stay_open_and_have_no_head(writer):
    graph = nx.DiGraph()
    graph.add_edge("age", "dose", directed=True)
    graph.add_edge("dose", "pain", directed=False)
    text = writer(graph, [])
    assert dict(read_graph(text)[0].edges) == dict(graph.edges)
    (line,) = [line for line in text.splitlines() if '"dose"' in line and '"pain"' in line] or [""]
    assert "->" not in line or "dir=" in line


def test_what_other_programs_write_is_read():
    dagitty = 'dag {\nbb="0,0,1,1"\nage [exposure,pos="0.1,0.2"]\n"my pain" [outcome]\nage -> "my pain"\nU <- age\n}'
    dot = "strict digraph G { graph [rankdir=LR]; node [shape=box]\n // causes\n a -> b -> c [weight=2.5]; d }"
    gml = 'Creator "x"\ngraph [ directed 1 node [ id 0 label "a" ] node [ id 1 label "b" ] edge [ source 0 target 1 ] ]'
    assert list(read_graph(dagitty)[0].edges) == [("age", "my pain"), ("age", "U")]
    assert list(read_graph(dot)[0].edges) == [("a", "b"), ("b", "c")]
    assert list(read_graph(gml)[0].edges) == [("a", "b")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hello", "no graph"),
        ("dag { a -> b", "ends before"),
        ("dag { a -> }", "name should stand"),
        ("dag { a -- b }", "no direction"),
        ("digraph { subgraph { a -> b } }", "name should stand"),
        ("graph [ node [ id 0", "GML"),
        ('graph [ node [ id 0 label "a" ] ]', "undirected"),
        ("graph [" * 5_000, "GML"),
    ],
)
def test_what_is_no_graph_is_refused_in_words(text, says):
    with pytest.raises(GraphError, match=says):
        read_graph(text)


@pytest.mark.parametrize("text", ["dag {" + '"\\' * 100_000, "dag {" + "/*" * 100_000, "dag {" + "a" * 200_000])
def test_hostile_text_is_refused(text):
    with pytest.raises(GraphError):
        read_graph(text)


MALFORMED = ["edge 7", "node 5", "node [ id [ ] ]", "node [ id 1 label [ ] ]", "edge [ source 1 ]"]


@pytest.mark.parametrize("inside", MALFORMED)
def test_gml_whose_parts_are_not_what_they_should_be_is_one_sentence(inside):
    with pytest.raises(GraphError, match="looks like GML, but cannot be read"):
        read_graph(f"graph [ directed 1 {inside} ]")
