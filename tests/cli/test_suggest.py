"""Suggestions and knowledge files on the command line."""

import json

import numpy as np
import pandas as pd
import pytest

ORDER = ["order", "data.csv", "--no-assess"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    wage = rng.exponential(size=200)
    columns = {"wage": wage, "schooling": wage + rng.exponential(size=200), "female": rng.integers(0, 2, 200)}
    pd.DataFrame({**columns, "id": range(200)}).to_csv(tmp_path / "data.csv", index=False)
    pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"]).to_csv(tmp_path / "plain.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_suggest_tells_and_writes_what_every_command_takes(fipscm, folder):
    told = fipscm("suggest", "data.csv", "--out", "knowledge.toml").stdout
    assert "schooling before wage" in told
    assert "--knowledge knowledge.toml" in told
    by_file = fipscm(*ORDER, "--knowledge", "knowledge.toml")
    assert by_file.stdout.split() == ["female", "schooling", "wage"]
    assert fipscm(*ORDER, "--suggested").stdout == by_file.stdout
    assert "Names suggest" not in by_file.stderr


def test_suggest_writes_to_standard_output_and_in_json(fipscm, folder):
    assert fipscm("suggest", "data.csv", "--out", "-").stdout.startswith("# What the names")
    facts = json.loads(fipscm("suggest", "data.csv", "--json").stdout)["suggestions"]
    assert {"kind": "tiers", "columns": [["schooling"], ["wage"]]}.items() <= facts[1].items()
    assert fipscm("suggest", "plain.csv").stdout == "The names of the columns suggest nothing.\n"


def test_one_line_offers_what_is_never_applied_unasked(fipscm, folder):
    told = fipscm(*ORDER)
    assert told.stdout.split()[-1] != "wage"
    assert "Names suggest that female comes first and wage last: see fipscm suggest data.csv" in told.stderr
    assert "Names suggest" not in fipscm(*ORDER, "--roots", "female").stderr
    assert "Names suggest" not in fipscm("order", "plain.csv", "--no-assess").stderr


def test_what_is_typed_wins_over_suggestions(fipscm, folder):
    told = fipscm(*ORDER, "--suggested", "--tiers", "wage;schooling")
    assert told.stdout.split() == ["female", "wage", "schooling"]
    assert "contradicts what you gave: schooling before wage" in told.stderr


def test_a_column_of_the_file_that_was_set_aside_is_left_out_with_a_line(fipscm, folder):
    (folder / "k.toml").write_text('roots = ["id"]\ntiers = [["schooling"], ["wage"]]')
    told = fipscm(*ORDER, "--knowledge", "k.toml")
    assert told.returncode == 0
    assert "What k.toml says of 'id' is left out" in told.stderr


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ('roots = ["femal"]', [], "k.toml, line 1: Unknown column 'femal': did you mean 'female'?"),
        ('roots = ["female"', [], "k.toml, line 1: "),
        ('roots = ["wage"]\n\nrequired = [["female", "wage"]]', [], "k.toml, line 3 contradicts line 1"),
        ('tiers = [["wage"], ["female"]]', ["--tiers", "female;wage"], "line 1 contradicts the options given"),
        ("", ["--suggested", "--order", "wage,schooling,female"], "leave out --suggested"),
    ],
)
def test_mistakes_are_one_sentence(mistake, folder, text, options, message):
    (folder / "k.toml").write_text(text or 'roots = ["female"]')
    assert message in mistake("fit", "data.csv", "--knowledge", "k.toml", *options)


def test_a_file_that_is_missing_and_a_saved_model_are_refused(mistake, folder):
    assert "Cannot read the knowledge in 'none.toml'" in mistake(*ORDER, "--knowledge", "none.toml")
    assert "--suggested cannot change a model" in mistake("sample", "m.fip", "--suggested")
    assert "Cannot write" in mistake("suggest", "data.csv", "--out", "no/folder/k.toml")
