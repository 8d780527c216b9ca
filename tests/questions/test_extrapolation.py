import warnings

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP, Shift, load

ORDER = ["age", "dose", "pain"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    age = rng.uniform(20, 80, 300)
    dose = age / 10 + rng.normal(size=300)
    return pd.DataFrame({"age": age, "dose": dose, "pain": dose - age / 20 + rng.normal(size=300)})


@pytest.fixture(scope="module")
def model(table):
    return FiP(order=ORDER, random_state=0).fit(table)


def sentences(ask):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask()
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, rows: model.effect("age", on="pain", treated=1000.0, control=50.0),
        lambda model, rows: model.intervene({"age": 1000.0}, n=5),
        lambda model, rows: model.counterfactual(rows, {"age": 1000.0}),
    ],
    ids=["effect", "intervene", "counterfactual"],
)
def test_every_question_warns_in_the_same_words(model, table, ask):
    (sentence,) = sentences(lambda: ask(model, table.head(5)))
    low, high = table["age"].min(), table["age"].max()
    assert sentence == (
        f"The model has seen no 'age' near 1000: its rows go from {low:g} to {high:g}, so the answer extrapolates."
    )


def test_of_many_values_the_farthest_is_named_and_all_are_counted(model):
    values = np.array([50.0, 200.0, -500.0, 60.0])
    (sentence,) = sentences(lambda: model.intervene({"age": values}, n=4))
    assert "near -500 (the farthest of 2 such values)" in sentence


def test_each_column_warns_once(model, table):
    rows = table.head(5).assign(age=400.0, pain=-300.0)
    found = sentences(lambda: model.counterfactual(rows, {"age": 1000.0}))
    assert [sentence.split("'")[1] for sentence in found] == ["age", "pain"]
    assert "near 1000 (the farthest of 6 such values)" in found[0]
    assert "near -300 (the farthest of 5 such values)" in found[1]


def test_what_lies_among_the_rows_passes_in_silence(model, table):
    do = {"age": 50.0, "dose": Shift(0.1), "pain": lambda upstream: upstream["age"] / 50}
    assert not sentences(lambda: model.intervene(do, n=5, random_state=0))
    assert not sentences(lambda: model.counterfactual(table.head(5), do))
    assert not sentences(lambda: model.intervene({"age": 83.0}, n=5))


def test_where_shifts_and_functions_lead_is_told_as_well(model, table):
    do = {"dose": Shift(100.0), "pain": lambda upstream: 1e6 + upstream["age"]}
    for ask in (lambda: model.intervene(do, n=5, random_state=0), lambda: model.counterfactual(table.head(5), do)):
        assert [sentence.split("'")[1] for sentence in sentences(ask)] == ["dose", "pain"]


def test_a_loaded_model_warns(model, tmp_path):
    model.save(tmp_path / "m.fip")
    assert sentences(lambda: load(tmp_path / "m.fip").intervene({"age": 1000.0}, n=5))
