"""Columns of every kind on the command line: told, set by hand, chosen, asked about by their own names."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from fipscm.cli.typed import as_value
from fipscm.errors import InterventionError
from fipscm.tables.columns import Columns


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A table in which smoking causes pain, beside columns that are no variables; and one with a category."""
    folder = tmp_path_factory.mktemp("kinds")
    rng, rows = np.random.default_rng(0), 300
    smoker = rng.random(rows) < 0.4
    frame = pd.DataFrame(
        {
            "patient": [f"P{row}" for row in range(rows)],
            "number": range(rows),
            "day": pd.date_range("2020-01-01", periods=rows).strftime("%d.%m.%Y"),
            "smoker": np.where(smoker, "yes", "no"),
            "pain": 2.0 * smoker + rng.exponential(size=rows),
            "site": "Rome",
        }
    )
    frame.to_csv(folder / "table.csv", index=False)
    frame.assign(ward=rng.choice(["A", "B", "C"], rows)).to_csv(folder / "wards.csv", index=False)
    return folder


@pytest.fixture(autouse=True)
def here(place, monkeypatch):
    monkeypatch.chdir(place)


ORDER = ("--order", "smoker,pain", "--no-assess")
SET_ASIDE = (
    "fipscm: Set aside: 'patient' tells every row apart, as identifiers do; 'number' numbers the rows; "
    "'day' holds dates or times; 'site' is constant (always 'Rome').\n"
)


@pytest.fixture(scope="module")
def model(place):
    """A model of the table, saved."""
    from fipscm import FiP

    with pytest.warns(UserWarning, match="Set aside"):
        FiP(order=["smoker", "pain"], random_state=0).fit(pd.read_csv(place / "table.csv")).save(place / "m.fip")
    return "m.fip"


def test_truth_values_are_typed_as_the_table_writes_them():
    known = Columns.of(pd.DataFrame({"weekend": [True, False] * 20}))
    assert [as_value(text, "weekend", known) for text in ("True", "false", "TRUE", "0")] == [1, 0, 1, 0]
    with pytest.raises(InterventionError, match="'maybe' is neither True nor False"):
        as_value("maybe", "weekend", known)


def test_a_number_typed_as_the_file_has_it_is_answered_with_how_to_write_it():
    known = Columns.of(pd.DataFrame({"dose": np.linspace(0.1, 9, 40)}))
    for text in ("2,5", "2.5 mg"):
        with pytest.raises(InterventionError, match=f"'{text}' is not a number: write 2.5"):
            as_value(text, "dose", known)


def test_fit_tells_kinds_and_what_it_set_aside(fipscm):
    fitted = fipscm("fit", "table.csv", *ORDER, "--out", "fit.fip")
    assert fitted.stdout.startswith("Kinds of columns: binary smoker (no = 0, yes = 1); continuous pain.\n")
    assert fitted.stderr.startswith(SET_ASIDE)
    chosen = fipscm("fit", "table.csv", *ORDER, "--columns", "smoker,pain", "--out", "fit.fip", "--json")
    assert json.loads(chosen.stdout)["kinds"] == {"smoker": "binary", "pain": "continuous"}
    assert "Set aside" not in chosen.stderr


def test_columns_can_be_left_out_and_kinds_set(fipscm):
    asked = ("order", "table.csv", "--no-assess")
    assert fipscm(*asked, "--drop", "patient,number,day,site").stderr == ""
    told = fipscm(*asked, "--kind", "number=count", "--drop", "patient,day,site")
    assert sorted(told.stdout.split()) == ["number", "pain", "smoker"]


def test_a_category_has_a_place_in_the_order(fipscm):
    assert sorted(fipscm("order", "wards.csv", "--no-assess").stdout.split()) == ["pain", "smoker", "ward"]


def test_a_category_is_asked_about_by_its_levels(fipscm):
    asked = fipscm("do", "wards.csv", "--order", "ward,smoker,pain", "--do", "ward=B", "--rows", 20)
    drawn = pd.read_csv(io.StringIO(asked.stdout))
    assert (drawn["ward"] == "B").all()
    assert set(drawn["smoker"]) == {"no", "yes"}


def test_interventions_and_answers_are_in_the_names_of_levels(fipscm, model):
    asked = fipscm("do", model, "--do", "smoker=yes", "--rows", 20)
    assert (pd.read_csv(io.StringIO(asked.stdout))["smoker"] == "yes").all()
    imagined = pd.read_csv(io.StringIO(fipscm("counterfactual", model, "table.csv", "--do", "smoker=no").stdout))
    table = pd.read_csv("table.csv")
    assert (imagined["smoker"] == "no").all()
    assert imagined["patient"].equals(table["patient"])
    harmed = table["smoker"] == "yes"
    assert (table["pain"] - imagined["pain"])[harmed].mean() == pytest.approx(2, abs=0.5)
    effect = fipscm("effect", model, "--of", "smoker", "--on", "pain", "--treated", "yes", "--control", "no", "--json")
    assert json.loads(effect.stdout)["estimate"] == pytest.approx(2, abs=0.5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["do", "wards.csv", "--do", "ward=7"], "'7' in 'ward=7' is not a level of 'ward': choose one of A, B, C"),
        (["do", "wards.csv", "--do", "ward+=1"], "shifts a column of names"),
        (["fit", "table.csv", "--out", "new.fip", "--columns", "number,pain"], "'number' numbers the rows"),
        (["fit", "table.csv", "--out", "new.fip", "--roots", "day"], "'day' holds dates or times"),
        (["fit", "table.csv", "--out", "new.fip", "--kind", "day=continuous"], "'day' holds dates or times"),
        (["fit", "table.csv", "--out", "new.fip", "--kind", "pain=binary"], "300 distinct values"),
        (["fit", "table.csv", "--out", "new.fip", "--kind", "pain=catgorical"], "did you mean 'categorical'"),
        (["fit", "table.csv", "--out", "new.fip", "--kind", "pian=count"], "did you mean 'pain'"),
        (["fit", "table.csv", "--out", "new.fip", "--kind", "pain"], "write NAME=KIND"),
        (["order", "table.csv", "--drop", "pain"], "Of 5 columns, 1 can be modelled"),
        (["order", "table.csv", "--columns", "pain,smokes"], "did you mean 'smoker'"),
        (["effect", "table.csv", "--of", "number", "--on", "pain"], "'number' numbers the rows, so it was set aside"),
        (["do", "table.csv", "--do", "site=1"], "'site' is constant"),
        (["do", "m.fip", "--do", "smoker=7"], "'7' in 'smoker=7' is not a level of 'smoker': choose one of no, yes"),
        (["do", "m.fip", "--do", "smoker+=1"], "shifts a column of names"),
        (["effect", "m.fip", "--of", "smoker", "--on", "pain", "--treated", "often"], "choose one of no, yes"),
        (["counterfactual", "m.fip", "-", "--do", "smoker=no"], "'often' is not a level of column 'smoker'"),
        (["sample", "m.fip", "--kind", "pain=count"], "--kind cannot change a model"),
    ],
)
def test_a_mistake_is_one_sentence_and_leaves_nothing(mistake, model, place, arguments, message):
    before = set(place.iterdir())
    assert message in mistake(*arguments, stdin=b"smoker,pain\nno,1\noften,2\n")
    assert set(place.iterdir()) == before
