"""A command in a hostile environment ends in an answer or one sentence, never in half a file."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from fipscm.estimator import FiP

NAMES = ["Größe", "痛み"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of two columns, whose names are no ASCII."""
    place = tmp_path_factory.mktemp("faults")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({NAMES[0]: rng.normal(size=200)})
    frame[NAMES[1]] = frame[NAMES[0]] + rng.normal(size=200)
    frame.to_csv(place / "data.csv", index=False)
    FiP(order=NAMES).fit(frame).save(place / "m.fip")
    return place


def run(command, **environment):
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH")}
    kept |= {"PYTHONDONTWRITEBYTECODE": "1"}  # what is cut by a limit must not be what Python keeps for later runs
    program = f"{sys.executable} -m fipscm"
    return subprocess.run(
        ["bash", "-c", command.replace("fipscm", program, 1)],
        capture_output=True,
        env={**kept, "OMP_NUM_THREADS": "1", **environment},
        check=False,
        timeout=300,
    )


def is_one_sentence(ended):
    said = ended.stderr.decode()
    assert ended.returncode == 2, said
    assert said.startswith("fipscm: ")
    assert said.count("\n") == 1, said
    return said


def test_a_full_disk_is_one_sentence_and_leaves_nothing(folder, tmp_path):
    out = tmp_path / "out.xlsx"
    ended = run(f"ulimit -f 40; fipscm sample {folder / 'm.fip'} --rows 20000 --out {out}", HOME=str(tmp_path))
    assert "File too large" in is_one_sentence(ended)
    assert not list(tmp_path.glob("*out*"))
    assert not list(tmp_path.glob(".*out*"))


def test_a_folder_that_cannot_be_written_to_is_one_sentence(folder):
    assert "Cannot write '/proc/out.csv'" in is_one_sentence(
        run(f"fipscm sample {folder / 'm.fip'} --out /proc/out.csv")
    )


def test_a_console_that_knows_no_letters_and_no_home_gets_an_answer(folder, tmp_path):
    ended = run(f"fipscm sample {folder / 'm.fip'} --rows 3", LANG="C", HOME="/nowhere")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.decode().splitlines()[0] == ",".join(NAMES)


def test_pictures_are_drawn_whatever_the_environment_says_of_windows(folder, tmp_path):
    order = ",".join(NAMES)
    ended = run(
        f"fipscm fit {folder / 'data.csv'} --order '{order}' --no-assess --out {tmp_path / 'm.fip'} "
        f"--plot {tmp_path / 'graph.png'}",
        LANG="C",
        HOME="/nowhere",
        MPLBACKEND="none-such",
    )
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "graph.png").stat().st_size > 1000
