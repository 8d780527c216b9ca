import signal
import warnings
from copy import copy

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

from fipscm import FiP, Knowledge, Shift, load
from fipscm.errors import (
    DataError,
    FipscmError,
    GraphError,
    InterventionError,
    KnowledgeError,
    OrderError,
    UnknownNameError,
)
from fipscm.metrics import rescaled_l2
from fipscm.simulate import known_scm, sample_scm
from fipscm.tables.archive import load_archive, save_archive

ORDER = ["age", "dose", "pain"]


@pytest.fixture(scope="module")
def table():
    frame = known_scm("triangle").sample(4000, np.random.default_rng(0))
    return frame.set_axis(ORDER, axis=1).set_axis([f"row{i}" for i in range(4000)])


@pytest.fixture(scope="module")
def model(table):
    return FiP(order=ORDER, random_state=0).fit(table)


def test_the_contract_of_attributes(model, table):
    assert model.causal_order_ == ORDER
    assert isinstance(model.graph_, nx.DiGraph)
    assert set(model.graph_.edges) == {("age", "dose"), ("age", "pain"), ("dose", "pain")}
    assert model.graph_.edges["age", "dose"]["weight"] == pytest.approx(10, rel=0.05)
    assert model.graph_.edges["age", "dose"]["score"] > model.graph_.edges["age", "pain"]["score"]
    for frame in (model.adjacency_, model.edge_scores_, model.edge_derivatives_):
        assert list(frame.index) == list(frame.columns) == ORDER
    assert model.adjacency_.loc["age", "pain"] == 1
    assert model.adjacency_.loc["pain", "age"] == 0
    assert list(model.feature_names_in_) == ORDER
    assert model.n_features_in_ == 3
    assert nx.utils.graphs_equal(model.to_networkx(), model.graph_)
    assert model.to_networkx() is not model.graph_
    assert 0.5 < model.score(table) < 1


def test_samples_look_like_the_table(model, table):
    drawn = model.sample(4000, random_state=1)
    np.testing.assert_allclose(drawn.mean(), table.mean(), atol=0.2 * table.std().max())
    np.testing.assert_allclose(drawn.corr(), table.corr(), atol=0.05)
    assert list(drawn.columns) == ORDER


def test_interventions_of_every_kind(model):
    do = {"age": np.linspace(0, 1, 50), "dose": lambda up: up["age"] ** 2}
    drawn = model.intervene(do, n=50, random_state=0)
    np.testing.assert_array_equal(drawn["dose"], np.linspace(0, 1, 50) ** 2)
    raised = model.intervene({"pain": Shift(100.0)}, n=50, random_state=0)
    np.testing.assert_allclose(raised["pain"], model.sample(50, random_state=0)["pain"] + 100)


def test_counterfactuals_keep_the_index_and_follow_the_truth(model, table):
    rows = table.head(20)
    imagined = model.counterfactual(rows, {"age": 0.0})
    assert imagined.index.equals(rows.index)
    np.testing.assert_allclose(imagined["pain"], rows["pain"] - 6 * rows["age"], atol=0.6)
    pd.testing.assert_frame_equal(model.counterfactual(rows, {}), rows, atol=1e-9)


def test_abducted_noises_are_the_true_ones_up_to_sign_and_mean(model, table):
    noise = model.abduct(table)
    assert noise.index.equals(table.index)
    truth = known_scm("triangle").sample_to_noise(table.to_numpy())
    for column, name in enumerate(ORDER):
        assert abs(np.corrcoef(truth[:, column], noise[name])[0, 1]) > 0.99


def test_effect_has_an_interval_around_the_truth(model):
    found = model.effect("age", on="pain", treated=2.0, control=1.0)
    assert found.low <= found.estimate <= found.high
    assert found.low < 6 < found.high
    assert float(found) == found.estimate


def chain(rows, rng, weak=0.35):
    """A table in which `a` acts on `b`, and both on `c`: strongly, strongly and weakly, with skewed noises."""
    a, b, c = rng.exponential(size=(3, rows)) - 1
    b = b + 1.1 * a
    return pd.DataFrame({"a": a, "b": b, "c": c + a + weak * b})


