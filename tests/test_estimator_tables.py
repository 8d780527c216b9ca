"""Tables as people have them, from the fit to every answer: libraries, kinds, names of levels."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fipscm import FiP, Knowledge, load
from fipscm.errors import DataError, UnknownNameError

ORDER = ["smoker", "pain"]


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    smoker = (rng.random(300) < 0.4).astype(float)
    return pd.DataFrame({"smoker": smoker, "pain": 2 * smoker + rng.exponential(size=300)})


@pytest.fixture(scope="module")
def table(numbers):
    return numbers.assign(smoker=np.where(numbers["smoker"] == 1, "yes", "no"))


@pytest.fixture(scope="module")
def model(table):
    return FiP(order=ORDER, random_state=0).fit(table)


def test_names_of_levels_are_numbers_within(model, table, numbers):
    plain = FiP(order=ORDER, random_state=0).fit(numbers)
    assert model.kinds_ == plain.kinds_ == {"smoker": "binary", "pain": "continuous"}
    assert model.columns_.levels == {"smoker": ("no", "yes")}
    pd.testing.assert_frame_equal(model.sample(50, 1)[["pain"]], plain.sample(50, 1)[["pain"]])
    pd.testing.assert_frame_equal(model.abduct(table), plain.abduct(numbers))
    assert model.score(table) == plain.score(numbers)
    assert str(model.check(table)) == str(plain.check(numbers))
    named, coded = model.effect("smoker", "pain", "yes", "no"), plain.effect("smoker", "pain")
    assert (named.estimate, named.low) == (coded.estimate, coded.low)


def test_answers_are_in_the_names_of_levels(model, table):
    assert (model.intervene({"smoker": "yes"}, n=20, random_state=0)["smoker"] == "yes").all()
    pd.testing.assert_frame_equal(model.counterfactual(table, {}), table)
    swapped = table["smoker"].map({"yes": "no", "no": "yes"})
    labelled = table.set_axis([f"row {row}" for row in range(300)])
    for rows, values in ((table, swapped), (labelled, swapped.tolist()), (labelled, swapped.to_numpy())):
        assert model.counterfactual(rows, {"smoker": values})["smoker"].tolist() == swapped.tolist()
    assert model.counterfactual(table.iloc[3], {"smoker": "no"})["smoker"].tolist() == ["no"]
    assert model.counterfactual({"smoker": "no", "pain": 1.0}, {"smoker": "yes"})["smoker"].tolist() == ["yes"]


def test_a_level_never_seen_is_refused(model, table):
    for ask in (
        lambda: model.counterfactual(table.assign(smoker="often"), {}),
        lambda: model.intervene({"smoker": "often"}),
        lambda: model.effect("smoker", "pain", "often"),
    ):
        with pytest.raises(DataError, match=r"'often' is not a level of column 'smoker'.*no, yes"):
            ask()


def test_a_saved_model_knows_its_columns(model, table, tmp_path):
    model.save(tmp_path / "m.fip")
    loaded = load(tmp_path / "m.fip")
    assert loaded.kinds_ == model.kinds_
    pd.testing.assert_frame_equal(
        loaded.counterfactual(table, {"smoker": "no"}), model.counterfactual(table, {"smoker": "no"})
    )
    FiP(order=[3, 5], kinds={3: "binary"}, random_state=0).fit(table.set_axis([3, 5], axis=1)).save(tmp_path / "k.fip")
    assert load(tmp_path / "k.fip").kinds == {3: "binary"}


def test_polars_goes_in_and_comes_out(model, table):
    frame = pl.from_pandas(table)
    fitted = FiP(order=ORDER, random_state=0).fit(frame)
    for answer, expected in (
        (fitted.sample(5, 0), model.sample(5, 0)),
        (fitted.intervene({"smoker": "yes"}, 5, 0), model.intervene({"smoker": "yes"}, 5, 0)),
        (model.counterfactual(frame, {"smoker": "no"}), model.counterfactual(table, {"smoker": "no"})),
        (model.abduct(frame), model.abduct(table)),
    ):
        assert isinstance(answer, pl.DataFrame)
        pd.testing.assert_frame_equal(answer.to_pandas(), expected)
    assert isinstance(fitted.counterfactual(table, {}), pd.DataFrame)
    assert model.score(frame.select("pain", "smoker")) == model.score(table)


def test_columns_and_records_go_in(model, table, numbers):
    for given in (table.to_dict("list"), table.to_records(index=False)):
        fitted = FiP(order=ORDER, random_state=0).fit(given)
        pd.testing.assert_frame_equal(fitted.sample(5, 0), model.sample(5, 0))
        pd.testing.assert_frame_equal(fitted.counterfactual(given, {}), table)
    pd.testing.assert_frame_equal(model.abduct(numbers.to_numpy()), model.abduct(table))


def test_what_is_no_variable_is_set_aside(table, numbers, model):
    more = table.assign(id=range(300), day=pd.date_range("2020", periods=300), site=1.0)
    with pytest.warns(UserWarning, match=r"Set aside: 'id' numbers.*'day' holds dates.*'site' is constant"):
        fitted = FiP(order=ORDER, random_state=0).fit(more)
    assert list(fitted.feature_names_in_) == ORDER
    pd.testing.assert_frame_equal(fitted.sample(5, 0), model.sample(5, 0))
    pd.testing.assert_frame_equal(fitted.counterfactual(more, {}), more)
    with pytest.warns(UserWarning, match="Set aside: 'x0' is constant"):
        unnamed = FiP(order=["x1", "x2"], random_state=0).fit(np.column_stack([np.ones(300), numbers]))
    assert len(unnamed.abduct(np.column_stack([np.ones(3), numbers[:3]]))) == 3


def test_experiments_are_told_of_all_columns_or_of_the_variables(table):
    was_set = np.zeros((300, 3), dtype=bool)
    was_set[:50, 1] = True
    more, mask = table.assign(site=1.0)[["site", *ORDER]], pd.DataFrame(was_set, columns=["site", *ORDER])
    answers = []
    for intervened in (was_set, was_set[:, 1:], mask, mask[ORDER]):
        with pytest.warns(UserWarning, match="Set aside"):
            answers.append(FiP(order=ORDER, random_state=0).fit(more, intervened=intervened).sample(5, 0))
    assert all(answer.equals(answers[0]) for answer in answers)


@pytest.mark.parametrize(
    "given",
    [
        {"order": ["site", *ORDER]},
        {"graph": np.zeros((3, 3))},
        {"knowledge": Knowledge(roots=["site"])},
        {"knowledge": Knowledge(forbidden_edges=[("pain", "site")])},
    ],
)
def test_what_is_no_variable_is_refused_where_it_is_named(table, given):
    with pytest.raises(DataError, match="'site' is constant"):
        FiP(random_state=0, **given).fit(table.assign(site=1.0))


@pytest.fixture(scope="module")
def wages():
    rng = np.random.default_rng(0)
    educ = rng.integers(8, 20, 300)
    wage = np.exp(0.1 * educ + 0.3 * rng.normal(size=300)).round(2)
    return pd.DataFrame({"educ": educ, "wage": wage, "lwage": np.log(wage)})


def test_what_was_computed_is_set_aside_and_missing_from_what_would_have_been(wages, tmp_path):
    with pytest.warns(UserWarning, match="Set aside: 'lwage' is the logarithm of 'wage'"):
        model = FiP(knowledge=Knowledge(roots=["educ"]), random_state=0).fit(wages)
    assert list(model.counterfactual(wages, {"educ": 10}).columns) == ["educ", "wage"]
    model.save(tmp_path / "model.fip")
    for each in (model, load(tmp_path / "model.fip")):
        with pytest.raises(
            DataError, match=r"'lwage' is the logarithm .*ask about wage, or keep it: keep=\['lwage'\], or --keep lwage"
        ):
            each.effect("educ", on="lwage")


def test_what_was_computed_stays_if_it_is_kept(wages):
    kept = FiP(keep=["lwage"], random_state=0).fit(wages)
    assert list(kept.columns_.set_aside.values()) == ["is the exponential of 'lwage'"]
    with pytest.raises(UnknownNameError, match="Unknown column in `keep` 'lwge': did you mean 'lwage'"):
        FiP(keep=["lwge"]).fit(wages)


def test_rows_of_units_are_told_and_grouped(tmp_path):
    rng = np.random.default_rng(0)
    units, times = np.repeat(np.arange(30), 5), np.tile(np.arange(2000, 2005), 30)
    dose = rng.normal(size=30)[units] + rng.normal(size=150)
    panel = pd.DataFrame({"person": units, "year": times, "dose": dose, "pain": dose + rng.exponential(size=150)})
    with pytest.warns(UserWarning, match=r"30 units \('person'\) at 5 times .* 30 independent groups, not 150 rows"):
        model = FiP(knowledge=Knowledge(tiers=[["year", "dose"], ["pain"]]), random_state=0).fit(panel)
    assert list(model.kinds_) == ["year", "dose", "pain"]
    assert len(np.unique(model._fitted.table.clusters)) == 30
    model.save(tmp_path / "model.fip")
    for each in (model, load(tmp_path / "model.fip")):
        assert "30 independent groups, not 150 rows" in str(each.check(panel))
    plain = FiP(knowledge=Knowledge(roots=["year"]), group="none", random_state=0).fit(panel)
    assert "person" in plain.kinds_
    assert plain._fitted.table.clusters is None
