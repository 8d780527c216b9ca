"""Hidden causes of a known strength, against what is said about them."""

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP
from fipscm.errors import DataError
from fipscm.questions.adjustment import Adjustment
from fipscm.questions.effect import Question
from fipscm.questions.sensitivity import Sensitivity, Strength, robustness_value

QUESTION = Question("x", "y", treated=1.0, control=0.0)


def asked(treatment, outcome, covariates, level=0.95):
    count = covariates.shape[1]
    rows = Adjustment(treatment, outcome, covariates, np.arange(count), tuple(f"z{i}" for i in range(count)))
    return Sensitivity.of(QUESTION, None, rows, level)


def uncorrelated(rng, rows=300, columns=4):
    """Columns with mean zero and unit norm that are exactly orthogonal."""
    drawn = rng.normal(size=(rows, columns))
    return np.linalg.qr(drawn - drawn.mean(axis=0))[0]


def beside(treatment, outcome, *others):
    """The coefficient of the treatment beside other columns."""
    design = np.column_stack([treatment, np.ones(len(treatment)), *others])
    return np.linalg.lstsq(design, outcome)[0][0]


@pytest.mark.parametrize("slope", [0.8, -0.1])
def test_a_hidden_cause_as_strong_as_the_robustness_value_leaves_nothing_and_no_weaker_one_does(rng, slope):
    measured, x, y, free = uncorrelated(rng).T
    treatment = 0.5 * measured + x
    outcome = 2 * measured + slope * treatment + y
    found = asked(treatment, outcome, measured[:, None])
    share = found.robustness
    assert found.beside(Strength(share, share)).estimate == pytest.approx(0, abs=1e-9)
    assert abs(found.beside(Strength(0.9 * share, 0.9 * share)).estimate) > 0.01 * abs(slope)
    # The hidden cause itself: its squared correlation with the treatment is the share, and so is that of what the
    # treatment leaves of it with what the treatment leaves of the outcome.
    hidden = np.sign(slope) * share**0.5 * x + (1 - share) ** 0.5 * (share**0.5 * y + (1 - share) ** 0.5 * free)
    assert beside(treatment, outcome, measured, hidden) == pytest.approx(0, abs=1e-9)


def test_estimate_and_error_are_those_of_least_squares(rng):
    z = rng.normal(size=(200, 2))
    treatment = z[:, 0] + rng.normal(size=200)
    outcome = 1.5 * treatment + z[:, 1] + rng.normal(size=200)
    found = asked(treatment, outcome, z)
    assert found.estimate == pytest.approx(beside(treatment, outcome, z))
    assert found.degrees == 200 - 4
    none = found.beside(Strength(0.0, 0.0))
    assert none.estimate == found.estimate
    assert none.low < found.estimate < none.high
    assert robustness_value(found.estimate**2 / found.error**2 / found.degrees) == found.robustness


def test_the_interval_goes_before_the_estimate_and_touches_zero_at_its_own_robustness_value(rng):
    treatment = rng.normal(size=400)
    found = asked(treatment, 0.3 * treatment + rng.normal(size=400), np.zeros((400, 0)))
    assert 0 < found.robustness_interval < found.robustness
    share = found.robustness_interval
    assert found.beside(Strength(share, share)).low == pytest.approx(0, abs=0.02 * found.estimate)
    weak = asked(treatment, 0.01 * treatment + rng.normal(size=400), np.zeros((400, 0)))
    assert weak.robustness_interval == 0
    assert "includes zero as it is" in str(weak)
    assert "none to compare with" in str(weak)


def test_the_strongest_measured_cause_comes_first_and_bounds_widen_with_strength(rng):
    z = rng.normal(size=(500, 3))
    treatment = 0.2 * z[:, 0] + z[:, 1] + rng.normal(size=500)
    outcome = treatment + 0.2 * z[:, 0] + z[:, 1] + rng.normal(size=500)
    found = asked(treatment, outcome, z)
    assert list(found.table.index) == ["z1", "z0", "z2"]
    assert found.table["estimate"].is_monotonic_increasing
    ends = [found.bounds(strength) for strength in (0.0, 0.1, 0.5)]
    assert [each.low for each in ends] == sorted((each.low for each in ends), reverse=True)
    assert [each.high for each in ends] == sorted(each.high for each in ends)


def test_the_picture_has_a_dot_for_each_measured_cause_and_a_line_where_nothing_is_left(rng):
    z = rng.normal(size=(300, 2))
    treatment = z[:, 0] + rng.normal(size=300)
    axes = asked(treatment, treatment + z[:, 0] + rng.normal(size=300), z).plot()
    assert [text.get_text() for text in axes.texts if text.get_text().startswith("z")] == ["z0", "z1"]
    assert axes.get_xlim()[1] > 0.05


def test_a_treatment_without_a_contrast_in_the_rows_is_refused():
    with pytest.raises(DataError, match="'x' has the same value in all rows"):
        asked(np.ones(50), np.arange(50.0), np.zeros((50, 0)))


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    age = rng.normal(size=300)
    dose = (rng.logistic(size=300) < age).astype(int)
    table = pd.DataFrame({"age": age, "dose": dose, "pain": age - dose + rng.normal(size=300)})
    return FiP(order=["age", "dose", "pain"], random_state=0).fit(table), table


def test_a_model_is_asked_by_name(model):
    found = model[0].sensitivity("dose", on="pain", strength=0.1)
    assert found.estimate == pytest.approx(-1, abs=0.4)
    assert list(found.table.index) == ["age"]
    assert "setting dose to 1 instead of 0 changes pain by" in str(found)
    assert "One that explains 10.0% of both would leave" in str(found)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ({"strength": 1.0}, "at least 0 and below 1, not 1"),
        ({"strength": -0.1}, "at least 0 and below 1, not -0.1"),
        ({"treatment": "pain"}, "its own cause: name two columns"),
        ({"treatment": "pain", "on": "age"}, "puts 'age' before 'pain'"),
        ({"treated": 2}, "2 is not a level of column 'dose': choose one of 0, 1"),
        ({"level": 95}, "between 0 and 1"),
        ({"rows": {"dose": 1}}, "'dose' is constant"),
        ({"rows": lambda table: table.assign(age=40.0 + 30.0 * table["dose"])}, "no overlap at all"),
    ],
)
def test_questions_without_an_answer_are_refused_in_one_sentence(model, question, says):
    fitted, table = model
    question = {"treatment": "dose", "on": "pain", **question}
    if "rows" in question:
        made = question["rows"]
        question["rows"] = made(table) if callable(made) else table.assign(**made)
    with pytest.raises(DataError, match=says) as refusal:
        fitted.sensitivity(**question)
    assert "\n" not in str(refusal.value)
