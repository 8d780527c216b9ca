"""How an order, a graph and suggested knowledge compare with what is certain about a table.

A certain pair (a, b) says that b is no cause of a: a comes first.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec

import networkx as nx
import pandas as pd

from fipscm.bench.measured.corpus import CertainPair
from fipscm.bench.run.results import Line
from fipscm.knowledge import Knowledge
from fipscm.order import infer_order

Names = Sequence[Hashable]


def pairs_among(pairs: Iterable[CertainPair], columns: Iterable[Hashable]) -> list[CertainPair]:
    """The certain pairs of which both columns are modelled."""
    known = set(columns)
    return [pair for pair in pairs if known.issuperset(pair)]


def share_right(order: Names, pairs: Sequence[CertainPair]) -> float | None:
    """The share of certain pairs that an order has the right way round; None if there are none.

    >>> share_right(["sex", "wage", "age"], [("sex", "wage"), ("age", "wage")])
    0.5
    """
    place = {name: position for position, name in enumerate(order)}
    return sum(place[a] < place[b] for a, b in pairs) / len(pairs) if pairs else None


def told_confidence(order: Names, confidence: pd.DataFrame, pairs: Sequence[CertainPair]) -> list[tuple[float, bool]]:
    """For each certain pair how sure the model said it was of the direction it chose, and whether that was right."""
    place, sure = {name: position for position, name in enumerate(order)}, confidence.to_dict(orient="index")
    chosen = [(a, b, True) if place[a] < place[b] else (b, a, False) for a, b in pairs]
    return [(round(float(sure[first][second]), 3), right) for first, second, right in chosen]


def contradicting_edges(graph: nx.DiGraph, pairs: Iterable[CertainPair]) -> list[str]:
    """The edges that go from a column to one that it certainly does not cause."""
    return [f"{b} -> {a}" for a, b in pairs if graph.has_edge(b, a)]


def judged_suggestions(frame: pd.DataFrame, columns: Names, pairs: Sequence[CertainPair]) -> Line:
    """What suggested knowledge does for the order, and how many suggestions contradict what is certain.

    A suggestion can be judged if it says something about a certain pair.
    """
    knowledge = suggested_knowledge(frame, columns)
    if knowledge is None:
        return {}
    certain, against = set(pairs), {(b, a) for a, b in pairs}
    implied = [set(each) for each in implied_pairs(knowledge, columns)]
    order = infer_order(frame[list(columns)], knowledge=knowledge)
    return {
        "right_suggested": share_right(order, pairs),
        "suggestions": len(implied),
        "judged_suggestions": sum(bool(each & (certain | against)) for each in implied),
        "wrong_suggestions": sum(bool(each & against) for each in implied),
    }


def suggested_knowledge(frame: pd.DataFrame, columns: Names) -> Knowledge | None:
    """What the names and kinds of the columns suggest, about columns that are modelled; None without that part."""
    if find_spec("fipscm.suggest") is None:
        return None
    told: Knowledge = import_module("fipscm.suggest").suggest(frame).knowledge
    known = set(columns)
    return Knowledge(
        required_edges=[edge for edge in told.required_edges if known.issuperset(edge)],
        forbidden_edges=[edge for edge in told.forbidden_edges if known.issuperset(edge)],
        tiers=[[name for name in tier if name in known] for tier in told.tiers],
        roots=[name for name in told.roots if name in known],
        leaves=[name for name in told.leaves if name in known],
    )


def implied_pairs(knowledge: Knowledge, columns: Names) -> Iterator[list[tuple[Hashable, Hashable]]]:
    """For each single suggestion the pairs (first, second) that it puts in an order.

    Single suggestions are the tier of a column, a root, a leaf and an edge; a forbidden edge orders nothing.

    >>> told = Knowledge(tiers=[["sex"], ["educ"], ["wage"]], roots=["sex"])
    >>> [len(each) for each in implied_pairs(told, ["sex", "educ", "wage"])]
    [2, 2, 2, 2]
    """
    for number, tier in enumerate(knowledge.tiers):
        earlier = [name for other in knowledge.tiers[:number] for name in other]
        later = [name for other in knowledge.tiers[number + 1 :] for name in other]
        yield from ([*((e, name) for e in earlier), *((name, e) for e in later)] for name in tier)
    yield from ([(root, name) for name in columns if name != root] for root in knowledge.roots)
    yield from ([(name, leaf) for name in columns if name != leaf] for leaf in knowledge.leaves)
    yield from ([edge] for edge in knowledge.required_edges)
    yield from ([] for _ in knowledge.forbidden_edges)