def test_intervals_hold_a_weak_effect_at_few_rows_whether_its_edge_was_found_or_not():
    held, lost = 0, 0
    for seed in range(40):
        table = chain(100, np.random.default_rng(seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of few rows
            model = FiP(order=["a", "b", "c"], random_state=0).fit(table)
        found = model.effect("b", on="c")
        held += found.low <= 0.35 <= found.high
        lost += found.estimate == 0
        assert found.low <= found.estimate <= found.high
        assert found.high > found.low
    assert lost > 0, "some edges must be missed, or this shows nothing"
    assert 34 <= held <= 40


def test_an_effect_that_was_not_found_could_still_be_there_and_one_against_the_order_could_not():
    table = chain(300, np.random.default_rng(0), weak=0.0)
    model = FiP(order=["a", "b", "c"], random_state=0).fit(table)
    none = model.effect("b", on="c")
    assert none.estimate == 0
    assert none.low < 0 < none.high
    assert "if there is one, it lies between" in str(none)
    against = model.effect("c", on="b")
    assert not against.possible
    assert (against.low, against.high) == (0, 0)
    known = FiP(graph=nx.DiGraph([("a", "b"), ("a", "c")]), random_state=0).fit(table)
    assert not known.effect("b", on="c").possible


def test_an_interval_grows_with_its_level_and_scales_with_its_columns(model, table):
    widths = [found.high - found.low for found in (model.effect("age", "pain", level=level) for level in (0.5, 0.99))]
    assert widths[0] < widths[1]
    few = table.head(200)
    small, large = (
        FiP(order=ORDER, random_state=0).fit(frame).effect("age", on="pain")
        for frame in (few, few.assign(pain=1000 * few["pain"]))
    )
    np.testing.assert_allclose([large.low, large.high], [1000 * small.low, 1000 * small.high], rtol=1e-3)


def test_averages_under_an_intervention_have_intervals(model):
    found = model.intervene({"dose": 2.0}, n=500, random_state=0, level=0.9)
    assert list(found.index) == ORDER
    assert list(found.columns) == ["average", "low", "high"]
    np.testing.assert_allclose(found["average"], model.intervene({"dose": 2.0}, 500, 0).mean())
    assert (found.loc["dose"] == 2).all()
    assert (found["low"] < found["average"])[["age", "pain"]].all()
    assert (found["average"] < found["high"])[["age", "pain"]].all()
    per_unit = {"dose": np.linspace(0, 1, 500)}
    assert model.intervene(per_unit, n=500, level=0.9).loc["dose", "average"] == pytest.approx(0.5)


def test_counterfactuals_have_intervals_where_they_are_not_certain(model, table):
    rows = table.head(20).assign(ward="west")
    plain, found = (model.counterfactual(rows, {"dose": 1.0}, level=level) for level in (None, 0.95))
    pd.testing.assert_frame_equal(found[list(rows)], plain, check_exact=True)
    assert list(found.columns[4:6]) == ["age (low)", "age (high)"]
    np.testing.assert_allclose(found["age (low)"], rows["age"])  # it does not change
    np.testing.assert_allclose(found["age (high)"], rows["age"])
    assert (found["pain (low)"] < found["pain (high)"]).all()
    assert ((found["pain (low)"] <= found["pain"]) & (found["pain"] <= found["pain (high)"])).all()
    with pytest.raises(DataError, match="rename it"):
        model.counterfactual(rows.assign(**{"pain (low)": 0.0}), {"dose": 1.0}, level=0.95)
    with pytest.raises(DataError, match="between 0 and 1, but it is 95"):
        model.counterfactual(rows, {"dose": 1.0}, level=95)


def test_rows_of_the_model_are_likelier_than_others(model, table):
    found = model.log_likelihood(table)
    assert found.index.equals(table.index)
    shuffled = table.assign(pain=table["pain"].to_numpy()[::-1])
    assert model.log_likelihood(shuffled).mean() < found.mean() - 1
    assert np.isfinite(model.log_likelihood(table.head(3) * 1e6)).all()
    pd.testing.assert_series_equal(model.log_likelihood(1 * table.iloc[::-1])[::-1], found)


def test_a_file_of_an_earlier_version_still_answers(model, tmp_path):
    model.save(tmp_path / "new.fip")
    arrays, settings = load_archive(tmp_path / "new.fip", "model")
    old = {name: array for name, array in arrays.items() if not name.startswith("deviations.")}
    corrections = 0.01 * np.random.default_rng(0).normal(size=(50, 3, 5))
    save_archive(tmp_path / "old.fip", "model", {**old, "corrections": corrections}, settings)
    loaded = load(tmp_path / "old.fip")
    found = loaded.effect("age", on="pain")
    assert found.estimate == model.effect("age", on="pain").estimate
    assert found.low < found.estimate < found.high
    loaded.save(tmp_path / "again.fip")
    assert load(tmp_path / "again.fip").effect("age", on="pain") == found


def test_rows_alone_are_enough_for_counterfactuals():
    errors = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        scm = sample_scm("lin-out", 5, rng)
        table, rows = scm.sample(2000, rng), scm.sample(200, rng)
        do = {"x0": float(table["x0"].quantile(0.9))}
        imagined = FiP(random_state=0).fit(table).counterfactual(rows, do)
        errors.append(rescaled_l2(scm.counterfactual(rows, do), imagined, table.std().to_numpy()))
    assert np.mean(errors) < 0.1


def test_an_effect_beyond_the_values_seen_says_so(model):
    with pytest.warns(UserWarning, match="seen no 'age' near 1000"):
        model.effect("age", on="pain", treated=1000.0)


def test_a_given_order_leaves_no_other_one_to_try(model):
    with pytest.raises(KnowledgeError, match="ask without `orders`"):
        model.effect("age", on="pain", orders=3)


def test_a_score_notices_a_shifted_column(model, table):
    assert model.score(table.assign(pain=table["pain"] + 100)) < 0
    with pytest.raises(DataError, match="at least two rows"):
        model.score(table.head(1))


def test_the_order_of_the_rows_does_not_matter_to_a_check(model, table):
    assert model.check(table.sort_values("age")).passed


def test_a_table_that_cannot_be_checked_is_refused(model, table):
    with pytest.raises(DataError, match="'age'"):
        model.check(table.assign(age=1.0))


def test_a_loaded_model_answers_bit_for_bit_the_same(model, table, tmp_path):
    model = copy(model).assess()
    model.save(tmp_path / "m.fip")
    for loaded in (load(tmp_path / "m.fip"), FiP.load(str(tmp_path / "m.fip"))):
        pd.testing.assert_frame_equal(loaded.sample(50, 3), model.sample(50, 3), check_exact=True)
        do = {"dose": 1.0}
        pd.testing.assert_frame_equal(
            loaded.counterfactual(table, do), model.counterfactual(table, do), check_exact=True
        )
        assert loaded.effect("age", on="pain") == model.effect("age", on="pain")
        rows = table.head(5)
        pd.testing.assert_frame_equal(
            loaded.counterfactual(rows, do, level=0.9), model.counterfactual(rows, do, level=0.9), check_exact=True
        )
        assert loaded.causal_order_ == ORDER
        pd.testing.assert_frame_equal(loaded.edge_scores_, model.edge_scores_)
        pd.testing.assert_frame_equal(loaded.order_confidence_, model.order_confidence_)


@pytest.mark.parametrize(
    "given",
    [
        {"order": ORDER, "scale": "raw", "prune": False, "random_state": np.int64(3), "n_jobs": 2},
        {"knowledge": Knowledge([("age", "pain")], tiers=[["age"], ["dose", "pain"]], roots=["age"])},
        {"edges": "jacobian", "random_state": np.random.default_rng(0)},
    ],
)
def test_a_loaded_model_is_the_same_estimator(model, given, tmp_path):
    saved = copy(model).set_params(**{"order": None} | given)
    saved.save(tmp_path / "m.fip")
    expected = saved.get_params()
    if isinstance(expected["random_state"], np.random.Generator):
        expected["random_state"] = None
    assert load(tmp_path / "m.fip").get_params() == expected
    assert clone(load(tmp_path / "m.fip")).get_params() == expected


def test_a_loaded_model_keeps_its_graph_in_whatever_form_it_came(model, tmp_path):
    chain = nx.DiGraph([("age", "dose"), ("dose", "pain")])
    for graph in (chain, nx.to_pandas_adjacency(chain), nx.to_numpy_array(chain)):
        copy(model).set_params(order=None, graph=graph).save(tmp_path / "m.fip")
        assert set(load(tmp_path / "m.fip").graph.edges) == set(chain.edges)


def test_a_file_that_says_nothing_of_parameters_loads_with_its_order(model, tmp_path):
    model.save(tmp_path / "m.fip")
    arrays, settings = load_archive(tmp_path / "m.fip", "model")
    del settings["parameters"]
    save_archive(tmp_path / "early.fip", "model", arrays, settings)
    early = load(tmp_path / "early.fip")
    assert early.order == ORDER
    pd.testing.assert_frame_equal(early.sample(5, 0), model.sample(5, 0), check_exact=True)


def test_no_row_of_the_table_is_in_the_file(table, tmp_path):
    path = tmp_path / "m.fip"
    FiP(order=ORDER, random_state=0).fit(table).save(path)
    content = path.read_bytes()
    assert not any(row.tobytes() in content for row in table.to_numpy()[:50])


def test_one_seed_gives_equal_numbers(table, model):
    again = FiP(order=ORDER, random_state=0).fit(table)
    pd.testing.assert_frame_equal(again.sample(20, 0), model.sample(20, 0), check_exact=True)
    pd.testing.assert_frame_equal(again.edge_scores_, model.edge_scores_, check_exact=True)


def test_a_graph_and_an_order_differ_only_in_the_mask(table):
    chain = nx.DiGraph([("age", "dose"), ("dose", "pain")])
    shuffled = nx.to_pandas_adjacency(chain, nodelist=["pain", "age", "dose"])
    for graph in (chain, nx.to_numpy_array(chain, nodelist=ORDER), shuffled):
        model = FiP(graph=graph, random_state=0).fit(table)
        assert set(model.graph_.edges) == set(chain.edges)
        assert model.causal_order_ == ORDER


def test_prune_false_keeps_every_edge_of_the_order(rng):
    table = pd.DataFrame(rng.normal(size=(200, 3)), columns=ORDER)
    assert FiP(order=ORDER, random_state=0).fit(table).adjacency_.to_numpy().sum() == 0
    assert FiP(order=ORDER, prune=False, random_state=0).fit(table).adjacency_.to_numpy().sum() == 3


def test_knowledge_holds_by_construction(table):
    forbidden = Knowledge(forbidden_edges=[("age", "pain")])
    assert ("age", "pain") not in FiP(order=ORDER, knowledge=forbidden, random_state=0).fit(table).graph_.edges
    unrelated = pd.DataFrame(np.random.default_rng(1).normal(size=(200, 3)), columns=ORDER)
    required = Knowledge(required_edges=[("age", "pain")])
    assert ("age", "pain") in FiP(order=ORDER, knowledge=required, random_state=0).fit(unrelated).graph_.edges


def test_the_table_is_not_changed_and_arrays_are_welcome(table):
    before = table.copy()
    FiP(order=ORDER, random_state=0).fit(table)
    pd.testing.assert_frame_equal(table, before)
    model = FiP(order=["x0", "x1", "x2"], random_state=0).fit(table.to_numpy())
    assert list(model.sample(3, 0).columns) == ["x0", "x1", "x2"]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda df: df[["age"]], "1 column, but at least 2"),
        (lambda df: pd.DataFrame(np.random.default_rng(0).normal(size=(25, 30))), "30 columns but only 25 rows"),
        (lambda df: df.head(10), "10 rows, but at least 20"),
        (lambda df: df.assign(age=1.0, dose=2.0), "'age' is constant .*'dose' is constant"),
        (lambda df: df.assign(more=df["age"]), "identical"),
    ],
)
def test_tables_that_cannot_be_learned_from_are_refused(table, spoil, message):
    with pytest.raises(DataError, match=message):
        FiP(random_state=0).fit(spoil(table))


