"""Orders, confidence, edges and suggestions are held against what is certain."""

import networkx as nx
import pandas as pd

from fipscm import Knowledge
from fipscm.bench.measured.judged_order import (
    contradicting_edges,
    judged_single,
    ordered_pairs,
    pairs_among,
    share_right,
    told_confidence,
)

PAIRS = [("sex", "wage"), ("educ", "wage"), ("sex", "educ")]
ORDER = ["educ", "sex", "wage"]


def test_an_order_is_right_about_its_share_of_pairs():
    assert share_right(ORDER, PAIRS) == 2 / 3
    assert share_right(ORDER, []) is None
    assert pairs_among(PAIRS, ["sex", "wage"]) == [("sex", "wage")]


def test_confidence_is_that_of_the_direction_chosen():
    confidence = pd.DataFrame([[0, 0.8, 0.9], [0.2, 0, 0.6], [0.1, 0.4, 0]], ORDER, ORDER)
    assert told_confidence(ORDER, confidence, PAIRS) == [(0.6, True), (0.9, True), (0.8, False)]


def test_an_edge_contradicts_what_it_turns_around():
    assert contradicting_edges(nx.DiGraph([("wage", "sex"), ("sex", "educ")]), PAIRS) == ["wage -> sex"]


def test_a_suggestion_is_wrong_if_one_of_its_pairs_is():
    told = [
        Knowledge(tiers=[["sex"], ["educ"], ["wage"]]),
        Knowledge(leaves=["educ"]),
        Knowledge(forbidden_edges=[("sex", "wage")]),
    ]
    single = [ordered_pairs(each, ORDER) for each in told]
    assert single[1] == {("sex", "educ"), ("wage", "educ")}
    assert single[2] == set()
    assert judged_single(single, PAIRS) == {"suggestions": 3, "judged_suggestions": 2, "wrong_suggestions": 1}
