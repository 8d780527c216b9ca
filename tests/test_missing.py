"""Tables with missing cells, from fit to counterfactual."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from fipscm import FiP, load
from fipscm.errors import DataError, UnknownNameError
from fipscm.questions.impute import Imputer
from fipscm.simulate import known_scm

ORDER = ["age", "dose", "pain"]


@pytest.fixture(scope="module")
def table():
    return known_scm("triangle").sample(1000, np.random.default_rng(0)).set_axis(ORDER, axis=1)


@pytest.fixture(scope="module")
def holed(table):
    return table.mask(np.random.default_rng(1).random(table.shape) < 0.15)


@pytest.fixture(scope="module")
def model(holed):
    with pytest.warns(UserWarning, match=rf"^{holed.isna().sum().sum()} cells of 3000 without a value.*filled in"):
        return FiP(order=ORDER, random_state=0).fit(holed)


def dropping(holed):
    with pytest.warns(UserWarning, match="left out .* rows"):
        return FiP(order=ORDER, missing="drop", random_state=0).fit(holed)


@pytest.mark.filterwarnings("ignore:The model has seen no")
def test_rows_with_holes_are_learned_from(model, table, holed):
    complete, dropped = FiP(order=ORDER, random_state=0).fit(table), dropping(holed)
    assert set(model.graph_.edges) == set(complete.graph_.edges)
    do = {"age": 0.0}
    errors = [
        np.abs(fitted.counterfactual(table, do)["pain"] - (table["pain"] - 6 * table["age"])).mean()
        for fitted in (complete, model, dropped)
    ]
    assert errors[1] < max(1.5 * errors[0], errors[2])


@pytest.mark.filterwarnings("ignore:.*without a value")
def test_the_same_seed_gives_the_same_model(model, holed):
    again = FiP(order=ORDER, random_state=0).fit(holed)
    pd.testing.assert_frame_equal(again.sample(5, random_state=0), model.sample(5, random_state=0))


@pytest.mark.filterwarnings("ignore:.*without a value")
def test_the_order_is_inferred_from_what_is_there(holed):
    assert sorted(FiP(random_state=0).fit(holed).causal_order_) == ORDER


@pytest.mark.filterwarnings("ignore:.*without a value")
def test_intervals_are_wider_for_missing_cells(table):
    holed = table.mask(np.random.default_rng(2).random(table.shape) < 0.4)
    widths = []
    for rows in (table, holed):
        found = FiP(order=ORDER, random_state=0).fit(rows).effect("dose", on="pain", treated=1.0, control=0.0)
        widths.append(found.high - found.low)
    assert widths[1] > 1.1 * widths[0]


@pytest.mark.filterwarnings("ignore:.*without a value")
def test_with_a_graph_each_mechanism_rests_on_the_rows_that_have_its_column_and_its_causes(holed, monkeypatch):
    monkeypatch.setattr(Imputer, "redraw", lambda *_: pytest.fail("drew a cell that no mechanism needs"))
    graph = nx.DiGraph([("age", "dose"), ("dose", "pain")])
    rows = FiP(graph=graph, random_state=0).fit(holed).mechanisms_["rows"]
    assert rows["dose"] == len(holed[["age", "dose"]].dropna())
    assert rows["pain"] == len(holed[["dose", "pain"]].dropna())


@pytest.mark.filterwarnings("ignore:.*without a value")
def test_cells_that_are_missing_where_an_effect_is_large_bias_neither_cause_nor_effect(rng):
    cause = rng.normal(size=2000)
    frame = pd.DataFrame({"cause": cause, "effect": cause + 0.5 * rng.normal(size=2000)})
    holed = frame.assign(cause=frame["cause"].where(frame["effect"] < 0.5))
    model = FiP(graph=nx.DiGraph([("cause", "effect")]), random_state=0).fit(holed)
    assert abs(model.sample(2000, random_state=0)["cause"].mean()) < 0.15 < abs(holed["cause"].mean())
    assert model.effect("cause", on="effect", treated=1.0, control=0.0).estimate == pytest.approx(1, abs=0.2)


def test_dropping_is_learning_from_complete_rows(holed):
    kept = FiP(order=ORDER, random_state=0).fit(holed.dropna())
    pd.testing.assert_frame_equal(dropping(holed).sample(9, random_state=0), kept.sample(9, random_state=0))


def test_complete_rows_in_which_a_column_was_always_set_are_refused(table):
    holed, was_set = table.copy(), [None] * 500 + ["dose"] * 500
    holed.loc[:499, "age"] = np.nan
    with (
        pytest.warns(UserWarning, match="left out 500 of 1000 rows"),
        pytest.raises(DataError, match="'dose' was set or changed in every row, so that nothing can be learned"),
    ):
        FiP(order=ORDER, missing="drop").fit(holed, intervened=was_set)


def test_refusing_names_the_first_hole(holed, table):
    refusing = FiP(order=ORDER, missing="refuse", random_state=0)
    with pytest.raises(DataError, match=r"'age' holds .* missing values"):
        refusing.fit(holed)
    refusing.fit(table)
    for ask in (lambda rows: refusing.counterfactual(rows, {}), refusing.abduct, refusing.check):
        with pytest.raises(DataError, match="missing values"):
            ask(holed)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda df: df.assign(dose=df["dose"].where(df.index < 390)), "'dose' has no value in 61% of the rows"),
        (lambda df: df.assign(dose=np.nan), "'dose' has no value at all"),
        (lambda df: df.assign(dose=None), "'dose' has no value at all"),
    ],
)
def test_a_column_that_is_mostly_missing_is_set_aside_unless_it_is_named(table, spoil, message):
    with pytest.raises(DataError, match=message):
        FiP(order=ORDER).fit(spoil(table))
    with pytest.warns(UserWarning, match=f"Set aside: {message}"):
        assert "dose" not in FiP(random_state=0).fit(spoil(table)).kinds_


def test_another_treatment_of_missing_cells_is_unknown(table):
    with pytest.raises(UnknownNameError, match="did you mean 'impute'"):
        FiP(missing="imput").fit(table)


def test_imputing_fills_every_hole_and_changes_nothing_else(model, holed):
    rows = holed.head(50).assign(patient=[f"p{i}" for i in range(50)]).set_axis(range(100, 150))
    for filled in (model.impute(rows), *model.impute(rows, draws=3)):
        assert filled.index.equals(rows.index)
        assert list(filled.columns) == list(rows.columns)
        assert not filled.isna().any(axis=None)
        pd.testing.assert_frame_equal(filled.where(rows.notna()), rows)
    first, second, _ = model.impute(rows, draws=3)
    assert not first.equals(second)
    with pytest.raises(DataError, match="at least one"):
        model.impute(rows, draws=0)


def test_a_complete_table_comes_back_as_it_is(model, table):
    pd.testing.assert_frame_equal(model.impute(table), table)


@pytest.mark.filterwarnings("ignore:.*without a value")
def test_cells_that_the_others_determine_are_found(rng):
    cause = rng.uniform(-2, 2, size=600)
    middle = np.sin(cause) + 2 * cause + 0.01 * rng.normal(size=600)
    table = pd.DataFrame({"a": cause, "b": middle, "c": middle**2 / 4 + middle + 0.01 * rng.normal(size=600)})
    holed = table.mask(rng.random(table.shape) < 0.1)
    filled = FiP(order=["a", "b", "c"], random_state=0).fit(holed).impute(holed)
    one_hole = holed.isna().sum(axis=1) == 1
    errors = ((filled - table).abs() / table.std())[one_hole & holed["b"].isna()]["b"]
    assert errors.median() < 0.05


@pytest.mark.filterwarnings("ignore:.*without a value")
def test_holes_of_two_levels_get_one_of_them(table):
    smoker = np.where(table["dose"] > table["dose"].median(), "yes", "no")
    rows = table.assign(smoker=smoker).mask(np.random.default_rng(3).random((1000, 4)) < 0.1)
    filled = FiP(order=[*ORDER, "smoker"], random_state=0).fit(rows).impute(rows)
    assert set(filled["smoker"]) == {"no", "yes"}
    assert (filled["smoker"] == smoker)[rows["smoker"].isna()].mean() > 0.7


def test_counterfactuals_and_noises_of_rows_with_holes(model, table):
    rows = table.head(20).assign(pain=np.nan)
    with pytest.warns(UserWarning, match="Filled in 20 missing cells of the rows"):
        imagined = model.counterfactual(rows, {"dose": 0.0})
    pd.testing.assert_frame_equal(imagined, model.counterfactual(model.impute(rows), {"dose": 0.0}))
    with pytest.warns(UserWarning, match="20 missing cells"):
        assert np.isfinite(model.abduct(rows)).all(axis=None)
    with pytest.raises(DataError, match="Row 3, counted from 0, has no value of 'dose', which the intervention sets"):
        model.counterfactual(table.head(5).assign(dose=[1, 2, 3, np.nan, 5]), {"dose": 0.0})


@pytest.mark.filterwarnings("ignore:.*without a value")
def test_rows_from_experiments_may_have_holes(table, rng):
    tried = known_scm("triangle").do({"x1": rng.normal(0, 20, size=300)}).sample(300, rng).set_axis(ORDER, axis=1)
    rows = pd.concat([table.head(700), tried], ignore_index=True)
    holed = rows.mask(rng.random(rows.shape) < 0.1)
    found = FiP(order=ORDER, random_state=0).fit(holed, intervened=[None] * 700 + ["dose"] * 300)
    assert found.graph_.edges["age", "dose"]["weight"] == pytest.approx(10, rel=0.05)


def test_check_compares_rows_with_and_without_holes(model, table):
    at_random = table.mask(np.random.default_rng(5).random(table.shape) < 0.1)
    findings = model.check(at_random).table.set_index(["check", "subject"])["passed"]
    assert findings["missing at random"].all()
    by_age = table.assign(pain=table["pain"].mask(table["age"] > table["age"].quantile(0.8)))
    findings = model.check(by_age).table.set_index(["check", "subject"])
    assert not findings.loc[("missing at random", "pain"), "passed"]
    assert "'age'" in findings.loc[("missing at random", "pain"), "verdict"]
    assert "missing at random" not in set(model.check(table).table["check"])


def test_a_saved_model_fills_in_the_same_cells(model, holed, tmp_path):
    model.save(tmp_path / "m.fip")
    pd.testing.assert_frame_equal(load(tmp_path / "m.fip").impute(holed.head(9)), model.impute(holed.head(9)))


@pytest.mark.parametrize(
    "options", [{"missing": "drop"}, {"missing": "refuse"}, {"kinds": {"age": "continuous", "pain": "continuous"}}]
)
def test_a_complete_table_of_measurements_has_the_same_answers_bit_for_bit(options):
    age, noise = np.random.default_rng(0).normal(size=(2, 300))
    table = pd.DataFrame({"age": age, "pain": np.sin(age) + noise / 2})
    plain, other = (FiP(order=["age", "pain"], random_state=0, **each).fit(table) for each in ({}, options))
    for ask in (
        lambda model: model.sample(50, random_state=1),
        lambda model: model.counterfactual(table, {"age": 1.0}),
    ):
        pd.testing.assert_frame_equal(ask(other), ask(plain), check_exact=True)


@pytest.mark.filterwarnings("ignore:.*without a value")
def test_filling_in_tells_how_far_it_is(holed):
    told = []
    FiP(order=ORDER, random_state=0).fit(holed, on_progress=lambda *step: told.append(step[:3]))
    assert [step[1:] for step in told if step[0] == "Filling in missing cells"] == [(0, 2), (1, 2), (2, 2)]