def test_scikit_learns_parameters_are_stored_and_cloned():
    model = FiP(order=ORDER, scale="raw", random_state=3)
    cloned = clone(model)
    assert cloned.get_params() == model.get_params()
    assert cloned.get_params()["scale"] == "raw"
    with pytest.raises(NotFittedError):
        cloned.sample(3)
    with pytest.raises(TypeError):
        FiP(ORDER)


def test_check_passes_on_its_own_data_and_fails_on_foreign_data(model, table, rng):
    assert model.check(table).passed
    foreign = pd.DataFrame(rng.normal(size=(4000, 3)), columns=ORDER)
    report = model.check(foreign)
    assert not report.passed
    assert "doubtful" in str(report)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"order": ["age", "dose"]}, OrderError, "leaves out 'pain'"),
        ({"order": ["age", "dose", "dose", "pain"]}, OrderError, "repeats 'dose'"),
        ({"graph": nx.DiGraph([("age", "dose"), ("dose", "age")])}, GraphError, "cycle"),
        ({"graph": np.zeros((2, 2))}, GraphError, "2 nodes, but the table has 3 columns"),
        ({"graph": nx.DiGraph([("age", "weight")])}, GraphError, "'weight'"),
        ({"order": ORDER, "edges": "lasso"}, UnknownNameError, "edge rule 'lasso'"),
        ({"order": ORDER, "knowledge": Knowledge(required_edges=[("pain", "age")])}, KnowledgeError, "'pain' before"),
        (
            {"graph": nx.DiGraph([("age", "pain")]), "knowledge": Knowledge(forbidden_edges=[("age", "pain")])},
            KnowledgeError,
            "'age' -> 'pain'",
        ),
    ],
)
def test_constraints_that_do_not_fit_are_refused(table, options, error, message):
    with pytest.raises(error, match=message):
        FiP(**options).fit(table)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda model: model.intervene({"weight": 1.0}), UnknownNameError, "'weight'"),
        (lambda model: model.intervene({"age": np.nan}), InterventionError, "NaN"),
        (lambda model: model.effect("age", on="weight"), UnknownNameError, "column 'weight'"),
        (lambda model: model.sample(0), DataError, "Cannot draw 0 rows"),
        (
            lambda model: model.counterfactual(pd.DataFrame({"age": [1.0]}), {}),
            DataError,
            "lack the columns dose, pain",
        ),
    ],
)
def test_questions_that_cannot_be_answered_are_refused(model, ask, error, message):
    with pytest.raises(error, match=message):
        ask(model)


