from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError
from fipscm.estimator import FiP
from fipscm.graph import allowed_from_adjacency
from fipscm.knowledge import Knowledge
from fipscm.mechanism.fit import fit_mechanism
from fipscm.questions.deviations import draw_deviations
from fipscm.questions.effect import Effect, LevelEffect, Question, average_effect
from fipscm.scm.standard import StandardSCM
from fipscm.simulate import Noise, known_scm
from fipscm.simulate.mechanisms import Equation, Linear

ADJACENCY = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=np.int8)
QUESTION = Question("x0", "x2", treated=2.0, control=1.0)
TRUTH = StandardSCM.build(  # the effect of x0 on x2 is 1 - 2 / 4
    ADJACENCY,
    Noise.of("normal", np.ones(3)),
    tuple(Equation(Linear(np.array(weights), 1.0)) for weights in ([], [2.0], [1.0, -0.25])),
)


def fitted(scm, rows):
    allowed = allowed_from_adjacency(scm.adjacency)
    model = fit_mechanism(rows, allowed, required=allowed)
    return model, draw_deviations(model, rows.to_numpy(), allowed, np.random.default_rng(0))


def test_the_effect_in_a_linear_scm_is_the_sum_over_paths(rng):
    np.testing.assert_allclose(QUESTION.differences(TRUTH, TRUTH.noise.sample(10, rng)), 0.5)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    covered = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows = TRUTH.sample(200, rng)
        found = average_effect(QUESTION, [fitted(TRUTH, rows)], 0.9, rng)
        covered += found.low <= 0.5 <= found.high
    assert 30 <= covered <= 40


def test_an_interval_holds_what_the_rows_leave_open_and_nothing_else(rng):
    scm = known_scm("simpson")
    question = Question("x0", "x3", treated=1.0, control=0.0)
    widths = []
    for rows in (500, 8000):
        found = average_effect(question, [fitted(scm, scm.sample(rows, rng))], 0.9, rng)
        widths.append(found.high - found.low)
    assert widths[1] < 0.5 * widths[0]


def test_models_on_other_orders_share_one_interval(rng):
    models = [fitted(scm, scm.sample(500, rng)) for scm in (TRUTH, known_scm("triangle"))]
    alone = [average_effect(QUESTION, [model], 0.9, rng) for model in models]
    both = average_effect(QUESTION, models, 0.9, rng)
    assert both.low == pytest.approx(min(found.low for found in alone), rel=0.1)
    assert both.high == pytest.approx(max(found.high for found in alone), rel=0.1)
    assert len(both.by_order) == 2
    assert alone[0].by_order == ()


def test_a_level_in_percent_is_refused(rng):
    with pytest.raises(DataError, match="between 0 and 1, but it is 95"):
        average_effect(QUESTION, [fitted(TRUTH, TRUTH.sample(200, rng))], 95, rng)


def test_orders_agree_with_a_sign_only_where_there_is_one_and_prove_nothing():
    found = Effect(QUESTION, 0.5, 0.4, 0.6, 0.95, agreement=0.7, precedes=0.8)
    assert str(found).endswith("80% sure that x0 comes before x2. 70% of the resampled orders agree with its sign.")
    assert "70% of the resampled orders show none either; that is no proof" in str(replace(found, estimate=0.0))
    assert "resampled" not in str(replace(found, estimate=0.0, possible=False))
    assert "sure that" not in str(replace(found, precedes=1.0))  # it is known


def test_an_effect_says_so_when_its_sign_depends_on_the_order():
    firm = Effect(QUESTION, 0.5, 0.4, 0.6, 0.95, by_order=(0.4, 0.6))
    shaky = Effect(QUESTION, 0.5, 0.4, 0.6, 0.95, by_order=(0.4, -0.1))
    assert not firm.sign_flips
    assert shaky.sign_flips
    assert "sign depends on the order" in str(shaky)
    absent = Effect(QUESTION, 141.0, -1.0, 290.0, 0.95, by_order=(0.0, 282.0))
    assert not absent.sign_flips
    assert absent.disagreement == "whether there is an effect"
    assert "0 to 282, no effect under 1 of them." in str(absent)
    assert firm.disagreement == ""
    assert "changes x2 by 0.5 on average (95% interval 0.4 to 0.6)" in str(firm)
    assert float(firm) == 0.5


def test_an_effect_that_was_not_found_tells_how_large_it_could_be_and_an_impossible_one_why():
    unseen = Effect(QUESTION, 0.0, -0.1, 0.2, 0.95)
    assert "no effect on x2 found; if there is one, it lies between -0.1 and 0.2 on average" in str(unseen)
    levels = tuple(LevelEffect(level, 0.0, -end, end) for level, end in (("north", 0.1), ("south", 0.3)))
    assert str(Effect(QUESTION, 0.0, -0.1, 0.1, 0.95, by_level=levels)).endswith(
        "other levels: south +0 (-0.3 to 0.3)."
    )


