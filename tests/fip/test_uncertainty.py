"""Effects with their intervals, checks, and how sure an order is."""

import warnings
from copy import copy

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from fipscm import FiP, Knowledge
from fipscm.errors import (
    DataError,
    KnowledgeError,
)
from fipscm.fip.uncertainty import PLAUSIBLE_ORDERS
from fipscm.order.confidence import confidence
from fipscm.simulate import known_scm

ORDER = ["age", "dose", "pain"]


def test_effect_has_an_interval_around_the_truth(model):
    found = model.effect("age", on="pain", treated=2.0, control=1.0)
    assert found.low <= found.estimate <= found.high
    assert found.low < 6 < found.high
    assert float(found) == found.estimate


def chain(rows, rng, weak=0.35):
    """A table in which `a` acts on `b`, and both on `c`: strongly, strongly and weakly, with skewed noises."""
    a, b, c = rng.exponential(size=(3, rows)) - 1
    b = b + 1.1 * a
    return pd.DataFrame({"a": a, "b": b, "c": c + a + weak * b})


def test_intervals_hold_a_weak_effect_at_few_rows_whether_its_edge_was_found_or_not():
    held, lost = 0, 0
    for seed in range(20):
        table = chain(100, np.random.default_rng(seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of few rows
            model = FiP(order=["a", "b", "c"], random_state=0).fit(table)
        found = model.effect("b", on="c", treated=1.0, control=0.0)
        held += found.low <= 0.35 <= found.high
        lost += not model.adjacency_.loc["b", "c"]
        assert found.low <= found.estimate <= found.high
        assert found.high > found.low
    assert lost > 0, "some edges must be missed, or this shows nothing"
    assert 17 <= held <= 20


def test_an_effect_that_was_not_found_could_still_be_there_and_one_against_the_order_could_not():
    table = chain(300, np.random.default_rng(0), weak=0.0)
    model = FiP(order=["a", "b", "c"], random_state=0).fit(table)
    assert not model.adjacency_.loc["b", "c"]
    none = model.effect("b", on="c")
    assert none.estimate != 0
    assert none.low < 0 < none.high
    against = model.effect("c", on="b")
    assert not against.possible
    assert (against.low, against.high) == (0, 0)
    known = FiP(graph=nx.DiGraph([("a", "b"), ("a", "c")]), random_state=0).fit(table)
    assert not known.effect("b", on="c").possible


def test_an_interval_grows_with_its_level_and_scales_with_its_columns(model, table):
    widths = [found.high - found.low for found in (model.effect("age", "pain", level=level) for level in (0.5, 0.99))]
    assert widths[0] < widths[1]
    few = table.head(200)
    small, large = (
        FiP(order=ORDER, random_state=0).fit(frame).effect("age", on="pain")
        for frame in (few, few.assign(pain=1000 * few["pain"]))
    )
    np.testing.assert_allclose([large.low, large.high], [1000 * small.low, 1000 * small.high], rtol=1e-3)


def test_an_effect_beyond_the_values_seen_says_so(model):
    with pytest.warns(UserWarning, match="seen no 'age' near 1000"):
        model.effect("age", on="pain", treated=1000.0)


def test_a_given_order_leaves_no_other_one_to_try(model):
    with pytest.raises(KnowledgeError, match="ask without `orders`"):
        model.effect("age", on="pain", orders=3)


def test_the_order_of_the_rows_does_not_matter_to_a_check(model, table):
    assert model.check(table.sort_values("age")).passed


def test_a_table_that_cannot_be_checked_is_refused(model, table):
    with pytest.raises(DataError, match="'age'"):
        model.check(table.assign(age=1.0))


def test_check_passes_on_its_own_data_and_fails_on_foreign_data(model, table, rng):
    assert model.check(table).passed
    foreign = pd.DataFrame(rng.normal(size=(4000, 3)), columns=ORDER)
    report = model.check(foreign)
    assert not report.passed
    assert "doubtful" in str(report)


def test_an_assessed_model_tells_how_many_orders_agree_with_an_effect(model):
    table = known_scm("nonlingauss").sample(500, np.random.default_rng(0))
    unknown = FiP(random_state=0).fit(table)
    before = unknown.effect("x0", on="x1")
    assert (before.agreement, before.precedes) == (None, None)
    told = unknown.assess().effect("x0", on="x1")
    assert told.agreement == unknown.agreement_.loc["x0", "x1"]
    assert told.precedes == unknown.order_confidence_.loc["x0", "x1"]
    assert "of the resampled orders agree with its sign" in str(told)
    assert copy(model).assess().effect("age", on="pain").agreement is None  # the order was given


def test_an_effect_that_depends_on_the_order_comes_with_a_warning():
    # Two linear Gaussian variables: no method can tell which one is the cause.
    table = known_scm("lingauss").sample(500, np.random.default_rng(0))
    model = FiP(random_state=0).fit(table)
    cause, effect = model.causal_order_
    with pytest.warns(UserWarning, match="disagree about whether there is an effect"):
        found = model.effect(cause, on=effect, orders=6)
    assert len(found.by_order) == 7
    assert found.low <= min(found.by_order) <= found.estimate <= max(found.by_order) <= found.high
    model.assess()
    assert 0.1 < model.order_confidence_.loc[cause, effect] < 0.9
    assert 0 < model.agreement_.loc[cause, effect] < 1
    assert model.graph_.edges[cause, effect]["directed"] is False
    found = model.check(table)
    assert "hold" not in str(found)
    assert "The direction of 1 of 1 edge is in doubt" in str(found)


def test_against_an_inferred_order_the_effect_is_told_that_would_be_if_the_treatment_came_first(tmp_path):
    table = known_scm("lingauss").sample(500, np.random.default_rng(0))
    model = FiP(random_state=0).fit(table)
    cause, effect = model.causal_order_
    against = model.assess().effect(effect, on=cause, treated=1.0, control=0.0)
    assert (against.possible, against.ruled_out, against.estimate) == (False, False, 0)
    assert against.precedes == model.order_confidence_.loc[effect, cause]
    turned = FiP(order=[effect, cause], random_state=0).fit(table).effect(effect, on=cause, treated=1.0, control=0.0)
    assert against.if_first.estimate == pytest.approx(turned.estimate, rel=0.05)
    model.save(tmp_path / "m.fip")
    loaded = FiP.load(tmp_path / "m.fip").effect(effect, on=cause)
    assert loaded.if_first is None
    assert "ask with the table" in str(loaded)
    known = FiP(knowledge=Knowledge(tiers=[[cause], [effect]]), random_state=0).fit(table).effect(effect, on=cause)
    assert known.ruled_out
    assert known.if_first is None


def test_knowledge_settles_a_direction_that_the_rows_leave_open():
    table = known_scm("lingauss").sample(500, np.random.default_rng(0))
    first, second = table.columns
    for known in (Knowledge(roots=[first]), Knowledge(tiers=[[first], [second]])):
        graph = FiP(knowledge=known, random_state=0).fit(table).assess().graph_
        assert [facts["directed"] for *_, facts in graph.edges(data=True)] == [True]


def test_an_order_the_rows_decide_is_held_with_confidence():
    table = known_scm("nonlingauss").sample(1000, np.random.default_rng(0))
    model = FiP(random_state=0).fit(table)
    assert model.causal_order_ == ["x0", "x1"]
    most = confidence([np.array([0, 1])] * PLAUSIBLE_ORDERS)[0, 1]  # all draws agree
    assert model.assess().order_confidence_.loc["x0", "x1"] == pytest.approx(most, abs=0.1)
