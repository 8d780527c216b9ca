"""How an order, a graph and suggested knowledge compare with what is certain about a table.

A certain pair (a, b) says that b is no cause of a: a comes first.
"""

from collections.abc import Hashable, Iterable, Sequence

import networkx as nx
import numpy as np
import pandas as pd

import fipscm
from fipscm.bench.measured.corpus import CertainPair
from fipscm.bench.run.results import Line
from fipscm.knowledge import Edge, Knowledge
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

    A suggestion can be judged if it says something about a certain pair, and counts as far as it is applied: where two
    columns are suggested as roots, neither comes first.
    """
    table = frame[list(columns)]
    told = fipscm.suggest(table)
    order = infer_order(table, knowledge=told.knowledge)
    applied = ordered_pairs(told.knowledge, columns)
    single = [applied & ordered_pairs(fact.joined_to(Knowledge()), columns) for fact in told.facts]
    return {"right_suggested": share_right(order, pairs), **judged_single(single, pairs)}


def judged_single(suggestions: Sequence[set[Edge]], pairs: Sequence[CertainPair]) -> Line:
    """How many suggestions, each the pairs that it puts in an order, can be judged and are wrong.

    >>> judged_single([{("sex", "wage")}, {("wage", "sex"), ("wage", "age")}, {("wage", "hours")}], [("sex", "wage")])
    {'suggestions': 3, 'judged_suggestions': 2, 'wrong_suggestions': 1}
    """
    certain, against = set(pairs), {(b, a) for a, b in pairs}
    return {
        "suggestions": len(suggestions),
        "judged_suggestions": sum(not each.isdisjoint(certain | against) for each in suggestions),
        "wrong_suggestions": sum(not each.isdisjoint(against) for each in suggestions),
    }


def ordered_pairs(knowledge: Knowledge, columns: Names) -> set[Edge]:
    """The pairs (first, second) that knowledge puts in an order; a forbidden edge orders nothing.

    >>> sorted(ordered_pairs(Knowledge(roots=["sex"]), ["wage", "sex", "educ"]))
    [('sex', 'educ'), ('sex', 'wage')]
    """
    return {(columns[first], columns[second]) for first, second in np.argwhere(knowledge.precedence(columns))}