def test_a_loaded_model_without_the_table_says_so(model, tmp_path):
    model.save(tmp_path / "m.fip")
    with pytest.raises(FipscmError, match="needs the training table"):
        load(tmp_path / "m.fip").assess()


def test_to_look_at_a_model_changes_nothing(table, tmp_path):
    model = FiP(order=ORDER, random_state=0).fit(table)
    assert not hasattr(model, "order_confidence_")
    with pytest.raises(AttributeError, match=r"call model\.assess\(\) first"):
        _ = model.agreement_
    model.save(tmp_path / "before.fip")
    assert "confidence" not in model.graph_.edges["age", "dose"]
    assert model.assess() is model
    for frame in (model.order_confidence_, model.agreement_):
        assert list(frame.index) == list(frame.columns) == ORDER
    assert model.graph_.edges["age", "dose"]["confidence"] == 1
    assert not hasattr(load(tmp_path / "before.fip"), "order_confidence_")
    assert not hasattr(model.fit(table), "order_confidence_")


def test_what_would_be_dropped_in_silence_is_said(table, rng):
    with pytest.warns(UserWarning, match="y is not used"):
        FiP(order=ORDER, random_state=0).fit(table, table["pain"])
    unrelated = pd.DataFrame(rng.normal(size=(200, 3)), columns=ORDER)
    with pytest.warns(UserWarning, match="No edge was found"):
        FiP(order=ORDER, random_state=0).fit(unrelated)
    coded = unrelated.assign(age=np.where(unrelated.index < 5, -9999, unrelated["age"]))
    with pytest.warns(UserWarning, match="'age' is -9999 in 5 rows"):
        FiP(order=ORDER, random_state=0).fit(coded)


