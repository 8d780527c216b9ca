"""The committed tables follow from the committed results, and from nothing else."""

from pathlib import Path

import pytest

from fipscm.bench.pages import RESULTS, page_of
from fipscm.bench.results import read_results
from fipscm.bench.tasks import TASKS

FOLDER = Path(__file__).parents[2] / "docs" / "results" / "benchmark"
PAGES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "README")


@pytest.mark.parametrize("task", PAGES)
def test_a_page_follows_from_the_results(task):
    expected = page_of(TASKS[task], read_results(FOLDER / RESULTS), f"fipscm bench {task}")
    assert (FOLDER / f"{task}.md").read_text().startswith(expected)


def test_every_task_but_the_first_look_has_a_page():
    assert set(PAGES) == TASKS.keys() - {"smoke"}


def test_every_result_says_what_made_it():
    lines = read_results(FOLDER / RESULTS)
    assert all({"versions", "seconds", "limit", "status"} <= line.keys() for line in lines)
