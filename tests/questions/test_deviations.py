import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from fipscm.estimator import FiP
from fipscm.graph import allowed_from_adjacency, allowed_from_order
from fipscm.mechanism.fit import fit_mechanism
from fipscm.questions.deviations import Deviations, draw_deviations
from fipscm.questions.plausible import plausible_models
from fipscm.scm.standard import StandardSCM
from fipscm.simulate import Noise, known_scm
from fipscm.simulate.mechanisms import Equation, Linear

ADJACENCY = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=np.int8)
SLOPES = ([], [2.0], [0.0, 1.0])
TRUTH = StandardSCM.build(
    ADJACENCY,
    Noise.of("normal", np.ones(3)),
    tuple(Equation(Linear(np.array(weights), 0.0)) for weights in SLOPES),
)
ORDERED = allowed_from_order(np.arange(3))


@pytest.fixture(scope="module")
def rows():
    return TRUTH.sample(400, np.random.default_rng(0))


@pytest.fixture(scope="module")
def learned(rows):
    return fit_mechanism(rows, ORDERED)


@pytest.fixture(scope="module")
def deviations(learned, rows):
    return draw_deviations(learned, rows.to_numpy(), ORDERED, np.random.default_rng(0))


def slopes(learned, deviations, effect, cause):
    """Under each plausible model: the change of the effect's mechanism per unit of the cause, on average."""
    units = np.zeros((2, 50, 3))
    units[:] = TRUTH.sample(50, np.random.default_rng(1)).to_numpy()
    units[1, :, cause] += 1
    none = np.zeros(50)
    return np.array(
        [
            (model.node_value(effect, units[1], none) - model.node_value(effect, units[0], none)).mean()
            for model in plausible_models(learned, deviations)
        ]
    )


def test_mechanisms_spread_about_as_least_squares_does(learned, deviations):
    found = slopes(learned, deviations, 1, 0)
    assert found[0] == pytest.approx(2, abs=0.2)
    assert 0.8 < found[1:].std() * np.sqrt(400) < 1.6  # unit noise, unit spread of x0; a little more for bends


def test_an_edge_that_was_pruned_may_still_be_there(learned, deviations):
    assert not learned.allowed[2, 0]
    assert slopes(learned, deviations, 2, 0)[1:].std() > 0.02


def test_only_possible_causes_matter(learned, rows):
    given = draw_deviations(learned, rows.to_numpy(), allowed_from_adjacency(np.eye(3, k=1)), np.random.default_rng(0))
    assert not slopes(learned, given, 2, 0).any()
    assert not slopes(learned, given, 0, 1).any()


def test_a_plausible_model_abducts_the_noise_it_was_given(learned, deviations, rng):
    noise = rng.normal(size=(20, 3))
    for model in list(plausible_models(learned, deviations))[:3]:
        np.testing.assert_allclose(model.sample_to_noise(model.noise_to_sample(noise)), noise, atol=1e-9)


def test_bends_go_on_along_their_tangents_beyond_the_rows(rng):
    scm = known_scm("simpson")
    table = scm.sample(300, rng)
    learned = fit_mechanism(table, allowed_from_adjacency(scm.adjacency))
    found = draw_deviations(learned, table.to_numpy(), allowed_from_order(learned.order), rng)
    node = int(learned.order[-1])
    box = learned.box.standardized(learned.centre, learned.scale).of_columns(found.possible[node])
    far = box.high + np.arange(1, 4)[:, None]  # three steps of equal length beyond
    nearest, rise = found.of_node(1, node, far, box)
    assert found.amplitudes[1, node].any()
    np.testing.assert_allclose(nearest, nearest[0])
    np.testing.assert_allclose(rise, rise[0] * np.arange(1, 4), rtol=1e-3, atol=1e-6)


def test_rows_in_which_a_column_was_set_tell_nothing_about_it(learned, rows):
    spoiled, where = rows.to_numpy().copy(), np.zeros(rows.shape, dtype=bool)
    spoiled[:100, 2], where[:100, 2] = 50.0, True
    found, expected = (
        draw_deviations(learned, table, ORDERED, np.random.default_rng(0), intervened)
        for table, intervened in ((spoiled, where), (np.where(where, 0, rows), where))
    )
    np.testing.assert_array_equal(found.straight, expected.straight)


