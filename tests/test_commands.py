"""Mistakes that a command finds before it learns anything: here, whoever fits fails."""

import numpy as np
import pytest

from fipscm.cli import main
from fipscm.estimator import FiP
from fipscm.simulate import known_scm


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a table lies and the commands run."""
    frame = known_scm("triangle").sample(50, np.random.default_rng(0)).set_axis(["age", "dose", "pain"], axis=1)
    frame.to_csv(tmp_path / "data.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def mistake(monkeypatch, capsys):
    """Run a command that must end with exit code 2 before it fits; returns what it says."""

    def fit(*_):
        pytest.fail("fitted before the mistake was found")

    monkeypatch.setattr(FiP, "fit", fit)

    def run(*arguments):
        with pytest.raises(SystemExit) as ending:
            main(list(arguments))
        written = capsys.readouterr()
        assert ending.value.code == 2, written
        assert not written.out
        return written.err

    return run


def test_a_graph_needs_the_same_rows_and_columns(folder, mistake):
    (folder / "graph.csv").write_text(",age,dose\nage,0,1\npain,0,0\n")
    assert "same variables in its rows and columns" in mistake("fit", "data.csv", "--graph", "graph.csv")
