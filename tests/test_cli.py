"""The command line as a user meets it: a second process, its output, its exit code."""

import io
import subprocess
import sys

import pandas as pd
import pytest


def fipscm(*arguments, stdin=None):
    command = [sys.executable, "-c", "from fipscm.cli import main; main()", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)


def test_demo_shows_order_intervention_and_counterfactual():
    result = fipscm("demo")
    assert result.returncode == 0, result.stderr
    for promised in ("Causal order", "what if", "would have been"):
        assert promised in result.stdout


def test_simulate_writes_a_table_and_the_seed_decides_it(tmp_path):
    out = tmp_path / "data.parquet"
    assert fipscm("simulate", "triangle", "--rows", "7", "--out", str(out)).returncode == 0
    piped = fipscm("simulate", "triangle", "--rows", "7")
    pd.testing.assert_frame_equal(pd.read_parquet(out), pd.read_csv(io.StringIO(piped.stdout)))
    assert fipscm("simulate", "triangle", "--rows", "7", "--seed", "1").stdout != piped.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["simulate", "triangel"], "Unknown SCM distribution"),
        (["simulate", "lin-in", "--preset", "relased"], "did you mean 'released'"),
        (["simulate", "lin-in", "--nodes", "0"], "0 variables"),
        (["simulate", "triangle", "--rows", "0"], "Cannot draw 0 rows"),
        (["simulate", "triangle", "--out", "/no/such/folder/t.csv"], "Cannot write"),
    ],
)
def test_a_mistake_ends_in_one_sentence_and_exit_code_2(arguments, message):
    result = fipscm(*arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not result.stdout
