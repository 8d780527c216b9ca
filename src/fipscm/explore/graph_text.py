"""Causal graphs as text: DAGitty, GraphViz's DOT and GML, written and read.

A hidden common cause of two columns is `a <-> b` in DAGitty, an edge with `dir=both` in DOT, and in GML, which has no
such edge, a node of its own that is marked `hidden`. An edge whose direction is open, which is not `directed` in the
graph, is `a -- b` in DAGitty, whose graph is then a `pdag`; `dir=none` in DOT; and in GML it is marked `open`.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import networkx as nx

from fipscm import dot
from fipscm.dot import quoted
from fipscm.errors import GraphError
from fipscm.knowledge import Edge

Hidden = Iterable[Edge]
# Comments, then quoted names, arrows, signs and plain names.
# What is opened and never closed goes on to the end: no part of a text is looked at twice.
_TOKEN = re.compile(
    r'//[^\n]*|/\*(?:.*?\*/|.*)|"((?:[^"\\]|\\.)*)(?:"|\\?$)|(<->|->|<-|--)|([{}\[\];,=])'
    r'|([^\s{}\[\];,="<>]+?(?=--|->|[\s{}\[\];,="<>]|$))|(\S)',
    re.DOTALL,
)
_KEYWORDS = ("node", "edge", "graph", "subgraph")


def to_dagitty(graph: nx.DiGraph, hidden: Hidden) -> str:
    """The text that dagitty.net takes."""
    lines = [f"  {quoted(name)}" for name in graph]
    edges = list(graph.edges(data="directed", default=True))
    lines += [f"  {quoted(cause)} {'->' if stands else '--'} {quoted(effect)}" for cause, effect, stands in edges]
    lines += [f"  {quoted(one)} <-> {quoted(other)}" for one, other in hidden]
    kind = "dag" if all(stands for *_, stands in edges) else "pdag"
    return "\n".join([f"{kind} {{", *lines, "}", ""])


def to_dot(graph: nx.DiGraph, hidden: Hidden) -> str:
    """The text that GraphViz takes."""
    arcs = [f"  {quoted(one)} -> {quoted(other)} [dir=both, style=dashed];" for one, other in hidden]
    return "\n".join([*dot.to_dot(graph).removesuffix("}\n").splitlines(), *arcs, "}", ""])


def to_gml(graph: nx.DiGraph, hidden: Hidden) -> str:
    """The text that most graph programs take."""
    complete = nx.DiGraph()
    complete.add_nodes_from(map(str, graph))
    for cause, effect, stands in graph.edges(data="directed", default=True):
        complete.add_edge(str(cause), str(effect), **({} if stands else {"open": 1}))
    for one, other in hidden:
        name = f"hidden cause of {one} and {other}"
        complete.add_node(name, hidden=1)
        complete.add_edges_from([(name, str(one)), (name, str(other))])
    return "\n".join([*nx.generate_gml(complete), ""])


WRITERS: dict[str, Callable[[nx.DiGraph, Hidden], str]] = {"dagitty": to_dagitty, "dot": to_dot, "gml": to_gml}


def read_graph(text: str) -> tuple[nx.DiGraph, list[tuple[str, str]]]:
    """Return the graph and the pairs with a hidden common cause, whichever of the three formats it is.

    Every edge says whether it is `directed`; the others are open.

    >>> graph, hidden = read_graph('dag { age -> dose -> pain; "age" <-> pain }')
    >>> list(graph.edges), hidden
    ([('age', 'dose'), ('dose', 'pain')], [('age', 'pain')])
    """
    if re.match(r"\s*(#[^\n]*\s*|Creator[^\n]*\s*|Version[^\n]*\s*)*graph\s*\[", text):
        return _read_gml(text)
    return _Reader.of(text).read()


def _read_gml(text: str) -> tuple[nx.DiGraph, list[tuple[str, str]]]:
    try:
        parsed = nx.parse_gml(text)
    except Exception as error:  # its parser takes for granted that nodes and edges are what they should be
        reason = str(error).strip().splitlines()[0] if str(error).strip() else "it is nested too deeply"
        raise GraphError(f"The text looks like GML, but cannot be read ({reason}): check it, or use DAGitty.") from None
    if not parsed.is_directed():
        raise GraphError("The graph is undirected, so it does not tell causes from effects: write `directed 1` in it.")
    latent = [name for name, facts in parsed.nodes(data=True) if facts.get("hidden") == 1]
    effects = [list(parsed.successors(name)) for name in latent]
    if any(len(pair) != 2 for pair in effects):
        raise GraphError("A node that is marked `hidden` has other than two effects: give it exactly two.")
    graph = nx.DiGraph()
    for cause, effect, facts in parsed.subgraph([name for name in parsed if name not in latent]).edges(data=True):
        graph.add_edge(cause, effect, directed=facts.get("open") != 1)
    graph.add_nodes_from(name for name in parsed if name not in latent)
    return graph, [(one, other) for one, other in effects]


@dataclass
class _Reader:
    """DAGitty and DOT share their grammar: statements in braces, each a name, a chain of arrows or a setting."""

    tokens: list[tuple[str, bool]]  # the text, and whether it is a name
    place: int = 0
    is_partial: bool = False  # a pdag, whose edges may be open

    @classmethod
    def of(cls, text: str) -> "_Reader":
        return cls(list(_tokens(text)))

    def read(self) -> tuple[nx.DiGraph, list[tuple[str, str]]]:
        """Read the one graph of the text."""
        opening = next((at for at, (text, name) in enumerate(self.tokens) if text == "{" and not name), None)
        if opening is None:
            raise GraphError("The text holds no graph: write dag { cause -> effect }, or paste DOT or GML.")
        self.place, self.is_partial = opening + 1, ("pdag", True) in self.tokens[:opening]
        graph: nx.DiGraph = nx.DiGraph()
        hidden: list[tuple[str, str]] = []
        while not self._take("}"):
            if self._take(";") or self._take(","):
                continue
            name = self._name()
            if self._take("="):
                self._name()
            elif name in _KEYWORDS and self._sees("["):
                self._settings()
            else:
                self._chain(name, graph, hidden)
        return graph, hidden

    def _chain(self, name: str, graph: nx.DiGraph, hidden: list[tuple[str, str]]) -> None:
        graph.add_node(name)
        steps: list[tuple[str, str, str]] = []
        while self._sees("->", "<-", "<->", "--"):
            arrow, following = self._next(), self._name()
            graph.add_node(following)
            steps.append((name, arrow, following))
            name = following
        ends = self._settings().get("dir")
        for left, arrow, right in steps:
            if arrow == "--" and not self.is_partial:
                raise GraphError(f"The edge '{left} -- {right}' has no direction: write -> from cause to effect.")
            if arrow == "<->" or ends == "both":
                hidden.append((left, right))
            else:
                is_open = arrow == "--" or ends == "none"
                graph.add_edge(*((right, left) if arrow == "<-" else (left, right)), directed=not is_open)

    def _settings(self) -> dict[str, str]:
        """What stands in brackets, if anything does."""
        found: dict[str, str] = {}
        while self._take("["):
            while not self._take("]"):
                if self._take(",") or self._take(";"):
                    continue
                key = self._name()
                found[key] = self._name() if self._take("=") else ""
        return found

    def _sees(self, *signs: str) -> bool:
        return self.place < len(self.tokens) and self.tokens[self.place] in [(sign, False) for sign in signs]

    def _take(self, sign: str) -> bool:
        if self.place >= len(self.tokens):
            raise GraphError("The text ends before the graph does: a closing } or ] is missing.")
        seen = self._sees(sign)
        self.place += seen
        return seen

    def _next(self) -> str:
        self.place += 1
        return self.tokens[self.place - 1][0]

    def _name(self) -> str:
        if self.place < len(self.tokens) and self.tokens[self.place][1]:
            return self._next()
        found = f"'{self.tokens[self.place][0]}'" if self.place < len(self.tokens) else "the end"
        raise GraphError(f"The text has {found} where a column's name should stand: put names with signs in quotes.")


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    for match in _TOKEN.finditer(text):
        inside, arrow, sign, plain, other = match.groups()
        if inside is not None:
            yield _unescaped(inside), True
        elif plain is not None:
            yield plain, True
        elif arrow or sign or other:
            yield arrow or sign or other, False


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text, flags=re.S)