@pytest.mark.parametrize("columns", [2, 12])
def test_few_rows_of_many_columns_are_enough_for_a_curve(columns):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((60, columns))).rename(columns="x{}".format)
    table["effect"] = np.cos(2 * table["x0"]) + 0.1 * rng.standard_normal(60)
    model = FiP(order=list(table.columns), random_state=0).fit(table)
    assert model.mechanisms_.loc["effect", "causes"] == ["x0"]
    assert model.mechanisms_.loc["effect", "shape"] == "smooth"


def test_the_model_is_the_papers_object_too(model, table):
    fixed, rows = model.to_fixed_point(), table.head(20)
    pd.testing.assert_frame_equal(
        fixed.counterfactual(rows, {"age": 0.0}), model.counterfactual(rows, {"age": 0.0}), rtol=1e-6
    )
    np.testing.assert_allclose(fixed.sample_to_noise(rows.to_numpy()), model.abduct(rows), atol=1e-9)


def test_an_interrupted_fit_goes_on_where_it_stopped(tmp_path):
    table = known_scm("nonlingauss").sample(300, np.random.default_rng(0))
    options = {"order": ["x0", "x1"], "skip": False, "edges": "jacobian", "random_state": 0}

    def stop(*_):
        if any(not path.name.startswith(".") for path in tmp_path.iterdir()):  # a checkpoint is there as a whole
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        with pytest.raises(KeyboardInterrupt):
            FiP(**options).fit(table, checkpoint=tmp_path / "run")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    (left,) = tmp_path.iterdir()
    otherwise = FiP(**options | {"prune": False}).fit(table, checkpoint=tmp_path / "run")
    assert left.exists(), "another way to learn must not take over this checkpoint"
    pd.testing.assert_frame_equal(
        otherwise.sample(5, 0), FiP(**options | {"prune": False}).fit(table).sample(5, 0), check_exact=True
    )
    resumed = FiP(**options).fit(table, checkpoint=tmp_path / "run")
    pd.testing.assert_frame_equal(resumed.sample(5, 0), FiP(**options).fit(table).sample(5, 0), check_exact=True)
    assert not list(tmp_path.iterdir())
    with pytest.raises(FipscmError, match="set random_state to an integer"):
        FiP(order=["x0", "x1"]).fit(table, checkpoint=tmp_path / "run")


