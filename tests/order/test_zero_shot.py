import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError, KnowledgeError, OrderError, UnknownNameError
from fipscm.graph import order_positions
from fipscm.knowledge import Knowledge
from fipscm.metrics import tos
from fipscm.order import ORDERINGS, infer_order, order_confidence, zero_shot, zero_shot_order
from fipscm.simulate import sample_scm
from fipscm.tables.validate import as_frame


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(5)
    scm = sample_scm("lin-out", nodes=6, rng=rng)
    return scm, scm.sample(1000, rng)


@pytest.mark.parametrize("scale", ["raw", "standardized"])
def test_shipped_weights_order_scms_they_never_saw(scale):
    scores = []
    for name in ("lin-out", "rff-in", "rff-out"):
        for seed in range(4):
            rng = np.random.default_rng(seed)
            scm = sample_scm(name, nodes=6, rng=rng)
            table = scm.sample(1000, rng)
            scores.append(tos(order_positions(infer_order(table, scale), list(table.columns)), scm.adjacency))
    assert np.mean(scores) >= 0.85  # a random order scores about a half


@pytest.mark.parametrize("method", ORDERINGS)
def test_every_method_names_every_column_once(case, method):
    _, table = case
    assert sorted(infer_order(table.head(200), scale="raw", method=method)) == sorted(table.columns)


@pytest.mark.parametrize("scale", ["raw", "standardized"])
def test_permuting_columns_permutes_the_answer(case, scale):
    _, table = case
    plain, permuted = zero_shot(table, scale), zero_shot(table[table.columns[::-1]], scale)
    assert permuted.order == plain.order
    pd.testing.assert_frame_equal(permuted.edges.loc[table.columns, table.columns], plain.edges, atol=1e-3)


def test_permuting_rows_changes_nothing(case):
    _, table = case
    plain, permuted = zero_shot(table), zero_shot(table.iloc[::-1])
    assert permuted.order == plain.order
    pd.testing.assert_frame_equal(permuted.edges, plain.edges, atol=1e-3)


def test_rescaling_changes_nothing_in_standardized_mode(case):
    _, table = case
    plain, rescaled = zero_shot(table), zero_shot(table * np.geomspace(1e-3, 1e3, 6) + 5)
    assert rescaled.order == plain.order
    pd.testing.assert_frame_equal(rescaled.edges, plain.edges, atol=1e-3)


def test_the_graph_agrees_with_the_order(case):
    _, table = case
    answer = zero_shot(table)
    rank = {name: place for place, name in enumerate(answer.order)}
    for cause, effect in np.argwhere(answer.adjacency()):
        assert rank[table.columns[cause]] < rank[table.columns[effect]]


def test_the_table_is_left_as_it_was(case):
    _, table = case
    copy = table.copy()
    zero_shot(table)
    pd.testing.assert_frame_equal(table, copy)


def test_confidence_is_a_probability_and_its_complement(case):
    _, table = case
    confidence = order_confidence(table.head(300), np.random.default_rng(0), "raw", resamples=5)
    values = confidence.to_numpy()
    off = ~np.eye(6, dtype=bool)
    np.testing.assert_allclose((values + values.T)[off], 1)
    again = order_confidence(table.head(300), np.random.default_rng(0), "raw", resamples=5, n_jobs=2)
    pd.testing.assert_frame_equal(again, confidence)


def test_knowledge_holds_in_the_order_and_in_every_resample(case):
    _, table = case
    first, *_, last = infer_order(table)
    known = Knowledge(tiers=[[last], [first]])
    order = infer_order(table, knowledge=known)
    assert order.index(last) < order.index(first)
    confidence = order_confidence(table.head(200), np.random.default_rng(0), knowledge=known, resamples=3)
    assert confidence.loc[last, first] == 1


def test_a_baseline_does_not_silently_ignore_knowledge(case):
    with pytest.raises(OrderError, match="cannot take knowledge"):
        infer_order(case[1], knowledge=Knowledge(roots=["x0"]), method="variance")


