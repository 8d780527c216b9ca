"""Orders, adjacency matrices and masks: pure functions. Shapes: D variables.

An order lists causes first. `adjacency[i, j] = 1` says that i causes j (row = cause, column = effect).
Networks use the transposed view, `allowed[i, j]`: j may cause i. Only `allowed_from_adjacency` and
`adjacency_from_allowed` convert between the two.
"""

from collections.abc import Hashable, Iterable, Sequence, Set
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike

from fipscm.arrays import Adjacency, Mask, Order
from fipscm.errors import GraphError, OrderError


def as_adjacency(matrix: ArrayLike, names: Sequence[Hashable] | None = None) -> Adjacency:
    """Return a fresh (D, D) matrix of 0 and 1, or say why the input is not a DAG.

    >>> as_adjacency([[False, True], [False, False]])
    array([[0, 1],
           [0, 0]], dtype=int8)
    """
    values = np.asarray(matrix)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise GraphError(
            f"An adjacency matrix is square, but this one has shape {values.shape}: "
            "pass one row and one column per variable."
        )
    if values.shape[0] == 0:
        raise GraphError("The graph has no nodes: pass at least one variable.")
    if not np.isin(values, (0, 1)).all():
        raise GraphError(
            "An adjacency matrix holds only 0 and 1: threshold the scores first, for example scores > 0.5."
        )
    adjacency = values.astype(np.int8)
    require_acyclic(adjacency, names)
    return adjacency


def find_cycle(adjacency: ArrayLike) -> list[int] | None:
    """Return the nodes of one directed cycle, first node repeated at the end, or None.

    >>> find_cycle([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    [0, 1, 2, 0]
    """
    if len(_causes_first(adjacency)) == len(np.asarray(adjacency)):
        return None
    edges = nx.find_cycle(nx.from_numpy_array(np.asarray(adjacency) != 0, create_using=nx.DiGraph))
    return [edges[0][0], *(effect for _, effect in edges)]


def require_acyclic(adjacency: ArrayLike, names: Sequence[Hashable] | None = None) -> None:
    """Raise a GraphError that names a cycle if there is one."""
    cycle = find_cycle(adjacency)
    if cycle is not None:
        path = " -> ".join(str(names[node] if names is not None else node) for node in cycle)
        raise GraphError(
            f"The graph has a cycle: {path}. A causal graph is acyclic: remove or reverse one of these edges."
        )


def topological_order(adjacency: ArrayLike) -> Order:
    """Return one order of the graph, causes first; always the same one for the same graph.

    >>> topological_order([[0, 0, 0], [1, 0, 0], [1, 0, 0]])
    array([1, 2, 0])
    """
    require_acyclic(adjacency)
    return np.array(_causes_first(adjacency), dtype=np.intp)


def is_order_of(order: ArrayLike, adjacency: ArrayLike) -> bool:
    """Tell whether every cause stands before its effects.

    >>> is_order_of([0, 1], [[0, 1], [0, 0]]), is_order_of([1, 0], [[0, 1], [0, 0]])
    (True, False)
    """
    return not bool(np.any((np.asarray(adjacency).T != 0) & ~allowed_from_order(order)))


def order_positions(order: Sequence[Hashable] | ArrayLike, names: Sequence[Hashable]) -> Order:
    """Turn an order of names (or of column positions) into column positions, or say what is wrong with it.

    >>> order_positions(["b", "a"], ["a", "b"])
    array([1, 0])
    >>> order_positions([1, 0], ["a", "b"])
    array([1, 0])
    """
    if isinstance(order, (str, Set)) or not isinstance(order, Iterable):
        raise OrderError(f"An order is a list of all variables, causes first, not {order!r}: use {listed(names)}.")
    known: dict[Any, int] = {name: position for position, name in enumerate(names)}
    entries = list(order)
    if entries and not any(entry in known for entry in entries) and all(_is_integer(entry) for entry in entries):
        known = {position: position for position in range(len(names))}
    unknown = [entry for entry in entries if entry not in known]
    if unknown:
        raise OrderError(f"The order names '{unknown[0]}', which is not a variable: use each of {listed(known)} once.")
    repeated = [entry for entry in known if entries.count(entry) > 1]
    if repeated:
        raise OrderError(f"The order repeats '{repeated[0]}': name each variable exactly once, causes first.")
    missing = [entry for entry in known if entry not in entries]
    if missing:
        raise OrderError(f"The order leaves out '{missing[0]}': name each variable exactly once, causes first.")
    return np.array([known[entry] for entry in entries], dtype=np.intp)


def allowed_from_order(order: ArrayLike) -> Mask:
    """(D,) -> (D, D), true where j precedes i.

    >>> allowed_from_order([1, 0]).astype(int)
    array([[0, 1],
           [0, 0]])
    """
    rank = np.argsort(np.asarray(order, dtype=np.intp))
    return rank[:, None] > rank[None, :]


def allowed_from_adjacency(adjacency: ArrayLike) -> Mask:
    """(D, D) causes in rows -> (D, D) causes in columns."""
    return np.ascontiguousarray(np.asarray(adjacency).T != 0)


