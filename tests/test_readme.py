"""The README's quick start, run as it stands."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fipscm.cli.main import main

README = (Path(__file__).resolve().parents[1] / "README.md").read_text()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A place with the data.csv that the README speaks of."""
    noise = np.random.default_rng(0).exponential(size=(3, 2000))
    age = noise[0]
    dose = 0.8 * age + noise[1]
    pain = age - 1.2 * dose + noise[2]
    pd.DataFrame({"age": age, "dose": dose, "pain": pain}).to_csv(tmp_path / "data.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_shell_commands_work(folder, capsys):
    commands = [line.split("#")[0] for line in README.splitlines() if line.startswith(".venv/bin/fipscm")]
    assert len(commands) >= 5
    for command in commands:
        with pytest.raises(SystemExit) as ending:
            main(shlex.split(command)[1:])
        assert ending.value.code in (0, None), command
    told, quoted = (
        re.search(r"changes pain by (\S+) on\s+average \(95% interval (\S+) to (\S+),", text)
        for text in (capsys.readouterr().out, README)
    )
    np.testing.assert_allclose(np.array(told.groups(), float), np.array(quoted.groups(), float), atol=0.03)
    assert {"model.fip", "graph.png", "what_if.csv"} <= {path.name for path in folder.iterdir()}


def test_the_python_code_works(folder):
    names = {}
    for block in re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL):
        exec(block, names)
    assert names["model"].causal_order_ == ["age", "dose", "pain"]
    assert isinstance(names["df"], pd.DataFrame)
    assert (folder / "model.fip").exists()


def test_every_file_and_benchmark_it_names_exists():
    root = Path(__file__).resolve().parents[1]
    named = re.findall(r"\((docs/[^)]+)\)|`(?:python )?(benchmarks/\w+\.py)`", README)
    assert named
    for groups in named:
        assert (root / next(filter(None, groups))).exists(), groups
