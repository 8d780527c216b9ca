import numpy as np
import pytest

from fipscm.effects import Effect, Question, bootstrap_corrections, corrected, interval
from fipscm.graph import allowed_from_adjacency
from fipscm.simulate import Noise, sample_scm
from fipscm.simulate.mechanisms import Equation, Linear
from fipscm.structural import StandardSCM

ADJACENCY = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=np.int8)
QUESTION = Question("x0", "x2", treated=2.0, control=1.0)


def linear_scm(weights, bias=(0.0, 0.0, 0.0)):
    equations = tuple(Equation(Linear(np.asarray(w, float), b)) for w, b in zip(weights, bias, strict=True))
    return StandardSCM.build(ADJACENCY, Noise.of("normal", np.ones(3)), equations)


TRUTH = linear_scm([[], [2.0], [1.0, -0.25]])  # the effect of x0 on x2 is 1 - 0.5


def least_squares(rows):
    weights, bias = [], []
    for node in range(3):
        design = np.column_stack([np.ones(len(rows)), rows[:, ADJACENCY[:, node] == 1]])
        solution = np.linalg.lstsq(design, rows[:, node])[0]
        weights.append(solution[1:])
        bias.append(solution[0])
    return linear_scm(weights, bias)


def corrections_of(scm, rows, rng, resamples):
    means = rows - scm.sample_to_noise(rows)
    return bootstrap_corrections(rows, means, allowed_from_adjacency(scm.adjacency), rng, resamples)


def test_the_effect_in_a_linear_scm_is_the_sum_over_paths(rng):
    assert QUESTION.answer(TRUTH, TRUTH.noise.sample(10, rng)) == pytest.approx(0.5)


def test_no_correction_changes_nothing(rng):
    scm = sample_scm("rff-in", 4, rng)
    noise = scm.noise.sample(20, rng)
    same = corrected(scm, np.zeros((4, 6)))
    np.testing.assert_allclose(same.noise_to_sample(noise), scm.noise_to_sample(noise), atol=1e-9)


def test_corrections_spread_as_least_squares_does_and_roots_have_none(rng):
    rows, _ = TRUTH.sample_arrays(400, rng)
    scm = least_squares(rows)
    corrections = corrections_of(scm, rows, rng, resamples=200)
    assert not corrections[:, 0, 2:].any()
    slope = scm.functions[1].location.weights[0] * corrections[:, 1, 1] + corrections[:, 1, 2]
    assert slope.std() == pytest.approx(1 / np.sqrt(400), rel=0.25)  # unit noise, unit spread of x0


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    covered = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows, _ = TRUTH.sample_arrays(200, rng)
        scm = least_squares(rows)
        corrections = corrections_of(scm, rows, rng, resamples=60)
        low, high = interval(QUESTION, scm, corrections, scm.noise.sample(100, rng), 0.9, rng)
        covered += low <= 0.5 <= high
    assert 30 <= covered <= 40


def test_an_effect_says_so_when_its_sign_depends_on_the_order():
    firm = Effect(QUESTION, 0.5, 0.4, 0.6, 0.95, by_order=(0.4, 0.6))
    shaky = Effect(QUESTION, 0.5, 0.4, 0.6, 0.95, by_order=(0.4, -0.1))
    assert not firm.sign_flips
    assert shaky.sign_flips
    assert "sign depends on the order" in str(shaky)
    assert "changes x2 by 0.5 on average (95% interval 0.4 to 0.6)" in str(firm)
    assert float(firm) == 0.5