def adjacency_from_allowed(allowed: ArrayLike) -> Adjacency:
    """(D, D) causes in columns -> (D, D) causes in rows."""
    return np.ascontiguousarray(np.asarray(allowed).T).astype(np.int8)


def leaves(adjacency: ArrayLike) -> Mask:
    """(D,), true for the nodes that cause nothing.

    >>> leaves([[0, 1], [0, 0]])
    array([False,  True])
    """
    effects = np.count_nonzero(adjacency, axis=1)
    return np.asarray(effects == 0, dtype=np.bool_)


def remove_node(adjacency: Adjacency, node: int) -> Adjacency:
    """Return the graph without one node: (D, D) -> (D - 1, D - 1)."""
    kept = np.delete(np.arange(len(adjacency)), node)
    return relabel(adjacency, kept)


def remaining_after_leaf_removal(adjacency: Adjacency, count: int, rng: np.random.Generator) -> Order:
    """Remove `count` random leaves, one after the other, and return the nodes that remain, in increasing order.

    What remains is closed under causes, so its columns again follow an SCM of the same family.
    """
    if not 0 <= count < len(adjacency):
        raise GraphError(f"Cannot remove {count} leaves from {len(adjacency)} nodes: keep at least one.")
    effects = adjacency.sum(axis=1, dtype=np.int64)
    remaining = np.ones(len(adjacency), dtype=bool)
    for _ in range(count):
        leaf = rng.choice(np.flatnonzero(remaining & (effects == 0)))
        remaining[leaf] = False
        effects -= adjacency[:, leaf]
    return np.flatnonzero(remaining)


def descendants(adjacency: ArrayLike) -> Mask:
    """(D, D), true at [i, j] where a directed path leads from i to j.

    >>> descendants([[0, 1, 0], [0, 0, 1], [0, 0, 0]]).astype(int)
    array([[0, 1, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    edges = np.asarray(adjacency) != 0
    reach: Mask = np.zeros(edges.shape, dtype=np.bool_)
    for node in topological_order(edges)[::-1]:
        reach[node] = edges[node] | reach[edges[node]].any(axis=0)
    return reach


def relabel(adjacency: Adjacency, nodes: ArrayLike) -> Adjacency:
    """Return the graph in which node `nodes[i]` of the input is node i; nodes not listed are left out."""
    index = np.asarray(nodes, dtype=np.intp)
    renamed: Adjacency = adjacency[np.ix_(index, index)]
    return renamed


def to_networkx(adjacency: ArrayLike, names: Sequence[Hashable], **matrices: ArrayLike) -> nx.DiGraph:
    """Return the graph with named nodes, in the given order of names; each matrix (D, D) gives the edges a number.

    >>> to_networkx([[0, 1], [0, 0]], ["dose", "pain"], weight=[[0, -2], [0, 0]]).edges["dose", "pain"]
    {'weight': -2.0}
    """
    values = {key: np.asarray(matrix) for key, matrix in matrices.items()}
    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    for cause, effect in np.argwhere(np.asarray(adjacency) != 0):
        numbers = {key: float(matrix[cause, effect]) for key, matrix in values.items()}
        graph.add_edge(names[cause], names[effect], **numbers)
    return graph


def from_networkx(graph: nx.DiGraph, names: Sequence[Hashable]) -> Adjacency:
    """Return the adjacency matrix with rows and columns in the order of `names`; absent names are isolated nodes."""
    if not graph.is_directed():
        raise GraphError(
            "The graph is undirected, so it does not tell causes from effects: pass a networkx.DiGraph, whose edges "
            "are (cause, effect)."
        )
    strangers = [node for node in graph.nodes if node not in set(names)]
    if strangers:
        raise GraphError(
            f"The graph has a node '{strangers[0]}' that is not a variable: the variables are {listed(names)}."
        )
    complete = nx.DiGraph(graph.edges())
    complete.add_nodes_from(names)
    return as_adjacency(nx.to_numpy_array(complete, nodelist=list(names), dtype=np.int8, weight=None), names)


def _causes_first(adjacency: ArrayLike) -> list[int]:
    """The nodes, each after its causes (Kahn's algorithm); those on a cycle and after it are not among them."""
    edges = np.asarray(adjacency) != 0
    causes_left = edges.sum(axis=0).tolist()
    effects: list[list[int]] = [[] for _ in causes_left]
    for cause, effect in np.argwhere(edges).tolist():
        effects[cause].append(effect)
    found = [node for node, causes in enumerate(causes_left) if causes == 0]
    for node in found:  # grows while it is gone through, by each node once
        for effect in effects[node]:
            causes_left[effect] -= 1
            if causes_left[effect] == 0:
                found.append(effect)
    return found


def _is_integer(entry: object) -> bool:
    return isinstance(entry, (int, np.integer)) and not isinstance(entry, bool)


def listed(names: Iterable[Hashable], most: int = 8) -> str:
    """Join names for a message; after `most` of them the list ends in dots."""
    shown = [str(name) for name in names]
    return ", ".join(shown[:most]) + (", ..." if len(shown) > most else "")
