from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fipscm.errors import GraphError, InterventionError, UnknownNameError
from fipscm.graph import allowed_from_adjacency, allowed_from_order
from fipscm.mechanism import LearnedSCM, MechanismConfig, TrainingConfig, TransformerConfig, fit_mechanism
from fipscm.mechanism.regression.box import Box
from fipscm.metrics import directed_f1, rescaled_l2
from fipscm.scm.fixed_point import fixed_point
from fipscm.scm.intervention import Shift
from fipscm.simulate import counterfactual_tests, known_scm, sample_scm

SMALL = TransformerConfig(width=16, heads=2, head_width=8, layers=2, hidden=16)
SHORT = TrainingConfig(epochs=3)
QUICK = MechanismConfig(transformer=SMALL, training=SHORT)
PAPER = MechanismConfig(skip=False, edges="jacobian", noise="additive", transformer=SMALL, training=SHORT)


@pytest.fixture(scope="module")
def simpson():
    scm = known_scm("simpson")
    return scm, scm.sample(2_000, np.random.default_rng(0))


@pytest.fixture(scope="module", params=[QUICK, PAPER], ids=["default", "paper"])
def model(request, simpson):
    scm, frame = simpson
    return fit_mechanism(frame, allowed_from_order(scm.order), request.param)


def mean_error(scm, frame, learned, seed=1):
    scale = frame.to_numpy().std(axis=0)
    errors = [
        rescaled_l2(test.truth.to_numpy(), learned.counterfactual(test.factual, test.do).to_numpy(), scale)
        for test in counterfactual_tests(scm, frame, np.random.default_rng(seed))
    ]
    return np.mean(errors)


@pytest.mark.parametrize("name", ["lin-in", "lin-out"])
def test_linear_scms_are_learned_almost_exactly(name):
    scm = sample_scm(name, 10, np.random.default_rng(3))
    frame = scm.sample(10_000, np.random.default_rng(4))
    learned = fit_mechanism(frame, allowed_from_order(scm.order), QUICK)
    assert directed_f1(learned.adjacency, scm.adjacency) >= 0.97
    assert mean_error(scm, frame, learned) < 0.02


def test_wide_linear_tables_spread_over_many_magnitudes_are_learned():
    scm = sample_scm("lin-out", 50, np.random.default_rng(1))
    frame = scm.sample(6_000, np.random.default_rng(2))
    assert frame.std().max() / frame.std().min() > 1e2
    learned = fit_mechanism(frame, allowed_from_order(scm.order), QUICK)
    assert mean_error(scm, frame, learned) < 0.02


def test_nonlinear_counterfactuals_are_close(simpson):
    scm, frame = simpson
    assert mean_error(scm, frame, fit_mechanism(frame, allowed_from_order(scm.order), QUICK)) < 0.2


def test_one_pass_generation_equals_the_fixed_point_iteration(model):
    noise = model.noise.sample(50, np.random.default_rng(2))

    def step(rows):
        return np.column_stack([model.node_value(node, rows, each) for node, each in enumerate(noise.T)])

    iterated = fixed_point(step, np.zeros_like(noise), len(model.names))
    np.testing.assert_allclose(model.noise_to_sample(noise), iterated, rtol=1e-5, atol=1e-5)


