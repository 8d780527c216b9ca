"""How an order, a graph and suggested knowledge compare with what is certain about a table.

A certain pair (a, b) says that b is no cause of a: a comes first.
"""

from collections.abc import Hashable, Iterable, Sequence

import networkx as nx
import pandas as pd

from fipscm.bench.measured.corpus import CertainPair
from fipscm.bench.run.results import Line
from fipscm.graph import descendants
from fipscm.order import infer_order
from fipscm.suggestions.suggest import suggest

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
    """What suggested knowledge does for the order, and how much of what it says of certain pairs is wrong."""
    names = list(columns)
    knowledge = suggest(frame[names]).knowledge
    first, place = descendants(knowledge.precedence(names)), {name: position for position, name in enumerate(names)}
    told = [(bool(first[place[a], place[b]]), bool(first[place[b], place[a]])) for a, b in pairs]
    return {
        "right_suggested": share_right(infer_order(frame[names], knowledge=knowledge), pairs),
        "suggested_pairs": sum(any(each) for each in told),
        "wrong_suggestions": sum(wrong for _, wrong in told),
    }
