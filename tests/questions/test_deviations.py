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
    deviation, functions = found.columns[node], learned.mechanisms[node].predictor.basis.functions
    far = deviation.inputs.range.high + np.arange(1, 4)[:, None]  # three steps of equal length beyond
    nearest, rise = deviation(1, far, functions)
    assert deviation.coefficients[1, 1 + far.shape[1] :].any()
    np.testing.assert_allclose(nearest, nearest[[0, 0, 0]])
    np.testing.assert_allclose(rise, rise[0] * np.arange(1, 4)[:, None], rtol=1e-3, atol=1e-6)


def test_rows_in_which_a_column_was_set_tell_nothing_about_it(learned, rows):
    spoiled, where = rows.to_numpy().copy(), np.zeros(rows.shape, dtype=bool)
    spoiled[:100, 2], where[:100, 2] = 50.0, True
    found, expected = (
        draw_deviations(learned, table, ORDERED, np.random.default_rng(0), intervened)
        for table, intervened in ((spoiled, where), (np.where(where, 0, rows), where))
    )
    for one, other in zip(found.columns, expected.columns, strict=True):
        np.testing.assert_array_equal(one.coefficients, other.coefficients)


def test_a_stored_set_of_deviations_makes_the_same_models(learned, deviations, rng):
    restored = Deviations.restore(deviations.arrays())
    noise = rng.normal(size=(20, 3))
    for one, other in zip(plausible_models(learned, deviations), plausible_models(learned, restored), strict=True):
        np.testing.assert_array_equal(one.noise_to_sample(noise), other.noise_to_sample(noise))


@pytest.mark.parametrize("count", [25, 300])
def test_columns_that_others_determine_and_many_columns_for_the_rows_have_finite_deviations(count, rng):
    table = rng.normal(size=(count, 20))
    table[:, 5], table[:, 19] = 2 * table[:, 3], table[:, 3] - table[:, 4]
    frame = pd.DataFrame(table, columns=[f"x{i}" for i in range(20)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few rows
        learned = fit_mechanism(frame, allowed_from_order(np.arange(20)))
    found = draw_deviations(learned, table, allowed_from_order(np.arange(20)), rng)
    for deviation in found.columns:
        assert np.isfinite(deviation.coefficients).all()
        assert np.abs(deviation.coefficients[:, : 1 + len(deviation.inputs.centre)]).max() < 20


def test_a_column_whose_noise_multiplies_deviates_on_the_scale_of_logarithms():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(400)
    rows = pd.DataFrame({"x": x, "y": np.exp(0.8 * x + 0.5 * rng.standard_normal(400))})
    allowed = np.array([[False, False], [True, False]])
    scm = fit_mechanism(rows, allowed, required=allowed)
    assert scm.mechanisms[1].response.kind == "logarithm"
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
    models = plausible_models(scm, found)
    slopes = [np.diff(model.mechanisms[1].at(units[:, :1]).location[:, 0])[0] / 2 for model in models]
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
    units, spreads = np.array([[-2.0, 0.0], [2.0, 0.0]]), []
    for labels in (None, clusters):
        found = draw_deviations(scm, rows.to_numpy(), possible, np.random.default_rng(0), clusters=labels)
        slopes = [np.diff(model.mean(1, units))[0] for model in plausible_models(scm, found)]
        spreads.append(np.std(slopes[1:]))
    # The variance of the mean of ten products, each pair of which is correlated by one half times one half.
    assert spreads[1] / spreads[0] == pytest.approx(np.sqrt(1 + 9 / 4), rel=0.3)


def test_the_score_of_a_level_deviates_as_far_as_logistic_regression_may_err(wards):
    rows, scm, found = wards
    units = np.array([[-1.0, 0.0], [1.0, 0.0]])
    slopes = np.array(
        [
            np.diff(model.mechanisms[1].at(units[:, :1]).location, axis=0)[0] / 2
            for model in plausible_models(scm, found)
        ]
    )
    share = scm.mean(1, rows.to_numpy())
    functions = np.column_stack([np.ones(len(rows)), rows["x"]])
    for level in range(3):
        weight = share[:, level] * (1 - share[:, level])
        error = np.sqrt(np.linalg.inv((functions * weight[:, None]).T @ functions)[1, 1])
        assert 0.7 < np.std(slopes[1:, level], ddof=1) / error < 1.8  # a little more for bends


def test_a_plausible_model_has_a_category_and_noises_for_each_level(wards, rng):
    rows, scm, found = wards
    for model in list(plausible_models(scm, found))[:2]:
        noise = model.sample_to_noise(rows.to_numpy(), rng)
        assert noise.shape == (len(rows), 4)
        np.testing.assert_allclose(model.noise_to_sample(noise), rows)


@pytest.fixture(scope="module")
def wards():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(1500)
    ward = (np.column_stack([0 * x, x, -x]) + rng.gumbel(size=(1500, 3))).argmax(axis=1)
    rows, allowed = pd.DataFrame({"x": x, "ward": ward.astype(float)}), np.array([[False, False], [True, False]])
    scm = fit_mechanism(rows, allowed, required=allowed, kinds=("continuous", "categorical"), levels=(0, 3))
    return rows, scm, draw_deviations(scm, rows.to_numpy(), allowed, np.random.default_rng(0))


def test_amounts_with_zeros_deviate_in_whether_there_is_one_and_in_how_much(rng):
    x = rng.standard_normal(1500)
    some = rng.random(1500) < expit(x)
    rows = pd.DataFrame({"x": x, "rain": np.where(some, 10 + x + rng.standard_normal(1500), 0.0)})
    allowed = np.array([[False, False], [True, False]])
    scm = fit_mechanism(rows, allowed, required=allowed)
    assert scm.mechanisms[1].response.kind == "zero-inflated"
    found = draw_deviations(scm, rows.to_numpy(), allowed, rng)
    units = np.array([[-1.0, 0.0], [1.0, 0.0]])
    at = np.array([model.mechanisms[1].at(units[:, :1]).location for model in plausible_models(scm, found)])
    slopes = np.diff(at, axis=1)[:, 0] / 2
    scale = scm.mechanisms[1].response.amount.scale
    of_amount = scale * slopes[:, 0]
    assert of_amount[0] == pytest.approx(1, abs=0.2)
    assert 0.7 < of_amount[1:].std() * np.sqrt(some.sum() * x[some].var()) < 1.8  # those with an amount tell
    assert slopes[0, 1] == pytest.approx(1, abs=0.2)
    share = expit(x)
    functions = np.column_stack([np.ones(1500), x])
    error = np.sqrt(np.linalg.inv((functions * (share * (1 - share))[:, None]).T @ functions)[1, 1])
    assert 0.7 < slopes[1:, 1].std() / error < 1.8
