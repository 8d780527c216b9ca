"""A given order, a given graph and other knowledge as two masks: the edges that are allowed, and those required.

Shapes: D variables.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fipscm.arrays import Adjacency, Mask, Order
from fipscm.errors import GraphError, KnowledgeError
from fipscm.graph import (
    allowed_from_adjacency,
    allowed_from_order,
    as_adjacency,
    descendants,
    from_networkx,
    listed,
    order_positions,
    to_networkx,
    topological_order,
)
from fipscm.knowledge import Knowledge


@dataclass(frozen=True)
class Constraints:
    """What the user gave, or not: an order of names, a graph (networkx or adjacency, row = cause), knowledge."""

    order: Sequence[Hashable] | None = None
    graph: nx.DiGraph | ArrayLike | None = None
    knowledge: Knowledge = field(default_factory=Knowledge)

    @classmethod
    def of(
        cls,
        order: Sequence[Hashable] | None,
        graph: nx.DiGraph | ArrayLike | None,
        knowledge: Knowledge | None,
    ) -> "Constraints":
        """What was given; no knowledge is an empty one."""
        return cls(order, graph, knowledge or Knowledge())

    @property
    def fix_the_order(self) -> bool:
        """Whether nothing is left to infer about the order."""
        return self.order is not None or self.graph is not None

    def named(self, names: Sequence[Hashable]) -> set[Hashable]:
        """The columns that the user speaks of; a graph without names speaks of all of them."""
        groups: list[Iterable[Hashable]] = [() if self.order is None else self.order, self.knowledge.columns]
        if isinstance(self.graph, nx.Graph):
            groups.append(self.graph.nodes)
        elif self.graph is not None:
            groups.append(self.graph.columns if isinstance(self.graph, pd.DataFrame) else names)
        return {name for group in groups for name in group}

    def given_order(self, names: Sequence[Hashable]) -> Order:
        """The order given, or one of the graph given; checked against each other and against the knowledge."""
        if self.order is not None:
            order = order_positions(self.order, names)
        else:
            order = topological_order(self.given_graph(names))
        against = np.argwhere(self.knowledge.must_precede(names) & allowed_from_order(order))
        if len(against):
            first, second = (names[column] for column in against[0])
            raise KnowledgeError(
                f"The knowledge puts '{first}' before '{second}', but the order or graph given does not: "
                "remove one of the two."
            )
        return order

    def given_graph(self, names: Sequence[Hashable]) -> Adjacency:
        """The graph given, on the columns of the table."""
        if isinstance(self.graph, nx.Graph):
            return from_networkx(self.graph, names)
        if isinstance(self.graph, pd.DataFrame):
            return from_networkx(_named_graph(self.graph), names)
        matrix = np.asarray(self.graph)
        if matrix.ndim and len(matrix) != len(names):
            raise GraphError(
                f"The graph has {len(matrix)} nodes, but the table has {len(names)} columns: "
                "pass one row and one column per variable."
            )
        return as_adjacency(matrix, names)

    def allowed(self, order: Order, names: Sequence[Hashable]) -> Mask:
        """(D, D), true where an edge is allowed; row = effect, column = cause."""
        mask = allowed_from_order(order) & self.knowledge.allowed(names)
        if self.graph is None:
            return mask
        edges = allowed_from_adjacency(self.given_graph(names))
        lost = np.argwhere(edges & ~mask)
        if len(lost):
            effect, cause = (names[column] for column in lost[0])
            raise KnowledgeError(
                f"The graph has the edge '{cause}' -> '{effect}', but the order or other knowledge rules it out: "
                "remove one of the two."
            )
        return edges

    def required(self, order: Order, names: Sequence[Hashable]) -> Mask:
        """(D, D), true where an edge is required: those known for certain, and all edges of a given graph."""
        return self.knowledge.required(names) if self.graph is None else self.allowed(order, names)

    def rule_out(self, cause: Hashable, effect: Hashable, names: Sequence[Hashable]) -> bool:
        """Whether what the user gave leaves no path from a cause to an effect."""
        if self.fix_the_order:
            possible = self.allowed(self.given_order(names), names)
        else:
            possible = self.knowledge.allowed(names) & ~descendants(self.knowledge.must_precede(names))
        paths = nx.from_numpy_array(possible.T, create_using=nx.DiGraph)  # of all orders together, so with cycles
        return not nx.has_path(paths, names.index(cause), names.index(effect))

    def settings(self, names: Sequence[Hashable]) -> dict[str, Any]:
        """What the user gave, in names and ready for JSON; None where nothing was given."""
        return {
            "order": None if self.order is None else [names[node] for node in order_positions(self.order, names)],
            "graph": None if self.graph is None else list(to_networkx(self.given_graph(names), names).edges),
            "knowledge": None if self.knowledge == Knowledge() else asdict(self.knowledge),
        }

    @staticmethod
    def restore(settings: Mapping[str, Any]) -> dict[str, Any]:
        """What the user gave, from `settings()`; other settings stay as they are."""
        graph, knowledge = settings["graph"], settings["knowledge"]
        return {
            **settings,
            "graph": None if graph is None else nx.DiGraph(graph),
            "knowledge": None if knowledge is None else Knowledge(**knowledge),
        }


def _named_graph(table: pd.DataFrame) -> nx.DiGraph:
    """The graph of an adjacency table, whose rows may stand in another order than its columns."""
    causes, effects = list(table.index), list(table.columns)
    if set(causes) != set(effects) or not len(causes) == len(effects) == len(set(effects)):
        raise GraphError(
            f"The graph's rows are called {listed(causes)}, but its columns {listed(effects)}: name each variable "
            "once in the rows (causes) and once in the columns (effects), for example graph.index = graph.columns."
        )
    return to_networkx(as_adjacency(table.loc[effects].to_numpy(), effects), effects)
