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
    assert plain.stderr == ""
    table.to_csv("german.csv", index=False, sep=";", decimal=",", encoding="utf-16")
    table.to_csv("packed.csv.gz", index=False)
    table.to_excel("book.xlsx", index=False)
    table.to_feather("table.feather")
    for name in ("german.csv", "packed.csv.gz", "book.xlsx", "table.feather"):
        assert fipscm(*ORDER, name).stdout == plain.stdout
        with open(name, "rb") as file:
            assert fipscm(*ORDER, "-", stdin=file.read()).stdout == plain.stdout
    said = fipscm(*ORDER, "german.csv").stderr
    assert said == "fipscm: 'german.csv' was read with semicolons between cells, encoding utf-16, decimal commas.\n"


def test_options_overrule_what_was_understood(fipscm, table):
    text = table.to_csv(index=False, header=False, sep="\t", decimal=",").encode("cp1252")
    options = ("--separator", "tab", "--decimal", ",", "--encoding", "cp1252", "--no-header")
    assert sorted(fipscm(*ORDER, "-", *options, stdin=text).stdout.split()) == ["x0", "x1"]


def test_rows_for_a_saved_model_may_come_in_any_dialect(fipscm, folder):
    rows = pd.read_csv(folder / "rows.csv")
    ask = ("counterfactual", folder / "m.fip", "-", "--do", "age=0")
    plain, german = rows.to_csv(index=False), rows.to_csv(index=False, sep=";", decimal=",")
    expected = pd.read_csv(io.StringIO(fipscm(*ask, stdin=plain.encode()).stdout))
    for options in ((), ("--separator", ";", "--decimal", ",")):
        answer = fipscm(*ask, *options, stdin=german.encode())
        pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(answer.stdout)), expected)


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
