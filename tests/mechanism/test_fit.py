import numpy as np
import pandas as pd
import pytest

from fipscm.errors import GraphError, UnknownNameError
from fipscm.graph import allowed_from_adjacency, allowed_from_order
from fipscm.mechanism import LearnedSCM, MechanismConfig, TrainingConfig, TransformerConfig, fit_mechanism
from fipscm.mechanism import fit as fitting
from fipscm.mechanism.fit import Kinds, Known, Learner, Table, find
from fipscm.mechanism.progress import silent
from fipscm.mechanism.transformer import Transformer
from fipscm.metrics import directed_f1, rescaled_l2
from fipscm.simulate import counterfactual_tests, known_scm, sample_scm

SMALL = TransformerConfig(width=16, heads=2, head_width=8, layers=2, hidden=16)
SHORT = TrainingConfig(epochs=3)
QUICK = MechanismConfig(transformer=SMALL, training=SHORT)
PAPER = MechanismConfig(skip=False, edges="jacobian", noise="additive", transformer=SMALL, training=SHORT)


@pytest.fixture(scope="module")
def simpson():
    scm = known_scm("simpson")
    return scm, scm.sample(1_000, np.random.default_rng(0)), allowed_from_order(scm.order)


@pytest.fixture(scope="module", params=[QUICK, PAPER], ids=["default", "paper"])
def model(request, simpson):
    _, frame, allowed = simpson
    return fit_mechanism(frame, allowed, request.param)


@pytest.fixture(scope="module")
def default(simpson):
    _, frame, allowed = simpson
    return fit_mechanism(frame, allowed, QUICK)


def linear_table(rows=400, seed=0):
    """a -> b -> d and a -> c: b and c are neighbours in the order, without an edge."""
    noise = np.random.default_rng(seed).standard_normal((rows, 4))
    a, b = noise[:, 0], noise[:, 0] + 0.5 * noise[:, 1]
    return pd.DataFrame({"a": a, "b": b, "c": 0.7 * noise[:, 2] - a, "d": 2 * b + noise[:, 3]})


def same(one, other):
    """Whether two models are the same, bit for bit."""
    first, second = one.arrays(), other.arrays()
    assert list(first) == list(second)
    return all(np.array_equal(first[n], second[n], equal_nan=first[n].dtype.kind == "f") for n in first)


def mean_error(scm, frame, learned, seed=1):
    scale = frame.to_numpy().std(axis=0)
    errors = [
        rescaled_l2(test.truth.to_numpy(), learned.counterfactual(test.factual, test.do).to_numpy(), scale)
        for test in counterfactual_tests(scm, frame, np.random.default_rng(seed))
    ]
    return np.mean(errors)


@pytest.mark.parametrize("name", ["lin-in", "lin-out"])
def test_linear_scms_are_learned_almost_exactly(name):
    scm = sample_scm(name, 6, np.random.default_rng(3))
    frame = scm.sample(4_000, np.random.default_rng(4))
    learned = fit_mechanism(frame, allowed_from_order(scm.order), QUICK)
    assert directed_f1(learned.adjacency, scm.adjacency) >= 0.97
    assert mean_error(scm, frame, learned) < 0.04


def test_nonlinear_counterfactuals_are_close(simpson, default):
    scm, frame, _ = simpson
    assert mean_error(scm, frame, default) < 0.2


def test_noise_round_trip(model, simpson):
    rows = simpson[1].to_numpy()[:100]
    np.testing.assert_allclose(model.noise_to_sample(model.sample_to_noise(rows)), rows, rtol=1e-5, atol=1e-5)


def test_samples_resemble_the_table(model, simpson):
    drawn, frame = model.sample(2_000, np.random.default_rng(3)), simpson[1]
    assert ((drawn.mean() - frame.mean()).abs() < 0.2 * frame.std()).all()
    assert ((drawn.std() / frame.std() - 1).abs() < 0.3).all()


