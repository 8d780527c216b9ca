"""`fipscm bench`: it runs, resumes, and says what is wrong."""

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "fipscm", "bench"]


@pytest.fixture
def bench(fipscm, tmp_path, monkeypatch):
    """Run `fipscm bench` in an empty folder; the cells start processes of their own."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: fipscm("bench", *arguments)


def lines_of(folder):
    return [json.loads(line) for line in (folder / "bench" / "results.jsonl").read_text().splitlines()]


def test_smoke(bench, tmp_path):
    """The main promise: one command, a page with the paper's figures, pictures, and nothing to do the second time."""
    first = bench("smoke", "--jobs", "2")
    assert first.returncode == 0, first.stderr
    assert "| fip |" in first.stdout.replace("  ", " ")
    lines = lines_of(tmp_path)
    assert {line["method"] for line in lines} == {"fip", "variance"}
    assert all(line["status"] == "done" for line in lines)
    assert (tmp_path / "bench" / "smoke-f1.png").exists()
    again = bench("smoke")
    assert again.returncode == 0, again.stderr
    assert again.stdout == first.stdout
    assert len(lines_of(tmp_path)) == len(lines)


def test_a_killed_run_goes_on_where_it_was(bench, tmp_path):
    arguments = ["tos", "--methods", "random,variance", "--dims", "4", "--rows", "100", "--names", "lin-in,lin-out"]
    arguments += ["--presets", "released", "--scales", "raw", "--seeds", "0"]
    process = subprocess.Popen([*PROGRAM, *arguments], cwd=tmp_path)
    results = tmp_path / "bench" / "results.jsonl"
    deadline = time.monotonic() + 120
    while not (results.exists() and results.read_text().count("\n") >= 2) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = results.read_text()
    assert kept.count("\n") >= 2
    assert bench(*arguments).returncode == 0
    lines = lines_of(tmp_path)
    assert results.read_text().startswith(kept)
    cells = [tuple(line[key] for key in ("method", "name", "family", "seed", "scale")) for line in lines]
    assert len(cells) == len(set(cells)) == 2 * 2 * 3


def _marked(mark):
    """Processes whose environment holds a mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_a_killed_run_leaves_no_process_behind(tmp_path):
    mark = f"FIPSCM_TEST_MARK={tmp_path}"
    arguments = ["f1", "--methods", "golem", "--names", "lin-in", "--dims", "10", "--limit", "600"]
    process = subprocess.Popen(
        [*PROGRAM, *arguments],
        cwd=tmp_path,
        env=os.environ | dict([mark.split("=", 1)]),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while len(_marked(mark)) < 4 and time.monotonic() < deadline:  # itself, resource tracker, fork server, cell
        time.sleep(0.1)
    assert len(_marked(mark)) >= 4
    process.kill()
    process.wait()
    deadline = time.monotonic() + 60
    while _marked(mark) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert _marked(mark) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["smoek"], "Unknown task 'smoek': did you mean 'smoke'?"),
        (["f1", "--methods", "gse"], "Unknown method 'gse': did you mean 'ges'?"),
        (["f1", "--presets", "relased", "--methods", "variance"], "Unknown preset 'relased': did you mean 'released'?"),
        (["f1", "--scales", "rwa"], "Unknown scale 'rwa': did you mean 'raw'?"),
        (["f1", "--variants", "outlier"], "Unknown variant 'outlier': did you mean 'outliers'?"),
        (["f1", "--dims", "ten"], "'--dims': 'ten' is not a list of whole numbers"),
        (["f1", "--backend", "rya"], "Unknown backend 'rya': did you mean 'ray'?"),
        (["f1", "--no-run"], "holds no result of this task yet"),
        (["f1", "--jobs", "0"], "0 processor cores"),
        (["f1", "--limit", "0"], "--limit"),
    ],
)
def test_mistakes_end_in_one_sentence(mistake, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in mistake("bench", *arguments)


def test_a_part_run_later_does_not_hide_what_was_run_before(bench, tmp_path):
    rest = ["--rows", "100", "--names", "lin-in", "--seeds", "0", "--presets", "released", "--scales", "raw"]
    assert bench("tos", "--methods", "variance,random", "--dims", "10", *rest).returncode == 0
    later = bench("tos", "--methods", "variance", "--dims", "4", *rest)
    assert later.returncode == 0, later.stderr
    page = (tmp_path / "bench" / "tos.md").read_text()
    assert "d = 4" in page
    assert "d = 10" in page
    assert "| random |" in page


@pytest.mark.skipif(importlib.util.find_spec("avici") is not None, reason="avici is installed here")
def test_a_method_that_is_not_installed_says_how_to_get_it(bench):
    asked = bench("f1", "--methods", "avici")
    assert asked.returncode == 2
    assert "avici" in asked.stderr
    assert "FIPSCM_AVICI_WEIGHTS" in asked.stderr


def test_a_corrupt_line_is_named_and_the_rest_is_kept(bench, tmp_path):
    arguments = ["tos", "--methods", "variance", "--dims", "4", "--rows", "100", "--names", "lin-in", "--seeds", "0"]
    assert bench(*arguments).returncode == 0
    results = tmp_path / "bench" / "results.jsonl"
    kept = results.read_text()
    results.write_text("not a result\n" + kept)
    again = bench(*arguments)
    assert again.returncode == 0
    assert "Line 1 of bench/results.jsonl is not a result" in again.stderr
    assert results.read_text() == "not a result\n" + kept


def test_measured_tables_end_in_a_page(bench, tmp_path):
    told = bench("measured", "--names", "ccard")
    assert told.returncode == 0, told.stderr
    assert "ccard: ended" in told.stderr
    assert "| ccard | 72 x 5 |" in told.stdout
    again = bench("measured", "--no-run")
    assert again.stdout == told.stdout == f"{(tmp_path / 'bench' / 'measured.md').read_text()}\n"
    (line,) = (tmp_path / "bench" / "measured-versions.jsonl").read_text().splitlines()
    assert json.loads(line)["ended"] == 1


def test_measured_tables_take_no_grid(bench):
    told = bench("measured", "--dims", "10", "--methods", "pc")
    assert told.returncode == 2
    assert "leave out --methods, --dims" in " ".join(told.stderr.split())


def test_orders_of_measured_tables_end_in_a_page(bench, tmp_path):
    told = bench("orders", "--names", "ccard")
    assert told.returncode == 0, told.stderr
    assert "corpus ccard: " in told.stderr
    assert "| corpus | ccard | 72 |" in told.stdout
    assert bench("orders", "--no-run").stdout == f"{(tmp_path / 'bench' / 'orders.md').read_text()}\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("orders", "--limit", "5"), "leave out --limit"),
        (("orders", "--names", "nothing"), "No table or group of tables is called 'nothing'"),
        (("orders", "--names", "ccard", "--weights", "none"), "There is no weights file 'none'"),
        (("smoke", "--weights", "none"), "leave out --weights"),
    ],
)
def test_what_orders_cannot_take_is_said_in_one_sentence(bench, arguments, sentence):
    told = bench(*arguments)
    assert told.returncode == 2
    assert sentence in " ".join(told.stderr.replace("│", "").split())