def test_an_assessed_model_tells_how_many_orders_agree_with_an_effect(model):
    table = known_scm("nonlingauss").sample(500, np.random.default_rng(0))
    unknown = FiP(random_state=0).fit(table)
    assert "resampled orders agree" not in str(unknown.effect("x0", on="x1"))
    told = unknown.assess().effect("x0", on="x1")
    assert told.agreement == unknown.agreement_.loc["x0", "x1"]
    assert "of the resampled orders agree with its sign" in str(told)
    assert copy(model).assess().effect("age", on="pain").agreement is None  # the order was given


def test_global_settings_of_other_libraries_do_not_matter(table, model):
    dtype, errors = torch.get_default_dtype(), np.geterr()
    curved = known_scm("nonlingauss").sample(300, np.random.default_rng(0))
    expected = FiP(random_state=0).fit(curved).counterfactual(curved, {"x0": 0.5})
    state = torch.get_rng_state()
    try:
        torch.set_default_dtype(torch.float64)
        np.seterr(all="raise")
        found = FiP(random_state=0).fit(curved).counterfactual(curved, {"x0": 0.5})
    finally:
        torch.set_default_dtype(dtype)
        np.seterr(**errors)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    assert torch.equal(torch.get_rng_state(), state)


def test_results_show_themselves_as_text(model, table):
    assert repr(model.effect("age", on="pain")).startswith("Setting age to 1")
    assert repr(model.check(table)) == str(model.check(table))


SENTENCE = "the refusal is a sentence of our own, in rows and columns"
EXPECTED_FAILURES = {
    "check_n_features_in_after_fitting": "fits 15 rows; a causal model from fewer than 20 is refused",
    "check_dtype_object": SENTENCE,
    "check_estimators_empty_data_messages": SENTENCE,
    "check_fit2d_1sample": SENTENCE,
    "check_fit2d_1feature": SENTENCE,
}