def test_equal_variances_are_not_sorted(case):
    with pytest.raises(OrderError, match="scale='raw'"):
        infer_order(case[1], method="variance")


def test_contradictory_knowledge_names_the_cycle(case):
    with pytest.raises(KnowledgeError, match=r"x0 before x1 before x0|x1 before x0 before x1"):
        infer_order(case[1], knowledge=Knowledge(required_edges=[("x0", "x1"), ("x1", "x0")]))


@pytest.mark.parametrize(
    "ask",
    [
        infer_order,
        zero_shot,
        lambda table: infer_order(table, method="r2"),
        lambda table: order_confidence(table, np.random.default_rng(0), resamples=2),
    ],
    ids=["infer_order", "zero_shot", "baseline", "order_confidence"],
)
def test_a_table_is_validated_exactly_once(case, ask, monkeypatch):
    seen = []

    def counting(data):
        seen.append(data)
        return as_frame(data)

    monkeypatch.setattr("fipscm.tables.validate.as_frame", counting)
    ask(case[1].head(100))
    assert len(seen) == 1


def test_positions_and_names_are_the_same_order(case):
    _, table = case
    answer = zero_shot(table)
    assert list(table.columns[answer.positions]) == answer.order
    np.testing.assert_array_equal(zero_shot_order(table.to_numpy()).order, answer.positions)


def spoiled(kind):
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 2)), columns=["a", "b"])
    match kind:
        case "missing everywhere":
            table["a"] = np.nan
        case "mostly missing":
            table.loc[:30, "a"] = np.nan
        case "infinite":
            table.loc[7, "a"] = np.inf
        case "constant":
            table[["a", "b"]] = 1.0
        case "identical":
            table["a"] = table["b"]
        case "few rows":
            table = table.head(19)
        case "one column":
            table = table[["a"]]
        case "text":
            table["a"] = table["a"].astype(str).mask(table.index == 7, "x")
    return table


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("missing everywhere", "'a' has no value at all"),
        ("mostly missing", "'a' has no value in 62% of the rows"),
        ("infinite", "1 infinite value"),
        ("constant", "is constant"),
        ("identical", "'b' is identical to 'a'"),
        ("few rows", "19 rows"),
        ("one column", "1 column"),
        ("text", "row 7, counted from 0, holds 'x'"),
    ],
)
def test_a_bad_table_is_one_clear_error(kind, message):
    with pytest.raises(DataError, match=message):
        infer_order(spoiled(kind))


@pytest.mark.parametrize("kind", ["missing everywhere", "mostly missing", "infinite", "constant", "identical", "text"])
def test_a_bad_column_does_not_spoil_the_others(kind):
    others = pd.DataFrame(np.random.default_rng(1).normal(size=(50, 2)), columns=["c", "d"])
    with pytest.warns(UserWarning, match="Set aside: "):
        order = infer_order(spoiled(kind).join(others))
    assert {"c", "d"} <= set(order) < {"a", "b", "c", "d"}


@pytest.mark.parametrize("arguments", [{"scale": "standardize"}, {"method": "evidnce"}])
def test_a_misspelt_choice_is_corrected(case, arguments):
    with pytest.raises(UnknownNameError, match="did you mean"):
        infer_order(case[1], **arguments)


def test_many_columns_and_few_rows_still_give_an_order():
    table = np.random.default_rng(0).normal(size=(25, 40))
    assert len(set(infer_order(table))) == 40


def test_levels_that_differ_by_capitals_alone_are_told(rng):
    smoker = np.where(rng.random(60) < 0.5, "yes", "no").astype(object)
    smoker[3] = "Yes"
    with pytest.warns(UserWarning, match="'smoker' has the levels 'Yes' and 'yes'"):
        infer_order(pd.DataFrame({"smoker": smoker, "pain": rng.normal(size=60)}))
