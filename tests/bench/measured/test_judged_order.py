"""Orders, confidence, edges and suggestions are held against what is certain."""

import networkx as nx
import numpy as np
import pandas as pd

from fipscm.bench.measured.judged_order import (
    contradicting_edges,
    judged_suggestions,
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


def test_suggestions_are_judged_by_what_they_say_of_certain_pairs():
    rng = np.random.default_rng(0)
    sex = rng.integers(2, size=100)
    frame = pd.DataFrame({"wage": sex + rng.normal(size=100), "sex": sex})
    told = judged_suggestions(frame, ["wage", "sex"], [("sex", "wage")])
    assert told == {"right_suggested": 1.0, "suggested_pairs": 1, "wrong_suggestions": 0}
    assert judged_suggestions(frame, ["wage", "sex"], [("wage", "sex")])["wrong_suggestions"] == 1