def test_the_model_is_a_fixed_point_scm(model, simpson):
    fixed, rows = model.to_fixed_point(), simpson[1].to_numpy()[:20]
    noise = model.sample_to_noise(rows)
    np.testing.assert_array_equal(fixed.order, model.order)
    np.testing.assert_allclose(fixed.sample_to_noise(rows), noise, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(fixed.noise_to_sample(noise), model.noise_to_sample(noise), rtol=1e-6, atol=1e-6)
    do = {model.names[0]: 1.0, model.names[1]: Shift(0.5)}
    np.testing.assert_allclose(
        fixed.do(do).noise_to_sample(noise), model.do(do).noise_to_sample(noise), rtol=1e-6, atol=1e-6
    )
    fixed.check_structure(rows, noise)


def test_a_score_is_evidence_whatever_the_rule(simpson):
    scm, frame = simpson
    allowed, graph = allowed_from_order(scm.order), allowed_from_adjacency(scm.adjacency)
    by_test = fit_mechanism(frame, allowed, QUICK)
    by_rule = fit_mechanism(frame, allowed, PAPER)
    on_graph = fit_mechanism(frame, graph, QUICK, required=graph)
    for learned in (by_test, by_rule, on_graph):
        assert (learned.edge_scores[scm.adjacency == 1] > 2).all()
        assert (learned.edge_scores >= 0).all()
    # Between standardized columns a derivative is about the correlation, where a score goes into the hundreds.
    assert by_rule.edge_derivatives.max() < 10 < by_rule.edge_scores.max()


def test_a_model_without_network_nodes_carries_no_network(simpson):
    frame = simpson[1]
    learned = fit_mechanism(frame, np.zeros((4, 4), dtype=bool), QUICK)
    assert learned.network is None
    assert not any(name.startswith("network.") for name in learned.arrays())
    again = LearnedSCM.restore(learned.arrays(), learned.settings())
    np.testing.assert_array_equal(again.predict(frame.to_numpy()), learned.predict(frame.to_numpy()))


def test_noise_round_trip(model, simpson):
    rows = simpson[1].to_numpy()[:100]
    np.testing.assert_allclose(model.noise_to_sample(model.sample_to_noise(rows)), rows, rtol=1e-5, atol=1e-5)


def test_doing_nothing_changes_nothing_and_keeps_the_index(model, simpson):
    rows = simpson[1].iloc[5:9]
    pd.testing.assert_frame_equal(model.counterfactual(rows, {}), rows, rtol=1e-5, atol=1e-5)


def test_values_with_labels_find_their_units(model, simpson):
    target, rows = model.names[1], simpson[1].head(20)
    shuffled = rows.sort_values(target)
    changed = model.counterfactual(shuffled, {target: 2 * rows[target]})
    np.testing.assert_array_equal(changed[target], 2 * shuffled[target])


def test_interventions_of_every_kind_reach_their_targets(model, simpson):
    rows = simpson[1].iloc[:6]
    first, second, third, last = model.names
    policy = {first: 1.0, second: Shift(0.5), third: np.arange(6.0), last: lambda upstream: 2 * upstream[first]}
    changed = model.counterfactual(rows, policy)
    assert (changed[first] == 1.0).all()
    assert (changed[third] == np.arange(6.0)).all()
    assert (changed[last] == 2.0).all()
    without_shift = model.counterfactual(rows, {first: 1.0})
    np.testing.assert_allclose(changed[second], without_shift[second] + 0.5)


def test_causes_do_not_react_to_their_effects(model, simpson):
    rows = simpson[1].iloc[:6]
    last = model.names[model.order[-1]]
    changed = model.counterfactual(rows, {last: 9.0}).drop(columns=last)
    pd.testing.assert_frame_equal(changed, rows.drop(columns=last), rtol=1e-5, atol=1e-5)


def test_samples_resemble_the_table(model, simpson):
    drawn = model.sample(2_000, np.random.default_rng(3))
    frame = simpson[1]
    assert ((drawn.mean() - frame.mean()).abs() < 0.2 * frame.std()).all()
    assert ((drawn.std() / frame.std() - 1).abs() < 0.3).all()


def test_the_model_survives_its_arrays(model, simpson):
    rows = simpson[1].iloc[:20]
    again = LearnedSCM.restore(model.arrays(), model.settings())
    intervention = {model.names[0]: 1.0}
    pd.testing.assert_frame_equal(again.counterfactual(rows, intervention), model.counterfactual(rows, intervention))
    np.testing.assert_array_equal(again.edge_weights, model.edge_weights)


def test_an_early_file_without_a_box_has_seen_everything(model):
    arrays = {name: array for name, array in model.arrays().items() if name not in ("low", "high")}
    assert np.isinf(LearnedSCM.restore(arrays, model.settings()).box.low).all()


def test_the_rows_do_not_depend_on_the_box_they_lie_in(model, simpson):
    rows = simpson[1].to_numpy()
    everywhere = replace(model, box=Box.unbounded(len(model.names)))
    np.testing.assert_array_equal(model.box.split(rows)[1], 0)
    np.testing.assert_array_equal(model.predict(rows), everywhere.predict(rows))
    np.testing.assert_array_equal(model.sample_to_noise(rows), everywhere.sample_to_noise(rows))
    np.testing.assert_array_equal(model.jacobian(rows[:50]), everywhere.jacobian(rows[:50]))


def test_beyond_the_rows_derivatives_are_those_of_the_predictions(model, simpson):
    outside = simpson[1].to_numpy()[:20] + 2.5 * model.scale
    assert 0.1 < (model.box.split(outside)[1] != 0).mean() < 0.9, "some columns should lie outside, and some inside"
    derivative = model.jacobian(outside)
    for cause in range(4):
        nudge = 1e-3 * model.scale * np.eye(4)[cause]
        difference = (model.predict(outside + nudge) - model.predict(outside - nudge)) / (2e-3 * model.scale)
        np.testing.assert_allclose(derivative[:, :, cause], difference, atol=2e-3)


def test_beyond_the_rows_effects_go_on_along_a_straight_line(model):
    far = np.linspace(5, 50, 10) * model.scale[0] + model.centre[0]
    rows = np.tile(model.centre, (10, 1))
    rows[:, 0] = far
    bend = np.diff(model.predict(rows), n=2, axis=0)
    np.testing.assert_allclose(bend, 0, atol=1e-6)


def test_the_same_seed_gives_the_same_model(simpson):
    scm, frame = simpson
    first, second = (fit_mechanism(frame, allowed_from_order(scm.order), QUICK, seed=3).arrays() for _ in range(2))
    assert all(np.array_equal(first[name], second[name], equal_nan=True) for name in first)


def test_effects_have_signs_and_units():
    rng = np.random.default_rng(0)
    cause = 10 * rng.standard_normal(2_000)
    frame = pd.DataFrame({"cause": cause, "effect": -0.3 * cause + rng.standard_normal(2_000)})
    learned = fit_mechanism(frame, allowed_from_order([0, 1]), QUICK)
    assert learned.edge_weights[0, 1] == pytest.approx(-0.3, abs=0.01)
    assert learned.edge_scores[0, 1] > 2 > learned.edge_scores[1, 0]


def test_required_edges_stay_and_forbidden_ones_never_come(simpson):
    scm, frame = simpson
    allowed = allowed_from_order(scm.order)
    forbidden = np.argwhere(allowed_from_adjacency(scm.adjacency))[0]
    allowed[tuple(forbidden)] = False
    absent = np.argwhere(allowed & ~allowed_from_adjacency(scm.adjacency))[0]
    required = np.zeros_like(allowed)
    required[tuple(absent)] = True
    learned = fit_mechanism(frame, allowed, QUICK, required=required)
    assert learned.allowed[tuple(absent)]
    assert not learned.allowed[tuple(forbidden)]


def test_a_known_graph_is_kept_whole(simpson):
    scm, frame = simpson
    allowed = allowed_from_adjacency(scm.adjacency)
    learned = fit_mechanism(frame, allowed, QUICK, required=allowed)
    np.testing.assert_array_equal(learned.adjacency, scm.adjacency)


def test_without_pruning_the_model_reads_every_predecessor(simpson):
    scm, frame = simpson
    allowed = allowed_from_order(scm.order)
    learned = fit_mechanism(frame, allowed, MechanismConfig(prune=False, transformer=SMALL, training=QUICK.training))
    np.testing.assert_array_equal(learned.allowed, allowed)


def test_the_jacobian_rule_keeps_what_exceeds_its_threshold(simpson):
    scm, frame = simpson
    allowed = allowed_from_order(scm.order)
    for threshold, expected in ((0.0, allowed), (1e6, np.zeros_like(allowed))):
        config = MechanismConfig("jacobian", threshold=threshold, transformer=SMALL, training=TrainingConfig(epochs=1))
        np.testing.assert_array_equal(fit_mechanism(frame, allowed, config).allowed, expected)


def test_a_finished_fit_leaves_no_checkpoint(simpson, tmp_path):
    scm, frame = simpson
    model = fit_mechanism(frame, allowed_from_order(scm.order), PAPER, checkpoint=tmp_path / "run")
    again = fit_mechanism(frame, allowed_from_order(scm.order), PAPER, checkpoint=tmp_path / "run")
    np.testing.assert_array_equal(model.predict(frame), again.predict(frame))
    assert not list(tmp_path.iterdir())


def test_a_fit_killed_while_refitting_ends_as_if_it_had_not_been(simpson, tmp_path):
    scm, frame = simpson
    config = MechanismConfig(
        "jacobian", threshold=0.5, skip=False, transformer=SMALL, training=TrainingConfig(epochs=2)
    )
    whole = fit_mechanism(frame, allowed_from_order(scm.order), config)
    begun = []

    def interrupt(stage, done, total, note):
        begun.append((stage, done))
        if begun.count(("Training", 1)) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_mechanism(frame, allowed_from_order(scm.order), config, on_progress=interrupt, checkpoint=tmp_path / "run")
    assert len(list(tmp_path.iterdir())) == 1
    resumed = fit_mechanism(frame, allowed_from_order(scm.order), config, checkpoint=tmp_path / "run")
    np.testing.assert_array_equal(whole.predict(frame), resumed.predict(frame))


def test_a_noiseless_effect_is_learned_exactly():
    cause = np.random.default_rng(0).standard_normal(500)
    frame = pd.DataFrame({"cause": cause, "effect": 3 * cause + 1})
    learned = fit_mechanism(frame, allowed_from_order([0, 1]), QUICK)
    np.testing.assert_allclose(learned.counterfactual(frame, {"cause": 2.0})["effect"], 7.0)
    assert np.isfinite(learned.edge_scores).all()


def test_one_column_is_a_model_too():
    table = pd.DataFrame({"x": np.random.default_rng(0).standard_normal(30)})
    learned = fit_mechanism(table, np.zeros((1, 1), dtype=bool), QUICK)
    assert learned.sample(5, np.random.default_rng(1)).shape == (5, 1)


def good_table(rows=40):
    return pd.DataFrame(np.random.default_rng(0).standard_normal((rows, 3)), columns=list("abc"))


def test_a_cyclic_or_misshapen_mask_is_refused():
    with pytest.raises(GraphError, match="cycle"):
        fit_mechanism(good_table(), ~np.eye(3, dtype=bool), QUICK)
    with pytest.raises(GraphError, match="3 columns"):
        fit_mechanism(good_table(), np.zeros((2, 2), dtype=bool), QUICK)


def test_bad_interventions_are_refused(model):
    with pytest.raises(UnknownNameError, match="nowhere"):
        model.do({"nowhere": 1.0})
    with pytest.raises(InterventionError, match="NaN"):
        model.do({model.names[0]: np.nan})


def test_an_unknown_edge_rule_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'jacobian'"):
        MechanismConfig(edges="jacobean")