def test_the_model_survives_its_arrays(model, simpson):
    again = LearnedSCM.restore(model.arrays(), model.settings())
    rows, do = simpson[1].iloc[:20], {model.names[0]: 1.0}
    pd.testing.assert_frame_equal(again.counterfactual(rows, do), model.counterfactual(rows, do), check_exact=True)
    assert same(again, model)


def test_a_network_is_stored_once_and_said_to_be_one(simpson):
    _, frame, allowed = simpson
    paper = fit_mechanism(frame, allowed, PAPER)
    stored = paper.arrays()
    assert paper.settings()["transformer"]["variables"] == 4
    assert len([name for name in stored if name.endswith("decoder")]) == 1
    shapes = [mechanism.predictor.shape for mechanism in paper.mechanisms]
    has_causes = paper.allowed.any(axis=1)
    assert [shape == "transformer" for shape in shapes] == has_causes.tolist()


def test_the_same_seed_gives_the_same_model(simpson, default):
    _, frame, allowed = simpson
    assert same(fit_mechanism(frame, allowed, QUICK), default)
    assert same(*(fit_mechanism(frame, allowed, PAPER, seed=3) for _ in range(2)))


def test_jobs_make_no_difference():
    frame, allowed = linear_table(), allowed_from_order(range(4))
    one, two = (fit_mechanism(frame, allowed, MechanismConfig(jobs=jobs)) for jobs in (1, 2))
    assert same(one, two)


def test_the_order_of_the_columns_is_a_matter_of_taste():
    frame, allowed = linear_table(), allowed_from_order(range(4))
    backwards = np.arange(4)[::-1]
    one = fit_mechanism(frame, allowed, QUICK)
    other = fit_mechanism(frame.iloc[:, backwards], allowed[np.ix_(backwards, backwards)], QUICK)
    np.testing.assert_array_equal(other.adjacency[np.ix_(backwards, backwards)], one.adjacency)
    np.testing.assert_allclose(other.edge_weights[np.ix_(backwards, backwards)], one.edge_weights, atol=1e-6)


def learner_of(frame, config=QUICK):
    table = Table.of(frame, Kinds.of(None, None, frame.shape[1]), None, 0)
    return Learner(table, config, Transformer.of(table.inputs, config, 0, silent, None))


@pytest.fixture
def learned_columns(monkeypatch):
    """The names of columns, as they are learned."""
    names, learn = [], fitting.learn_column

    def spy(data, config):
        names.append(data.name)
        return learn(data, config)

    monkeypatch.setattr(fitting, "learn_column", spy)
    return names


def test_only_columns_whose_causes_changed_are_learned_anew(learned_columns):
    learner, mask = learner_of(linear_table()), np.zeros((4, 4), dtype=bool)
    mask[1, 0] = mask[3, 1] = True
    first = learner.mechanisms(mask, {}, silent)
    assert sorted(learned_columns) == list("abcd")
    learned_columns.clear()
    mask[3, 2] = True
    second = learner.mechanisms(mask, {}, silent)
    assert learned_columns == ["d"]
    assert [one is other for one, other in zip(first, second, strict=True)] == [True, True, True, False]
    mask[3, 2] = False
    learned_columns.clear()
    assert learner.mechanisms(mask, {}, silent)[3] is first[3]
    assert learned_columns == []


def test_neighbours_without_an_edge_may_be_swapped_for_nothing(learned_columns):
    frame = linear_table()
    learner = learner_of(frame)
    for order in ([0, 1, 2, 3], [0, 2, 1, 3]):
        allowed = allowed_from_order(order)
        found = find(learner.table, allowed, np.zeros_like(allowed), None, QUICK, 0, silent)
        learner.selections(found.kept, allowed, found, silent)
        assert sorted(learned_columns) == list("abcd")


def test_a_score_is_evidence_whatever_the_rule(simpson, default):
    scm, frame, allowed = simpson
    graph = allowed_from_adjacency(scm.adjacency)
    by_rule, on_graph = fit_mechanism(frame, allowed, PAPER), fit_mechanism(frame, graph, QUICK, required=graph)
    for learned in (default, by_rule, on_graph):
        assert (learned.edge_scores[scm.adjacency == 1] > 2).all()
        assert (learned.edge_scores >= 0).all()


