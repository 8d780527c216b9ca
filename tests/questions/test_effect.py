import numpy as np
import pytest

from fipscm.errors import DataError
from fipscm.graph import allowed_from_adjacency
from fipscm.mechanism.fit import fit_mechanism
from fipscm.questions.effect import Effect, Question, average_effect, bootstrap_corrections, corrected
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
    return fit_mechanism(rows, allowed, required=allowed)


def test_the_effect_in_a_linear_scm_is_the_sum_over_paths(rng):
    np.testing.assert_allclose(QUESTION.differences(TRUTH, TRUTH.noise.sample(10, rng)), 0.5)


def test_no_correction_changes_nothing_and_a_known_one_changes_that_much(rng):
    scm = known_scm("simpson")
    model = fitted(scm, scm.sample(500, rng))
    rows = np.concatenate([scm.sample(20, rng).to_numpy(), 5 * scm.sample(20, rng).to_numpy()])  # and beyond
    np.testing.assert_allclose(corrected(model, np.zeros((4, 6))).predict(rows), model.predict(rows), atol=1e-9)
    correction = np.zeros((4, 6))
    correction[2] = [0.5, -0.25, 0.1, 0.0, 0.0, 0.0]
    z, mean = ((values - model.centre) / model.scale for values in (rows, model.predict(rows)))
    moved = (corrected(model, correction).predict(rows) - model.centre) / model.scale
    np.testing.assert_allclose(moved[:, 2], 0.5 + 0.75 * mean[:, 2] + 0.1 * z[:, 0], atol=1e-6)
    np.testing.assert_allclose(moved[:, [0, 1, 3]], mean[:, [0, 1, 3]], atol=1e-6)


def test_corrections_spread_as_least_squares_does_and_roots_have_no_causes_to_correct(rng):
    rows = TRUTH.sample(400, rng)
    model = fitted(TRUTH, rows)
    corrections = bootstrap_corrections(model, rows.to_numpy(), rng, resamples=200)
    assert not corrections[:, 0, 2:].any()
    moved = [corrected(model, correction).skip.weights[1, 0] for correction in corrections]
    slopes = np.array(moved) * model.scale[1] / model.scale[0]
    assert slopes.std() == pytest.approx(1 / np.sqrt(400), rel=0.25)  # unit noise, unit spread of x0


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    covered = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows = TRUTH.sample(200, rng)
        model = fitted(TRUTH, rows)
        corrections = bootstrap_corrections(model, rows.to_numpy(), rng)
        found = average_effect(QUESTION, [(model, corrections)], 0.9, rng)
        covered += found.low <= 0.5 <= found.high
    assert 30 <= covered <= 40


def test_an_interval_holds_what_the_rows_leave_open_and_nothing_else(rng):
    scm = known_scm("simpson")
    question = Question("x0", "x3", treated=1.0, control=0.0)
    widths = []
    for rows in (500, 8000):
        table = scm.sample(rows, rng)
        model = fitted(scm, table)
        found = average_effect(question, [(model, bootstrap_corrections(model, table.to_numpy(), rng))], 0.9, rng)
        widths.append(found.high - found.low)
    assert widths[1] < 0.5 * widths[0]


def test_models_on_other_orders_share_one_interval(rng):
    models = []
    for scm in (TRUTH, known_scm("triangle")):
        table = scm.sample(500, rng)
        model = fitted(scm, table)
        models.append((model, bootstrap_corrections(model, table.to_numpy(), rng)))
    alone = [average_effect(QUESTION, [model], 0.9, rng) for model in models]
    both = average_effect(QUESTION, models, 0.9, rng)
    assert both.low < min(found.high for found in alone)
    assert both.high > max(found.low for found in alone)
    assert len(both.by_order) == 2
    assert alone[0].by_order == ()


def test_a_level_in_percent_is_refused(rng):
    model = fitted(TRUTH, TRUTH.sample(200, rng))
    with pytest.raises(DataError, match="between 0 and 1, but it is 95"):
        average_effect(QUESTION, [(model, np.zeros((2, 3, 5)))], 95, rng)


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
