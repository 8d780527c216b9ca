"""Two methods for one effect: where they agree, where they do not, and where there is only one."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP, load
from fipscm.questions.methods import MethodEstimate

ORDER = ["skill", "trained", "pay"]


@pytest.fixture(scope="module")
def table():
    """Training helps who has little skill, and harms who has much: by 1 - 3 skill, which no single slope tells."""
    rng = np.random.default_rng(0)
    skill = rng.exponential(size=700)
    trained = (rng.logistic(size=700) < 0.5 - skill).astype(int)
    pay = 2 * skill + trained * (1 - 3 * skill) + rng.normal(size=700)
    return pd.DataFrame({"skill": skill, "trained": trained, "pay": pay})


@pytest.fixture(scope="module")
def model(table):
    return FiP(order=ORDER, random_state=0).fit(table)


@pytest.fixture(scope="module")
def found(model):
    return model.effect("trained", on="pay")


def test_both_methods_are_told_beside_the_answer(found, table):
    truth = float((1 - 3 * table["skill"]).mean())
    assert [each.method for each in found.methods] == ["g-computation", "doubly robust"]
    assert found.methods[1].low < truth < found.methods[1].high
    assert found.low < truth < found.high
    assert found.adjusted_for == ("skill",)
    assert found.overlap.rows == 700
    assert all(str(each) in str(found) for each in found.methods)


def test_the_more_precise_of_two_that_agree_is_told_and_the_hull_of_two_that_do_not(found):
    low, high = (f(getattr(each, end) for each in found.methods) for f, end in ((min, "low"), (max, "high")))
    if found.methods_disagree:
        assert (found.low, found.high) == (low, high)
    else:
        assert found.high - found.low == min(each.high - each.low for each in found.methods)


def test_estimates_disagree_beyond_the_errors_of_both():
    first = MethodEstimate("a", 0.0, -3.0, 3.0)
    assert not first.disagrees(replace(first, estimate=4.9, low=0.9, high=8.9))
    assert first.disagrees(replace(first, estimate=5.1, low=1.1, high=9.1))
    assert replace(first, estimate=5.1, low=1.1, high=9.1).disagrees(first)


def test_a_disagreement_is_told_with_its_reason(found):
    methods = (MethodEstimate("g-computation", 5.0, 4.9, 5.1), MethodEstimate("doubly robust", 1.0, 0.9, 1.1))
    told = str(replace(found, methods=methods, reason="no overlap"))
    assert "Two methods disagree, so the interval holds both: g-computation 5 (4.9 to 5.1)" in told
    assert "; no overlap." in told


def test_an_edge_that_was_weighed_away_is_fitted_when_it_is_asked_about():
    rng = np.random.default_rng(1)
    rare = (np.arange(400) < 12).astype(int)
    table = pd.DataFrame({"rare": rare, "sick": 3 * rng.normal(size=400) + 0.5 * rare})
    model = FiP(order=["rare", "sick"], random_state=0).fit(table)
    assert not model.adjacency_.loc["rare", "sick"]
    found = model.effect("rare", on="sick")
    assert found.low < 0.5 < found.high
    difference = table["sick"][rare == 1].mean() - table["sick"][rare == 0].mean()
    assert found.estimate == pytest.approx(difference, abs=0.5)
    known = FiP(graph=[[0, 0], [0, 0]], random_state=0).fit(table)
    assert not known.effect("rare", on="sick").possible  # a given graph is obeyed


def test_a_loaded_model_has_a_second_opinion_if_it_gets_rows(model, found, table, tmp_path):
    model.save(tmp_path / "m.fip")
    loaded = load(tmp_path / "m.fip")
    alone = loaded.effect("trained", on="pay")
    assert alone.methods == ()
    assert "There is no second opinion. A saved model holds no rows" in str(alone)
    again = loaded.effect("trained", on="pay", rows=table)
    assert again.methods == found.methods


def test_a_level_of_few_rows_leaves_the_model_alone_with_its_answer(table):
    few = table.assign(trained=(np.arange(700) < 6).astype(int))
    found = FiP(order=ORDER, random_state=0).fit(few).effect("trained", on="pay")
    assert "There is no second opinion. One of the two levels is in 6 rows alone" in str(found)
    assert (found.estimate, found.low, found.high) == tuple(
        getattr(found.methods[0], name) for name in ("estimate", "low", "high")
    )