def test_effects_have_signs_and_units():
    rng = np.random.default_rng(0)
    cause = 10 * rng.standard_normal(1_000)
    frame = pd.DataFrame({"cause": cause, "effect": -0.3 * cause + rng.standard_normal(1_000)})
    learned = fit_mechanism(frame, allowed_from_order([0, 1]), QUICK)
    assert learned.edge_weights[0, 1] == pytest.approx(-0.3, abs=0.01)
    assert learned.edge_derivatives[0, 1] == pytest.approx(3 / 10**0.5, abs=0.02)
    assert learned.edge_scores[0, 1] > 2 > learned.edge_scores[1, 0]


def test_required_edges_stay_and_forbidden_ones_never_come(simpson):
    scm, frame, _ = simpson
    allowed = allowed_from_order(scm.order)
    forbidden = tuple(np.argwhere(allowed_from_adjacency(scm.adjacency))[0])
    allowed[forbidden] = False
    absent = tuple(np.argwhere(allowed & ~allowed_from_adjacency(scm.adjacency))[0])
    required = np.zeros_like(allowed)
    required[absent] = True
    learned = fit_mechanism(frame, allowed, QUICK, required=required)
    assert learned.allowed[absent]
    assert not learned.allowed[forbidden]


def test_a_known_graph_is_kept_whole(simpson):
    scm, frame, _ = simpson
    graph = allowed_from_adjacency(scm.adjacency)
    np.testing.assert_array_equal(fit_mechanism(frame, graph, QUICK, required=graph).adjacency, scm.adjacency)


def test_without_pruning_the_model_reads_every_predecessor():
    allowed = allowed_from_order(range(4))
    learned = fit_mechanism(linear_table(), allowed, MechanismConfig(prune=False))
    np.testing.assert_array_equal(learned.allowed, allowed)


@pytest.mark.parametrize(("threshold", "kept"), [(0.0, True), (1e6, False)])
def test_the_jacobian_rule_keeps_what_exceeds_its_threshold(threshold, kept):
    allowed = allowed_from_order(range(4))
    config = MechanismConfig("jacobian", threshold=threshold)
    np.testing.assert_array_equal(fit_mechanism(linear_table(), allowed, config).allowed, allowed & kept)


def test_posterior_odds_need_a_prior_and_keep_what_both_hold():
    frame, allowed = linear_table(), allowed_from_order(range(4))
    config = MechanismConfig(edges="posterior")
    with pytest.raises(GraphError, match="prior"):
        fit_mechanism(frame, allowed, config)
    learned = fit_mechanism(frame, allowed, config, prior=np.where(allowed, 0.2, 0.0))
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[0, 2] = expected[1, 3] = 1
    np.testing.assert_array_equal(learned.adjacency, expected)
    assert ((learned.edge_scores > 0) == (expected == 1)).all()


def test_a_finished_fit_leaves_no_checkpoint(simpson, tmp_path):
    _, frame, allowed = simpson
    model = fit_mechanism(frame, allowed, PAPER, checkpoint=tmp_path / "run")
    assert not list(tmp_path.iterdir())
    assert same(model, fit_mechanism(frame, allowed, PAPER, checkpoint=tmp_path / "run"))


def test_a_fit_killed_while_refitting_ends_as_if_it_had_not_been(simpson, tmp_path):
    _, frame, allowed = simpson
    config = MechanismConfig(
        "jacobian", threshold=0.5, skip=False, noise="additive", transformer=SMALL, training=TrainingConfig(epochs=2)
    )
    whole, begun = fit_mechanism(frame, allowed, config), []

    def interrupt(stage, done, total, note):
        begun.append((stage, done))
        if begun.count(("Training", 1)) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_mechanism(frame, allowed, config, on_progress=interrupt, checkpoint=tmp_path / "run")
    assert len(list(tmp_path.iterdir())) == 1
    assert same(whole, fit_mechanism(frame, allowed, config, checkpoint=tmp_path / "run"))