def test_scikit_learns_own_checks_pass():
    results = check_estimator(FiP(random_state=0), expected_failed_checks=EXPECTED_FAILURES, on_skip=None)
    failed_as_expected = {result["check_name"] for result in results if result["status"] == "xfail"}
    assert failed_as_expected == set(EXPECTED_FAILURES), "an expected failure passes now: take it off the list"


def test_the_number_of_threads_hardly_matters():
    table = known_scm("nonlingauss").sample(300, np.random.default_rng(0))
    threads, answers = torch.get_num_threads(), []
    try:
        for count in (1, 2):
            torch.set_num_threads(count)
            model = FiP(order=["x0", "x1"], random_state=0).fit(table)
            answers.append(model.counterfactual(table, {"x0": 0.5}) / table.std())
    finally:
        torch.set_num_threads(threads)
    np.testing.assert_allclose(*answers, atol=1e-3)


def test_an_effect_that_depends_on_the_order_comes_with_a_warning():
    # Two linear Gaussian variables: no method can tell which one is the cause.
    table = known_scm("lingauss").sample(500, np.random.default_rng(0))
    model = FiP(random_state=0).fit(table)
    cause, effect = model.causal_order_
    with pytest.warns(UserWarning, match="disagree about whether there is an effect"):
        found = model.effect(cause, on=effect, orders=6)
    assert len(found.by_order) == 7
    assert found.low <= min(found.by_order) <= found.estimate <= max(found.by_order) <= found.high
    model.assess()
    assert 0.1 < model.order_confidence_.loc[cause, effect] < 0.9
    assert 0 < model.agreement_.loc[cause, effect] < 1


def test_an_order_the_rows_decide_is_held_with_confidence():
    table = known_scm("nonlingauss").sample(1000, np.random.default_rng(0))
    model = FiP(random_state=0).fit(table)
    assert model.causal_order_ == ["x0", "x1"]
    assert model.assess().order_confidence_.loc["x0", "x1"] > 0.9


@pytest.fixture(scope="module")
def trial():
    """A linear Gaussian table, whose order observations cannot tell, and which column was set in each row."""
    rng = np.random.default_rng(0)
    arm = np.repeat(["", "pain", "dose", "age"], 100)
    age = np.where(arm == "age", 3.0, rng.normal(size=400))
    dose = np.where(arm == "dose", 3.0, age + rng.normal(size=400))
    pain = np.where(arm == "pain", 3.0, age - 2 * dose + rng.normal(size=400))
    return pd.DataFrame({"pain": pain, "dose": dose, "age": age}), arm


def test_experiments_tell_the_order_the_edges_and_the_effects(trial):
    table, arm = trial
    model = FiP(random_state=0).fit(table, intervened=arm)
    assert model.causal_order_ == ORDER
    assert set(model.graph_.edges) == {("age", "dose"), ("age", "pain"), ("dose", "pain")}
    found = model.effect("dose", on="pain", orders=2)
    assert found.estimate == pytest.approx(-2, abs=0.2)
    assert found.low < -2 < found.high
    confidence = model.assess().order_confidence_
    assert min(confidence.loc["age", "dose"], confidence.loc["dose", "pain"]) >= 0.9
    assert model.agreement_.loc["dose", "pain"] >= 0.9


def test_samples_and_noises_are_those_of_a_world_without_experiments(trial, tmp_path):
    table, arm = trial
    model = FiP(random_state=0).fit(table, intervened=arm)
    model.save(tmp_path / "trial.fip")
    drawn = load(tmp_path / "trial.fip").sample(4_000, random_state=0)
    np.testing.assert_allclose(drawn.mean(), table[arm == ""].mean(), atol=0.35)
    np.testing.assert_allclose(drawn.std(), table[arm == ""].std(), rtol=0.2)
    np.testing.assert_allclose(model.scm_.noise.ordered.std(axis=0), 1, atol=0.2)


def test_a_fit_that_fails_leaves_the_model_as_it_was(trial):
    table, arm = trial
    model = FiP(order=ORDER, random_state=0).fit(table, intervened=arm)
    before = model.effect("dose", on="pain")
    with pytest.raises(UnknownNameError, match="did you mean 'dose'"):
        model.fit(table, intervened=["dosis"] * len(table))
    assert model.effect("dose", on="pain") == before
    assert model.assess() is model
