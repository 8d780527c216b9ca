import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from fipscm.bench.data.problem import Problem
from fipscm.bench.methods import dowhy_gcm, flows
from fipscm.errors import InterventionError, UnknownNameError
from fipscm.simulate import known_scm

pytest.importorskip("dowhy")
pytest.importorskip("causalflows")

SCM = known_scm("simpson")
INTERVALS_ALONE = "dowhy-bootstrap"  # fits a model for every resample, and keeps none
GENERATIVE_METHODS = {
    method.name: method for method in (*dowhy_gcm.DOWHY_METHODS, *flows.FLOW_METHODS) if method.name != INTERVALS_ALONE
}
TOLD_THE_TRUTH = [name for name, method in GENERATIVE_METHODS.items() if method.given != "rows"]
TARGET, VALUE = "x1", 0.7


@pytest.fixture(scope="module")
def problem():
    # Columns out of causal order, so that nothing works by accident of the layout.
    columns = [2, 0, 3, 1]
    table = SCM.sample(600, np.random.default_rng(1)).iloc[:, columns]
    return Problem(table, SCM.adjacency[np.ix_(columns, columns)], table.std(ddof=0).to_numpy())


@pytest.fixture(scope="module")
def models(problem):
    return {name: method.solve(problem, np.random.default_rng(2)).model for name, method in GENERATIVE_METHODS.items()}


@pytest.fixture(params=GENERATIVE_METHODS)
def model(request, models):
    return models[request.param]


@pytest.fixture
def rows(problem):
    return problem.table.head(50).set_axis([f"unit {row}" for row in range(50)])


def test_doing_nothing_returns_the_factual_rows(model, rows):
    pd.testing.assert_frame_equal(model.counterfactual(rows, {}), rows, atol=1e-6, check_exact=False)


def test_setting_a_variable_to_what_it_was_changes_nothing(model, rows):
    unit = rows.head(1)
    answer = model.counterfactual(unit, {TARGET: unit[TARGET].item()})
    pd.testing.assert_frame_equal(answer, unit, atol=1e-6, check_exact=False)


@pytest.mark.parametrize("name", TOLD_THE_TRUTH)
def test_a_counterfactual_sets_its_target_and_keeps_what_stands_before_it(name, models, problem, rows):
    answer = models[name].counterfactual(rows, {TARGET: VALUE})
    np.testing.assert_allclose(answer[TARGET], VALUE, atol=1e-8)
    order = list(problem.table.columns[problem.order])
    before = order[: order.index(TARGET)]
    assert before
    np.testing.assert_allclose(answer[before], rows[before], atol=1e-6)
    assert (answer["x2"] - rows["x2"]).abs().max() > 0.1, "the effect of the target stayed as it was"


@pytest.mark.parametrize("name", TOLD_THE_TRUTH)
def test_a_counterfactual_is_nearer_to_the_truth_than_the_factual_rows(name, models, rows):
    truth = SCM.counterfactual(rows[list(SCM.names)], {"x0": 0.5})
    answer = models[name].counterfactual(rows, {"x0": 0.5})[truth.columns]
    left = rows[truth.columns].assign(x0=0.5)
    assert np.abs(answer - truth).to_numpy().mean() < 0.4 * np.abs(left - truth).to_numpy().mean()


def test_several_targets_take_their_values_at_once(model, rows):
    answer = model.counterfactual(rows, {"x2": -1.0, "x0": 0.5})
    np.testing.assert_allclose(answer[["x0", "x2"]], np.tile([0.5, -1.0], (50, 1)), atol=1e-6)


def test_samples_have_the_columns_and_the_moments_of_the_table(model, problem):
    drawn = model.sample(500, np.random.default_rng(3))
    assert drawn.shape == (500, 4)
    assert list(drawn.columns) == list(problem.table.columns)
    assert ((drawn.mean() - problem.table.mean()).abs() < 0.3 * problem.table.std()).all()
    assert (drawn.std() / problem.table.std()).between(0.7, 1.4).all()


@pytest.mark.parametrize("name", GENERATIVE_METHODS)
def test_the_generator_alone_decides_and_nothing_else_is_touched(name, models, problem, rows):
    table, states = problem.table.copy(), _global_states()
    again = GENERATIVE_METHODS[name].solve(problem, np.random.default_rng(2)).model
    for model in (models[name], again):
        pd.testing.assert_frame_equal(
            model.sample(20, np.random.default_rng(4)), models[name].sample(20, np.random.default_rng(4))
        )
    pd.testing.assert_frame_equal(
        again.counterfactual(rows, {TARGET: VALUE}), models[name].counterfactual(rows, {TARGET: VALUE})
    )
    assert _global_states() == states
    pd.testing.assert_frame_equal(problem.table, table)


def test_the_predicted_graph_never_looks_at_the_true_one(models, problem, rows):
    blind = replace(problem, adjacency=np.zeros_like(problem.adjacency))
    model = GENERATIVE_METHODS["dowhy-predicted"].solve(blind, np.random.default_rng(2)).model
    do = {TARGET: VALUE}
    pd.testing.assert_frame_equal(model.counterfactual(rows, do), models["dowhy-predicted"].counterfactual(rows, do))


def test_additive_noise_is_found_in_the_units_of_the_table(models, problem):
    noise = pd.DataFrame(models["dowhy-graph"].noise(problem.table + 0.0), columns=problem.table.columns)
    x = problem.table.reset_index(drop=True)
    assert noise.mean().abs().max() < 0.05
    np.testing.assert_allclose(noise["x0"], x["x0"] - x["x0"].mean())
    assert np.corrcoef(noise["x2"], x["x2"] - x["x0"] * x["x1"] / 2)[0, 1] > 0.9


@pytest.mark.parametrize("name", [method.name for method in flows.FLOW_METHODS])
def test_a_flow_has_no_additive_noise(name, models, rows):
    assert models[name].noise(rows) is None


def test_only_numbers_for_known_columns_can_be_set(model, rows):
    with pytest.raises(InterventionError, match="one number"):
        model.counterfactual(rows, {TARGET: [1.0, 2.0]})
    with pytest.raises(UnknownNameError, match="y9"):
        model.counterfactual(rows, {"y9": 1.0})


def _global_states():
    kind, keys, *rest = np.random.get_state()  # noqa: NPY002
    return (kind, keys.tobytes(), *rest), random.getstate(), torch.get_rng_state().numpy().tobytes()