def test_progress_is_told_to_the_end():
    told = []
    fit_mechanism(linear_table(), allowed_from_order(range(4)), QUICK, on_progress=lambda *each: told.append(each[:3]))
    assert ("Learning mechanisms", 4, 4) in told


def test_a_noiseless_effect_is_learned_exactly():
    cause = np.random.default_rng(0).standard_normal(500)
    frame = pd.DataFrame({"cause": cause, "effect": 3 * cause + 1})
    learned = fit_mechanism(frame, allowed_from_order([0, 1]), QUICK)
    np.testing.assert_allclose(learned.counterfactual(frame, {"cause": 2.0})["effect"], 7.0, atol=1e-4)
    assert np.isfinite(learned.edge_scores).all()


def test_one_column_is_a_model_too():
    table = pd.DataFrame({"x": np.random.default_rng(0).standard_normal(30)})
    learned = fit_mechanism(table, np.zeros((1, 1), dtype=bool), QUICK)
    assert learned.sample(5, np.random.default_rng(1)).shape == (5, 1)


def test_few_rows_are_a_model_too():
    learned = fit_mechanism(linear_table(12), allowed_from_order(range(4)), QUICK)
    assert np.isfinite(learned.sample(50, np.random.default_rng(1)).to_numpy()).all()


def test_what_is_drawn_provisionally_has_lines_and_curves_with_additive_noise():
    rng = np.random.default_rng(0)
    cause = rng.standard_normal(400)
    frame = pd.DataFrame({"cause": cause, "effect": np.exp(cause + 0.5 * rng.standard_normal(400))})
    allowed = allowed_from_order([0, 1])
    learned = fit_mechanism(frame, allowed, MechanismConfig(provisional=True), required=allowed)
    assert [each.response.kind for each in learned.mechanisms] == ["additive", "additive"]


@pytest.mark.parametrize("noise", ["location-scale", "monotone"])
def test_noise_that_was_asked_for_is_taken_and_told(noise):
    rng = np.random.default_rng(0)
    cause = rng.standard_normal(250)
    frame = pd.DataFrame({"cause": cause, "effect": cause + 0.5 * rng.standard_normal(250)})
    allowed = allowed_from_order([0, 1])
    learned = fit_mechanism(frame, allowed, MechanismConfig(noise=noise), required=allowed)
    assert [each.response.kind for each in learned.mechanisms] == ["additive", noise]
    (taken,) = [each.candidate for each in learned.trials if (each.column, each.verdict) == ("effect", "taken")]
    assert taken == f"linear, {noise}"


def test_a_cyclic_or_misshapen_mask_is_refused():
    with pytest.raises(GraphError, match="cycle"):
        fit_mechanism(linear_table(40), ~np.eye(4, dtype=bool), QUICK)
    with pytest.raises(GraphError, match="4 columns"):
        fit_mechanism(linear_table(40), np.zeros((2, 2), dtype=bool), QUICK)


def test_unknown_names_in_a_configuration_are_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'jacobian'"):
        MechanismConfig(edges="jacobean")
    with pytest.raises(UnknownNameError, match="monotone"):
        MechanismConfig(noise="monoton")


def test_rows_are_not_changed(simpson):
    _, frame, allowed = simpson
    before, mask = frame.copy(), allowed.copy()
    fit_mechanism(frame, allowed, QUICK)
    pd.testing.assert_frame_equal(frame, before)
    np.testing.assert_array_equal(allowed, mask)


def test_a_fit_on_an_order_of_the_same_edges_learns_nothing_anew():
    table, known = known_scm("triangle").sample(300, np.random.default_rng(0)).assign(x3=range(300)), Known(0)
    graph = np.zeros((4, 4), dtype=bool)
    graph[1, 0] = graph[2, [0, 1]] = True
    for order in ([0, 1, 2, 3], [3, 0, 1, 2]):
        model = fit_mechanism(table, graph, order=np.array(order), required=graph, known=known)
        assert len(known.selections) == 4
    graph[2, 0] = False
    changed = fit_mechanism(table, graph, required=graph, known=known)
    assert len(known.selections) == 5
    assert changed.mechanisms[1] is model.mechanisms[1]
