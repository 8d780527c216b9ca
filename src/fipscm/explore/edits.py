"""What an expert has said about the graph on the screen, and what a refit made of it."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

import networkx as nx

from fipscm.errors import KnowledgeError
from fipscm.knowledge import Edge, Knowledge


class CycleError(KnowledgeError):
    """An edit that closes a cycle, with its columns, the first repeated at the end."""

    def __init__(self, cycle: Sequence[Hashable]) -> None:
        super().__init__(
            f"That would close a cycle: {' → '.join(map(str, cycle))}. Nothing can be its own cause: forbid or turn "
            "another of these edges first."
        )
        self.cycle = list(cycle)


@dataclass(frozen=True)
class Edits:
    """All edits together. `knowledge` and `kinds` are what a model obeys; hidden common causes are only marked.

    Attributes:
        knowledge: edges, tiers, roots, leaves, and what comes before what.
        hidden: pairs of columns with a hidden common cause.
        kinds: what columns are, where the expert says so.
    """

    knowledge: Knowledge = field(default_factory=Knowledge)
    hidden: tuple[Edge, ...] = ()
    kinds: Mapping[Hashable, str] = field(default_factory=dict)

    def applied_to(self, graph: nx.DiGraph) -> nx.DiGraph:
        """The graph as the expert sees it now: without edges that are ruled out, with those that are required.

        An edge whose direction was open is `directed` once the edits rule out that it is the other way round.
        """
        names = list(graph)
        allowed = self.knowledge.allowed(names)  # row = effect
        place = {name: position for position, name in enumerate(names)}
        edited = nx.DiGraph()
        edited.add_nodes_from(names)
        for cause, effect, stands in graph.edges(data="directed", default=True):
            there, back = (allowed[place[end], place[start]] for start, end in ((cause, effect), (effect, cause)))
            if there:
                edited.add_edge(cause, effect, directed=bool(stands or not back))
        edited.add_edges_from(self.knowledge.required_edges, directed=True)
        return edited

    def require_consistent(self, graph: nx.DiGraph) -> None:
        """Raise where the edits contradict each other or close a cycle in the graph that they are made on.

        Edges whose direction is open close no cycle: a refit turns them as the edits demand.
        """
        known = set(graph)
        required = nx.DiGraph(edge for edge in self.knowledge.required_edges if set(edge) <= known)
        _require_no_cycle(required)
        for cause, effect in self.hidden:
            Knowledge(roots=(cause, effect)).allowed(list(graph))  # names that are not columns
            if cause == effect:
                raise KnowledgeError(f"A hidden common cause has two effects, but only '{cause}' is named.")
        edges = self.applied_to(graph).edges(data="directed")
        _require_no_cycle(nx.DiGraph((cause, effect) for cause, effect, stands in edges if stands))

    def order_like(self, order: Sequence[Hashable], graph: nx.DiGraph) -> list[Hashable]:
        """The order nearest to a given one that the edits permit: a column moves only where it must."""
        rank = {name: position for position, name in enumerate(order)}
        before = self.applied_to(graph)
        before.add_edges_from(self.knowledge.before)
        for earlier, later in combinations(self.knowledge.tiers, 2):
            before.add_edges_from(product(earlier, later))
        return list(nx.lexicographical_topological_sort(before, key=rank.__getitem__))


@dataclass(frozen=True)
class Changes:
    """How one graph differs from an earlier one over the same columns."""

    gone: tuple[Edge, ...]
    new: tuple[Edge, ...]
    turned: tuple[Edge, ...]  # as they are now

    @classmethod
    def between(cls, earlier: Iterable[Edge], later: Iterable[Edge]) -> "Changes":
        """Compare two sets of edges.

        >>> Changes.between([("a", "b"), ("b", "c")], [("b", "a"), ("a", "c")])
        Changes(gone=(('b', 'c'),), new=(('a', 'c'),), turned=(('b', 'a'),))
        """
        old, now = list(earlier), list(later)
        turned = tuple(edge for edge in now if edge not in old and edge[::-1] in old)
        gone = tuple(edge for edge in old if edge not in now and edge[::-1] not in now)
        return cls(gone, tuple(edge for edge in now if edge not in old and edge not in turned), turned)


def imported(
    graph: nx.DiGraph, hidden: Iterable[Edge], found: nx.DiGraph, kinds: Mapping[Hashable, str] | None = None
) -> Edits:
    """A whole graph as edits: its edges are required, and edges found that it lacks are forbidden; kinds are kept.

    Of an edge whose direction is open nothing is known.
    """
    required = [(cause, effect) for cause, effect, stands in graph.edges(data="directed", default=True) if stands]
    unsure = {frozenset(edge) for edge in graph.edges} - {frozenset(edge) for edge in required}
    lost = [edge for edge in found.edges if edge not in graph.edges and frozenset(edge) not in unsure]
    return Edits(Knowledge(required_edges=required, forbidden_edges=lost), tuple(hidden), kinds or {})


def _require_no_cycle(graph: nx.DiGraph) -> None:
    if not nx.is_directed_acyclic_graph(graph):
        edges = nx.find_cycle(graph)
        raise CycleError([edges[0][0], *(effect for _, effect in edges)])
