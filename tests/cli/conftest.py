"""What tests of the command line share: ways to run it, and a table with a model of it."""

import io
import subprocess
import sys

import numpy as np
import pytest

from fipscm.cli.main import main
from fipscm.estimator import FiP
from fipscm.simulate import known_scm


@pytest.fixture
def fipscm(capsys, monkeypatch):
    """Run a command in this process; what a process of its own adds is tested by those that start one."""

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # which a mistake silences to its end
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ending:
            main([str(argument) for argument in arguments])
        written = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, ending.value.code, written.out, written.err)

    return run


@pytest.fixture
def mistake(fipscm):
    """Run a command that must end with exit code 2, nothing on standard output and one sentence, which is returned."""

    def run(*arguments, stdin=b""):
        result = fipscm(*arguments, stdin=stdin)
        assert result.returncode == 2, result
        assert not result.stdout
        assert result.stderr.startswith("fipscm: ")
        assert result.stderr.count("\n") == 1, result.stderr
        return result.stderr

    return run


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A table of three columns, five rows of it, and a model of it."""
    place = tmp_path_factory.mktemp("cli")
    frame = known_scm("triangle").sample(4000, np.random.default_rng(0)).set_axis(["age", "dose", "pain"], axis=1)
    frame.to_csv(place / "data.csv", index=False)
    frame.to_parquet(place / "data.parquet", index=False)
    frame.head(5).to_csv(place / "rows.csv", index=False)
    FiP(order=["age", "dose", "pain"], random_state=0).fit(frame).save(place / "m.fip")
    return place
