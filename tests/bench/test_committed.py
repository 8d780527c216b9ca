"""The committed tables follow from the committed results, and from nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

from fipscm.bench.report.pages import page_of
from fipscm.bench.run.results import RESULTS, Cell, read_results
from fipscm.bench.tasks import TASKS
from fipscm.order.weights import shipped_facts

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "results" / "benchmark"
PAGES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "README")


@pytest.mark.parametrize("task", PAGES)
def test_a_page_follows_from_the_results(task):
    expected = page_of(TASKS[task], read_results(FOLDER / RESULTS), f"fipscm bench {task}")
    assert (FOLDER / f"{task}.md").read_text().startswith(expected)


def test_every_task_with_results_has_a_page():
    cells = {Cell.of(line) for line in read_results(FOLDER / RESULTS)}
    run = {
        name
        for name, task in TASKS.items()
        if any(Cell(method, data) in cells for data in task.grid.data_sets() for method in task.methods)
    }
    assert set(PAGES) == run


@pytest.mark.parametrize(
    ("summary", "page"),
    [
        ("scoreboard", "README.md"),
        ("failures", "docs/results/benchmark/README.md"),
        ("orders", "docs/results/order.md"),
        ("pipeline", "docs/results/pipeline.md"),
    ],
)
def test_a_summary_follows_from_the_results(summary, page):
    command = [sys.executable, "benchmarks/summary.py", summary]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    written = (ROOT / page).read_text().splitlines()
    assert [line for line in printed.splitlines() if line and line not in written] == []


def test_no_result_is_older_than_the_weights_it_rests_on():
    resting = [
        line for line in read_results(FOLDER / RESULTS) if line["method"] in ("fip", "zero-shot", "dowhy-predicted")
    ]
    assert {line["versions"]["weights"] for line in resting} == {f"{shipped_facts()['steps']} steps"}


def test_every_result_says_what_made_it():
    lines = read_results(FOLDER / RESULTS)
    assert all({"versions", "seconds", "limit", "status"} <= line.keys() for line in lines)