def test_corrections_of_an_earlier_version_move_slopes_as_they_did(learned):
    corrections = np.zeros((2, 3, 5))
    corrections[0, 1] = [0.0, 0.5, 0.0, 0.0, 0.0]  # half as steep again
    corrections[1, 1] = [0.3, 0.0, -0.1, 0.0, 0.0]
    found = slopes(learned, Deviations.from_corrections(corrections, learned), 1, 0)
    steps = -0.1 * learned.scale[1] / learned.scale[0]
    np.testing.assert_allclose(found, [found[0], 1.5 * found[0], found[0] + steps])


@pytest.mark.parametrize("count", [25, 300])
def test_columns_that_others_determine_and_many_columns_for_the_rows_have_finite_deviations(count, rng):
    table = rng.normal(size=(count, 20))
    table[:, 5], table[:, 19] = 2 * table[:, 3], table[:, 3] - table[:, 4]
    frame = pd.DataFrame(table, columns=[f"x{i}" for i in range(20)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few rows
        learned = fit_mechanism(frame, allowed_from_order(np.arange(20)))
    found = draw_deviations(learned, table, allowed_from_order(np.arange(20)), rng)
    assert np.isfinite(found.straight).all()
    assert np.abs(found.straight).max() < 20
    assert np.isfinite(found.amplitudes).all()


def test_a_column_whose_noise_multiplies_deviates_on_the_scale_of_logarithms():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(400)
    rows = pd.DataFrame({"x": x, "y": np.exp(0.8 * x + 0.5 * rng.standard_normal(400))})
    allowed = np.array([[False, False], [True, False]])
    scm = fit_mechanism(rows, allowed, required=allowed)
    assert scm.responses[1].kind == "logarithm"
    found = draw_deviations(scm, rows.to_numpy(), allowed, np.random.default_rng(0))
    units = np.array([[0.0, 1.0], [1.0, 1.0]])
    slopes = np.array(
        [np.diff(np.log(model.node_value(1, units, np.zeros(2))))[0] for model in plausible_models(scm, found)]
    )
    assert slopes[0] == pytest.approx(0.8, abs=0.1)
    assert 0.8 < slopes[1:].std() * np.sqrt(400) / 0.5 < 2.0  # as least squares of logarithms; a little more for bends


@pytest.mark.parametrize("rare", [0.0, 3.0])
def test_a_yes_no_column_deviates_as_far_as_logistic_regression_may_err(rare):
    rng = np.random.default_rng(3)
    x = rng.standard_normal(2000)
    rows = pd.DataFrame({"x": x, "y": (rng.random(2000) < expit(3 * x - rare)).astype(float)})
    scm = FiP(order=["x", "y"], random_state=0).fit(rows).scm_
    found = draw_deviations(scm, rows.to_numpy(), np.array([[False, False], [True, False]]), rng)
    units = np.array([[-1.0, 0.0], [1.0, 0.0]])
    slopes = [np.diff(model.situation(1, units)[0])[0] / 2 for model in plausible_models(scm, found)]
    functions, share = np.column_stack([np.ones(2000), x]), expit(3 * x - rare)
    error = np.sqrt(np.linalg.inv((functions * (share * (1 - share))[:, None]).T @ functions)[1, 1])
    assert abs(slopes[0] - 3) < 3 * error
    assert 0.7 < np.std(slopes[1:], ddof=1) / error < 1.5  # a little more for bends; 40 draws err by a tenth


def test_rows_that_err_together_leave_more_open():
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(100), 10)
    x, error = (rng.standard_normal(100)[clusters] + rng.standard_normal(1000) for _ in range(2))
    rows = pd.DataFrame({"x": x, "y": 2 * x + error})
    scm = FiP(order=["x", "y"], noise="additive", random_state=0).fit(rows).scm_
    possible = np.array([[False, False], [True, False]])
    alone, together = (
        draw_deviations(scm, rows.to_numpy(), possible, np.random.default_rng(0), clusters=labels).straight[1:, 1, 1]
        for labels in (None, clusters)
    )
    # The variance of the mean of ten products, each pair of which is correlated by one half times one half.
    assert together.std() / alone.std() == pytest.approx(np.sqrt(1 + 9 / 4), rel=0.3)
