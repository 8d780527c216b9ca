"""Columns that are not continuous, from the fit to every answer: levels, counts, categories."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from fipscm import FiP, load
from fipscm.errors import DataError, InterventionError, UnknownNameError
from fipscm.scm.intervention import Shift

ROWS = 600
ORDER = ["age", "smoker", "visits", "ward", "grade", "cost"]
GRADES = ["low", "middle", "high"]


def expit(x):
    return 1 / (1 + np.exp(-x))


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    age = rng.normal(size=ROWS)
    smoker = rng.random(ROWS) < expit(1.5 * age)
    visits = rng.poisson(np.exp(0.8 * smoker))
    scores = np.column_stack([1.5 * age, -1.5 * age, 2.0 * smoker]) + rng.gumbel(size=(ROWS, 3))
    ward = np.array(["A", "B", "C"])[scores.argmax(axis=1)]
    grade = np.digitize(visits + rng.logistic(size=ROWS), [1.0, 3.0])
    cost = 3.0 * (ward == "B") + grade + rng.normal(size=ROWS)
    columns = (50 + 10 * age, smoker, visits, ward, pd.Categorical.from_codes(grade, GRADES, ordered=True), cost)
    return pd.DataFrame(dict(zip(ORDER, columns, strict=True)))


@pytest.fixture(scope="module")
def model(table):
    return FiP(order=ORDER, random_state=0).fit(table)


def test_every_kind_has_its_response(model):
    kinds = [mechanism.response.kind for mechanism in model.scm_.mechanisms]
    assert kinds == ["additive", "cumulative", "count", "categorical", "cumulative", "additive"]
    assert list(model.mechanisms_.index) == list(model.adjacency_.columns) == model.causal_order_ == ORDER
    assert {("age", "smoker"), ("age", "ward"), ("smoker", "visits"), ("ward", "cost")} <= set(model.graph_.edges)
    assert np.isfinite(model.mechanisms_[["r2_held_out", "log_likelihood_held_out"]]).all(axis=None)


def test_samples_look_like_the_table(model, table):
    drawn = model.sample(4000, random_state=0)
    assert (drawn.dtypes == table.dtypes).all()
    assert drawn["visits"].mean() == pytest.approx(table["visits"].mean(), rel=0.15)
    for name in ("smoker", "ward", "grade"):
        shares = drawn[name].value_counts(normalize=True)
        pd.testing.assert_series_equal(shares, table[name].value_counts(normalize=True), atol=0.06, check_like=True)


def test_interventions_speak_of_levels(model):
    assert (model.intervene({"ward": "B"}, 50, 0)["ward"] == "B").all()
    averages = model.intervene({"ward": "B"}, 500, 0, level=0.9)["average"]
    assert averages["ward = B"] == 1
    assert averages["cost"] > model.intervene({"ward": "A"}, 500, 0, level=0.9)["average"]["cost"] + 2
    named = model.intervene({"ward": lambda upstream: np.where(upstream["smoker"], "B", "C")}, 50, 0)
    assert ((named["ward"] == "B") == named["smoker"]).all()


@pytest.mark.parametrize("do", [{}, "own"])
def test_what_is_set_to_what_it_was_changes_nothing(model, table, do):
    rows = table.head(100)
    chosen = {"ward": rows["ward"], "smoker": rows["smoker"]} if do == "own" else do
    pd.testing.assert_frame_equal(model.counterfactual(rows, chosen), rows)
    for draw in model.counterfactual(rows, chosen, draws=3):
        pd.testing.assert_frame_equal(draw, rows)


def test_counterfactuals_of_levels_are_monotone(model, table):
    rows = table.head(300)
    for older in model.counterfactual(rows, {"age": rows["age"] + 15}, draws=5):
        assert (older["smoker"] >= rows["smoker"]).all()
        assert (older["smoker"] != rows["smoker"]).any()
    given_up = model.counterfactual(rows, {"smoker": False})
    assert (given_up["visits"] <= rows["visits"]).all()
    assert (given_up["age"] == rows["age"]).all()


def test_draws_spread_over_what_the_row_leaves_open(model, table):
    rows = table[~table["smoker"]].head(1)
    draws = model.counterfactual(rows, {"age": rows["age"] + 10}, draws=200)
    share = np.mean([draw["smoker"].iloc[0] for draw in draws])
    before, after = expit(1.5 * (rows["age"].iloc[0] / 10 - 5)), expit(1.5 * (rows["age"].iloc[0] / 10 - 4))
    assert share == pytest.approx((after - before) / (1 - before), abs=0.15)
    assert model.counterfactual(rows, {"age": rows["age"] + 10})["smoker"].iloc[0] == (share > 0.5)
    for wrong in ({"draws": 0}, {"draws": 2, "level": 0.9}):
        with pytest.raises(DataError, match="at least one draw"):
            model.counterfactual(rows, {}, **wrong)


def test_ends_of_intervals_are_values_of_the_column(model, table):
    imagined = model.counterfactual(table.head(20), {"age": 60.0}, level=0.9)
    assert set(imagined["smoker (low)"]) | set(imagined["grade (high)"]) <= {0, 1, 2}
    assert (imagined["visits (low)"] >= 0).all()
    assert (imagined["visits (low)"] <= imagined["visits"]).all()
    assert not [name for name in imagined if "ward" in name and name != "ward"]


def test_the_effect_on_two_levels_is_a_difference_of_probabilities(model):
    found = model.effect("age", on="smoker", treated=60.0, control=50.0)
    truth = expit(1.5) - 0.5
    assert found.low < truth < found.high
    assert found.estimate == pytest.approx(truth, abs=0.08)
    assert "the probability that smoker is True" in str(found)


def test_effects_of_and_on_categories(model):
    found = model.effect("ward", on="cost", treated="B", control="A")
    assert found.low < 3 < found.high
    assert str(found).startswith("Setting ward to B instead of A changes cost by")
    by_age = model.effect("age", on="ward", treated=60.0, control=40.0)
    assert sum(each.estimate for each in by_age.by_level) == pytest.approx(0, abs=1e-9)
    signs = {each.level: np.sign(each.estimate) for each in by_age.by_level}
    assert (signs["A"], signs["B"]) == (1, -1)
    assert f"the probability that ward is {by_age.level_told}" in str(by_age)
    assert not model.effect("cost", on="ward").possible


def test_a_saved_model_gives_the_same_answers(model, table, tmp_path):
    model.save(tmp_path / "m.fip")
    loaded, rows = load(tmp_path / "m.fip"), table.head(40)
    assert loaded.columns_ == model.columns_
    for ask in (
        lambda asked: asked.sample(20, 0),
        lambda asked: asked.counterfactual(rows, {"smoker": True}),
        lambda asked: asked.counterfactual(rows, {"smoker": True}, draws=2)[1],
        lambda asked: asked.mechanisms_,
    ):
        pd.testing.assert_frame_equal(ask(loaded), ask(model))


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (
            lambda m, t: m.counterfactual(t.assign(ward="Z"), {}),
            DataError,
            r"'Z' is not a level of column 'ward'.*A, B",
        ),
        (
            lambda m, t: m.intervene({"ward": 7}),
            DataError,
            r"'7' is not a level of column 'ward'.*there are A, B, C",
        ),
        (lambda m, t: m.intervene({"ward": Shift(1.0)}), InterventionError, "'ward' is a category"),
        (lambda m, t: m.intervene({"grade": "top"}), DataError, "'top' is not a level of column 'grade'"),
        (lambda m, t: m.intervene({"visits": -1}), DataError, "'visits' holds counts, and -1 is none"),
        (lambda m, t: m.intervene({"visits": 2.5}), DataError, "2.5 is none: give a whole number"),
        (lambda m, t: m.abduct(t.head(2).assign(visits=[1, 0.5])), DataError, "0.5 is none"),
        (lambda m, t: m.intervene({"wards": "A"}), UnknownNameError, "did you mean 'ward'"),
        (lambda m, t: m.effect("ward", "cost", "Z"), DataError, "'Z' is not a level"),
        (
            lambda m, t: m.counterfactual(t.head(2).assign(ward=["A", None]), {"ward": "A"}),
            DataError,
            "Row 1, counted from 0, has no value of 'ward', which the intervention",
        ),
    ],
)
def test_bad_input_is_named(model, table, ask, error, message):
    with pytest.raises(error, match=message):
        ask(model, table)


def test_a_missing_level_is_one_cell(model, table):
    with pytest.warns(UserWarning, match="Filled in 1 missing cell of the rows"):
        model.counterfactual(table.head(2).assign(ward=["A", None]), {"visits": 1})


def test_numbers_outside_of_an_ordinal_are_refused():
    rng = np.random.default_rng(1)
    stars = rng.integers(1, 6, size=200)
    rows = pd.DataFrame({"stars": stars, "price": stars + rng.normal(size=200)})
    model = FiP(order=["stars", "price"], random_state=0).fit(rows)
    assert model.kinds_["stars"] == "ordinal"
    assert (model.sample(30, 0)["stars"].dtype, set(model.sample(300, 0)["stars"])) == (np.int64, {1, 2, 3, 4, 5})
    with pytest.raises(DataError, match="9 is not a level of column 'stars': choose one of 1, 2, 3, 4, 5"):
        model.counterfactual(rows.assign(stars=9), {})
    with pytest.raises(DataError, match="0 is not a level of column 'stars'"):
        model.effect("stars", "price", treated=1, control=0)
    asked = model.effect("stars", "price").question
    assert {asked.treated, asked.control} <= {1, 2, 3, 4, 5}


def test_missing_levels_are_imputed_as_levels(table):
    holed = table.mask(np.random.default_rng(1).random(table.shape) < 0.1)
    with pytest.warns(UserWarning, match="filled in by the model"):
        model = FiP(order=ORDER, random_state=0).fit(holed)
    filled = model.impute(holed)
    assert not filled.isna().any(axis=None)
    assert set(filled["ward"]) == {"A", "B", "C"}
    lost = holed["ward"].isna()
    assert (filled["ward"] == table["ward"])[lost].mean() > table["ward"].value_counts(normalize=True).max()


def test_a_made_up_shop_keeps_its_strongest_edge_and_sells_no_negative_amounts():
    rng = np.random.default_rng(2)
    promotion = np.where(rng.random(500) < 0.3, "yes", "no")
    visitors = rng.poisson(np.exp(3 + 0.7 * (promotion == "yes")))
    sales = visitors * np.exp(0.5 * rng.normal(size=500))
    rows = pd.DataFrame({"promotion": promotion, "visitors": visitors, "sales": sales})
    model = FiP(order=list(rows.columns), random_state=0).fit(rows)
    assert {("promotion", "visitors"), ("visitors", "sales")} <= set(model.graph_.edges)
    drawn = model.sample(2000, 0)
    assert (drawn[["visitors", "sales"]] >= 0).all(axis=None)
    assert drawn["visitors"].dtype == np.int64


def test_a_column_of_whole_numbers_has_such_in_answers_but_small_changes_do_not_vanish():
    rng = np.random.default_rng(4)
    age, dose = rng.integers(18, 91, size=400), rng.normal(size=400)
    rows = pd.DataFrame({"age": age, "dose": dose, "pulse": (50 + age / 3 + 0.3 * dose + rng.normal(size=400)).round()})
    rows["pulse"] = rows["pulse"].astype(int)
    graph = nx.DiGraph([("age", "pulse"), ("dose", "pulse")])
    model = FiP(graph=graph, random_state=0).fit(rows)
    for drawn in (model.sample(50, 0), model.intervene({"dose": 1.0}, 50, 0), model.intervene({"age": 40}, 50, 0)):
        assert drawn.dtypes.equals(rows.dtypes)
    assert set(model.intervene({"age": 40.5}, 50, 0)["age"]) == {40.5}
    imagined = model.counterfactual(rows, {"dose": dose + 1})
    assert imagined["age"].dtype == np.int64
    assert (imagined["pulse"] - rows["pulse"]).mean() == pytest.approx(0.3, abs=0.15)
    holed = rows.astype(float).mask(rng.random(rows.shape) < 0.1)
    with pytest.warns(UserWarning, match="filled in by the model"):
        filled = FiP(graph=graph, random_state=0).fit(holed).impute(holed)
    assert filled.dtypes.equals(rows.dtypes)


@pytest.mark.parametrize("share", [0.01, 1.0])
def test_rare_and_perfectly_separated_levels_have_finite_answers(share):
    rng = np.random.default_rng(3)
    cause = rng.normal(size=300)
    flag = (cause > 0) & (rng.random(300) < share)
    flag[:2] = True, False
    rows = pd.DataFrame({"cause": cause, "flag": flag, "calls": rng.poisson(0.01 + 0.02 * flag) + (cause > 2.5)})
    model = FiP(order=list(rows.columns), random_state=0).fit(rows)
    assert np.isfinite(model.scm_.edge_weights).all()
    found = model.effect("cause", on="flag", treated=1.0, control=-1.0)
    assert -1 <= found.estimate <= 1
    pd.testing.assert_frame_equal(model.counterfactual(rows.head(50), {}), rows.head(50))


def test_levels_that_add_up_to_one_do_not_hide_each_other(clinic):
    model = FiP(order=list(clinic.columns), random_state=0).fit(clinic)
    assert set(model.graph_.edges) == {("age", "ward"), ("ward", "pain"), ("pain", "visits"), ("pain", "cured")}


def test_a_shift_leaves_no_count_below_zero_and_no_column_beyond_its_levels(model, table):
    with pytest.warns(UserWarning, match="'visits' ends at 0: rows that the shift would take farther stay there"):
        fewer = model.counterfactual(table.head(50), {"visits": Shift(-2)})
    np.testing.assert_array_equal(fewer["visits"], np.maximum(table["visits"].head(50) - 2, 0))
    with pytest.warns(UserWarning, match="'grade' ends at 2"):
        better = model.intervene({"grade": Shift(1)}, 200, random_state=0)
    assert set(better["grade"]) == {"middle", "high"}
    with pytest.raises(DataError, match=r"0.5 is not a level of column 'grade'"):
        model.counterfactual(table[table["grade"] == "low"].head(3), {"grade": Shift(0.5)})
    with pytest.raises(DataError, match=r"-1 is none"):
        model.intervene({"visits": lambda upstream: np.full(len(upstream), -1.0)}, 20, random_state=0)


def test_one_row_may_lack_a_cell(model, table):
    row = {**table.iloc[0].to_dict(), "visits": None}
    with pytest.warns(UserWarning, match="Filled in 1 missing cell of"):
        assert model.counterfactual(row, {"age": row["age"]})["visits"].notna().all()


def test_levels_are_named_in_every_refusal_and_answer(model):
    with pytest.raises(DataError, match=r"'7' is not a level of column 'grade'.*low, middle, high"):
        model.intervene({"grade": 7})
    with pytest.raises(DataError, match="'smoker' is true or false, but 'yes' is a text"):
        model.intervene({"smoker": "yes"})
    assert "smoker to True instead of False" in str(model.effect("smoker", on="visits"))