def test_only_what_the_user_gave_lets_a_treatment_not_act_at_all():
    inferred = Effect(QUESTION, 0.0, 0.0, 0.0, 0.95, possible=False, precedes=0.38)
    assert "cannot act" not in str(inferred)
    assert str(inferred).startswith("The order that was inferred puts x2 before x0 (62% sure). Setting x0 to 2")
    assert "ask with the table" in str(inferred)
    assert "how sure that is was not assessed" in str(replace(inferred, precedes=None))
    told = str(replace(inferred, if_first=Effect(QUESTION, 0.5, 0.4, 0.6, 0.95)))
    assert "If x0 comes first instead: setting x0 to 2 instead of 1 changes x2 by 0.5 on average (95% inter" in told
    assert "By what was given, x0 cannot act on x2." in str(replace(inferred, ruled_out=True))


def test_a_randomised_treatment_has_no_causes_and_the_answer_says_so(rng):
    table = TRUTH.sample(300, rng)
    model = FiP(knowledge=Knowledge(randomised=["x2"]), random_state=0).fit(table).assess()
    assert not model.adjacency_["x2"].any()
    told = str(model.effect("x2", "x0"))
    assert told.endswith("x2 was randomised: nothing that precedes it confounds this effect.")
    assert "if the causal order is right" not in told
    assert not model.effect("x0", "x1").randomised


def test_large_effects_are_told_as_people_write_them():
    found = Effect(QUESTION, 12264.8, -7699.2, 1.749e4, 0.95)
    assert "changes x2 by 12260 on average (95% interval -7699 to 17490, if" in str(found)


def test_against_the_order_there_is_no_effect_and_no_interval(rng):
    found = average_effect(Question("x2", "x0", 1.0, 0.0), [fitted(TRUTH, TRUTH.sample(200, rng))], 0.9, rng)
    assert not found.possible
    assert (found.estimate, found.low, found.high) == (0, 0, 0)


def test_no_unit_leads_far_beyond_the_rows_where_the_treatment_stays_within_them(rng):
    cause = rng.normal(size=500)
    rows = pd.DataFrame({"a": cause, "b": np.exp(4 * cause + rng.normal(size=500))})
    model = FiP(order=["a", "b"], random_state=0).fit(rows)
    width = np.ptp(rows["b"])
    found = model.effect("a", "b", treated=float(cause.max()), control=float(cause.min()))
    assert -2 * width <= found.low < found.estimate < found.high <= 10 * width
    assert abs(found.estimate) <= 2 * width


def test_an_interval_is_never_a_point_even_where_levels_are_separated(rng):
    cause = np.repeat([0.0, 1.0], 100)
    rows = pd.DataFrame({"a": cause, "b": np.where(cause + np.eye(200)[0] > 0, "yes", "no"), "c": rng.normal(size=200)})
    found = FiP(order=["a", "b", "c"], random_state=0).fit(rows).effect("a", "b")
    assert found.low < found.estimate < found.high


def test_on_a_category_it_is_the_difference_of_the_probability_of_each_level():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    ward = (np.column_stack([0 * x, x, -x]) + rng.gumbel(size=(2000, 3))).argmax(axis=1)
    rows = pd.DataFrame({"x": x, "ward": np.array(["a", "b", "c"])[ward], "y": (ward == 1) + rng.normal(size=2000)})
    model = FiP(order=["x", "ward", "y"], random_state=0).fit(rows)
    found = model.effect("x", on="ward", treated=1.0, control=0.0)
    truth = np.exp([0, 1, -1]) / np.exp([0, 1, -1]).sum() - 1 / 3
    assert [each.level for each in found.by_level] == ["a", "b", "c"]
    assert sum(each.estimate for each in found.by_level) == pytest.approx(0, abs=0.05)
    assert all(each.low < true < each.high for each, true in zip(found.by_level, truth, strict=True))
    assert found.level_told == "b"
    of_treatment = model.effect("ward", on="y", treated="b", control="a")
    assert of_treatment.low < 1 < of_treatment.high
    assert of_treatment.adjusted_for == ("x",)


def test_on_amounts_with_zeros_it_is_the_difference_of_what_is_expected():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    some = rng.logistic(size=2000) < x
    rows = pd.DataFrame({"x": x, "rain": np.where(some, 10 + 2 * x + rng.normal(size=2000), 0.0)})
    model = FiP(order=["x", "rain"], random_state=0).fit(rows)
    assert model.scm_.mechanisms[1].response.kind == "zero-inflated"
    found = model.effect("x", on="rain", treated=1.0, control=0.0)
    truth = 12 / (1 + np.exp(-1)) - 5
    assert found.low < truth < found.high
    assert found.high - found.low < 0.5 * truth
