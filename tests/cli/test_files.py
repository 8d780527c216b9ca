"""Tables as people have them, given to commands."""

import io

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Eighty rows in which dose depends on age, and the folder in which the commands run."""
    age, noise = np.random.default_rng(0).exponential(size=(2, 80))
    monkeypatch.chdir(tmp_path)
    return pd.DataFrame({"age": age, "dose": age + noise}).round(3)


ORDER = ("order", "--no-assess")


def test_a_table_gives_the_same_answer_in_every_dialect(fipscm, table):
    table.to_csv("plain.csv", index=False)
    plain = fipscm(*ORDER, "plain.csv")
    assert plain.stderr.startswith("fipscm: Names suggest that age comes first")
    assert plain.stderr.count("\n") == 1
    table.to_csv("german.csv", index=False, sep=";", decimal=",", encoding="utf-16")
    table.to_csv("packed.csv.gz", index=False)
    table.to_excel("book.xlsx", index=False)
    table.to_feather("table.feather")
    for name in ("german.csv", "packed.csv.gz", "book.xlsx", "table.feather"):
        assert fipscm(*ORDER, name).stdout == plain.stdout
        with open(name, "rb") as file:
            assert fipscm(*ORDER, "-", stdin=file.read()).stdout == plain.stdout
    said = fipscm(*ORDER, "german.csv").stderr
    read = "fipscm: 'german.csv' was read with semicolons between cells, encoding utf-16, decimal commas.\n"
    assert said == read + plain.stderr.replace("plain.csv", "german.csv")


def test_options_overrule_what_was_understood(fipscm, table):
    text = table.to_csv(index=False, header=False, sep="\t", decimal=",").encode("cp1252")
    options = ("--separator", "tab", "--decimal", ",", "--encoding", "cp1252", "--no-header")
    assert sorted(fipscm(*ORDER, "-", *options, stdin=text).stdout.split()) == ["x0", "x1"]


@pytest.mark.parametrize("question", [("counterfactual", "--do", "age=0"), ("impute",)], ids=lambda asked: asked[0])
def test_rows_for_a_saved_model_may_come_in_any_dialect_and_come_back_in_it(fipscm, folder, question):
    rows = pd.read_csv(folder / "rows.csv")
    command, *options = question
    ask = (command, folder / "m.fip", "-", *options)
    plain, german = rows.to_csv(index=False), rows.to_csv(index=False, sep=";", decimal=",")
    expected = pd.read_csv(io.StringIO(fipscm(*ask, stdin=plain.encode()).stdout))
    for known in ((), ("--separator", ";", "--decimal", ",")):
        answer = fipscm(*ask, *known, stdin=german.encode())
        pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(answer.stdout), sep=";", decimal=","), expected)


def test_what_is_drawn_comes_in_the_dialect_of_the_table(fipscm, table):
    table.rename(columns={"age": "Größe"}).to_csv("german.csv", index=False, sep=";", decimal=",", encoding="cp1252")
    asked = ("german.csv", "--order", "Größe,dose", "--rows", "5")
    for command, *options in (("sample",), ("do", "--do", "dose=2.5")):
        answer = fipscm(command, *asked, *options, "--out", "drawn.csv")
        assert answer.returncode == 0, answer.stderr
        drawn = pd.read_csv("drawn.csv", sep=";", decimal=",", encoding="cp1252")
        assert list(drawn.columns) == ["Größe", "dose"]
        assert all(map(pd.api.types.is_float_dtype, drawn.dtypes))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--decimal", "'"], "neither a point nor a comma"),
        (["--encoding", "utf-9"], "no encoding 'utf-9'"),
        (["--separator", "semicolon"], "'semicolon' is not one character"),
        (["--encoding", "utf-16"], "cannot be read as a table"),
    ],
)
def test_a_mistake_about_the_file_is_one_sentence(mistake, table, options, message):
    table.to_csv("plain.csv", index=False)
    assert message in mistake(*ORDER, "plain.csv", *options)


@pytest.mark.parametrize("names", [["age, in years", "dose"], ["dose", "age, in years"]], ids=", ".join)
def test_a_name_with_a_comma_can_be_listed(fipscm, table, names):
    table.rename(columns={"age": "age, in years"}).assign(other=1.5).to_csv("plain.csv", index=False)
    known = fipscm(*ORDER, "plain.csv", "--columns", ",".join(names), "--tiers", ";".join(names))
    assert known.stdout.splitlines() == names


def test_a_table_that_is_fitted_first_is_asked_about_its_own_rows(fipscm, mistake, table, folder):
    table.assign(dose=table["dose"].mask(table.index == 3)).to_csv("plain.csv", index=False)
    for asked in (("impute",), ("counterfactual", "--do", "age=1"), ("check", "--json")):
        command, *options = asked
        known = ("--order", "age,dose", *options)
        once, twice = (fipscm(command, *files, *known) for files in (["plain.csv"], ["plain.csv", "plain.csv"]))
        assert once.returncode == 0, once.stderr
        assert once.stdout == twice.stdout
    assert "A saved model holds no rows: name the table" in mistake("impute", folder / "m.fip")
