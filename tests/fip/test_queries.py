"""What is, what if, what would have been."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from fipscm import FiP, Shift
from fipscm.errors import (
    DataError,
    InterventionError,
    UnknownNameError,
)
from fipscm.metrics import rescaled_l2
from fipscm.simulate import known_scm, sample_scm

ORDER = ["age", "dose", "pain"]


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
    pd.testing.assert_frame_equal(model.counterfactual(rows, {}), rows, check_exact=True)
    after_dose = [name for name in model.graph_.nodes if nx.has_path(model.graph_, "dose", name)]
    imagined = model.counterfactual(rows, {"dose": 0.0})
    pd.testing.assert_frame_equal(imagined.drop(columns=after_dose), rows.drop(columns=after_dose), check_exact=True)
    assert len(after_dose) < len(ORDER)


def test_abducted_noises_are_the_true_ones_up_to_sign_and_mean(model, table):
    noise = model.abduct(table)
    assert noise.index.equals(table.index)
    truth = known_scm("triangle").sample_to_noise(table.to_numpy())
    for column, name in enumerate(ORDER):
        assert abs(np.corrcoef(truth[:, column], noise[name])[0, 1]) > 0.99


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


def test_a_score_notices_a_shifted_column(model, table):
    assert model.score(table.assign(pain=table["pain"] + 100)) < 0
    with pytest.raises(DataError, match="at least two rows"):
        model.score(table.head(1))


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


def test_intervals_of_amounts_are_positive_however_far_out():
    rng = np.random.default_rng(3)
    x = rng.standard_normal(120)
    table = pd.DataFrame({"x": x, "cost": np.exp(1.5 * x + rng.standard_normal(120))})
    model = FiP(graph=np.array([[0, 1], [0, 0]]), random_state=0).fit(table)
    assert model.mechanisms_.loc["cost", "noise"] == "logarithm"
    with pytest.warns(UserWarning, match="extrapolates"):
        rows, means = (
            model.counterfactual(table.head(30), {"x": -6.0}, level=0.99),
            model.intervene({"x": -6.0}, level=0.99),
        )
    assert (rows["cost (low)"] > 0).all()
    assert (rows["cost (low)"] < rows["cost"]).all()
    assert (rows["cost"] < rows["cost (high)"]).all()
    assert 0 <= means.loc["cost", "low"] < means.loc["cost", "average"] < means.loc["cost", "high"]
