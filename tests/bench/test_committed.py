"""The committed tables follow from the committed results, and from nothing else."""

from dataclasses import fields
from itertools import chain
from pathlib import Path

import pytest

from fipscm.bench.data.problem import DataSet
from fipscm.bench.report.pages import page_with, results_of
from fipscm.bench.report.summary import SUMMARIES, summary
from fipscm.bench.run.results import RESULTS, Cell, read_results
from fipscm.bench.tasks import TASKS
from fipscm.metrics import SCORES
from fipscm.order.weights import shipped_facts

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "results" / "benchmark"
PAGES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "README")


@pytest.mark.parametrize("task", PAGES)
def test_a_page_follows_from_the_results(task):
    results = results_of(TASKS[task], read_results(FOLDER / RESULTS))
    pictures = [f"{task}-{figure.replace('_', '-')}.png" for figure in TASKS[task].figures]
    drawn = [name for name in pictures if (FOLDER / name).exists()]
    assert (FOLDER / f"{task}.md").read_text() == page_with(TASKS[task], results, f"fipscm bench {task}", drawn)


def test_every_task_with_results_has_a_page():
    cells = {Cell.of(line) for line in read_results(FOLDER / RESULTS)}
    run = {
        name
        for name, task in TASKS.items()
        if any(Cell(method, data) in cells for data in task.grid.data_sets() for method in task.methods)
    }
    assert set(PAGES) == run


WRITTEN_IN = {
    "scoreboard": "README.md",
    "orders": "docs/notes/order.md",
    "pipeline": "docs/results/pipeline.md",
    "pipeline-order": "docs/results/pipeline.md",
    "failures": "docs/results/benchmark/README.md",
    "coverage": "docs/results/effects.md",
    "noises": "docs/results/noise.md",
    "mixed": "docs/results/mixed.md",
}


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_summary_follows_from_the_results(name):
    text = (ROOT / WRITTEN_IN[name]).read_text()
    for table in summary(name, FOLDER / RESULTS).split("\n\n"):
        assert table in text


def test_every_score_in_the_results_is_one_of_the_table_of_scores():
    facts = {"method", "status", "limit", "versions", "error", *(field.name for field in fields(DataSet))}
    recorded = set(chain(*read_results(FOLDER / RESULTS))) - facts
    shown = {figure for task in TASKS.values() for figure in task.figures}
    assert recorded | shown <= SCORES.keys()


def test_results_that_rest_on_other_weights_are_called_so():
    resting = [
        line for line in read_results(FOLDER / RESULTS) if line["method"] in ("fip", "zero-shot", "dowhy-predicted")
    ]
    is_current = {line["versions"]["weights"] for line in resting} == {f"{shipped_facts()['steps']} steps"}
    for page in (FOLDER / "README.md", ROOT / "README.md"):
        assert ("measured with earlier order networks" in " ".join(page.read_text().split())) != is_current, page


def test_every_result_says_what_made_it():
    lines = read_results(FOLDER / RESULTS)
    assert all({"versions", "seconds", "limit", "status"} <= line.keys() for line in lines)
