"""Cells run in processes of their own: they time out, fail and are measured without touching anything else."""

import importlib.util
import os
from dataclasses import replace

import numpy as np
import pytest

from fipscm.bench.data.problem import DataSet
from fipscm.bench.methods import METHODS
from fipscm.bench.methods.method import Answer, Method
from fipscm.bench.run.cell import measure, run_cell
from fipscm.bench.run.engine import RunSettings, run_cells
from fipscm.bench.run.results import Cell
from fipscm.bench.run.runner import able_methods, run_task
from fipscm.bench.tasks import Grid, Task
from fipscm.errors import FileError, NotInstalledError, UnknownNameError

DATA = DataSet("lin-out", 4, "released", "watts-strogatz", rows=200)


class Looper(Method):
    name, title = "looper", "never ends"

    def solve(self, problem, rng):
        while True:
            pass


class Elsewhere(Method):
    name, title, packages = "elsewhere", "is not installed", ("a_package_nobody_has",)

    def solve(self, problem, rng):
        raise AssertionError("cannot be run")


class Crasher(Method):
    name, title = "crasher", "always fails"

    def solve(self, problem, rng):
        raise ZeroDivisionError("as ever")


class Dier(Method):
    name, title = "dier", "takes its process with it"

    def solve(self, problem, rng):
        os._exit(7)


class Eater(Method):
    name, title = "eater", "needs 200 MB"

    def solve(self, problem, rng):
        return Answer(order=np.arange(4) + 0 * int(np.ones(25_000_000).sum()))


@pytest.fixture
def extra_methods(monkeypatch):
    """Methods of this file; a server started before them would not know them, so cells are forked here and now."""
    import multiprocessing

    from fipscm.bench.run import process

    monkeypatch.setattr(process, "_CONTEXT", multiprocessing.get_context("fork"))
    for method in (Looper(), Crasher(), Dier(), Eater()):
        monkeypatch.setitem(METHODS, method.name, method)


def test_a_cell_that_takes_too_long_is_stopped_and_recorded(extra_methods):
    line = run_cell(Cell("looper", DATA), limit=1.0)
    assert (line["status"], line["seconds"]) == ("timeout", 1.0)


def test_a_method_that_fails_says_why(extra_methods):
    line = run_cell(Cell("crasher", DATA), limit=60)
    assert (line["status"], line["error"]) == ("failed", "ZeroDivisionError: as ever")


def test_a_process_that_dies_is_a_failure(extra_methods):
    line = run_cell(Cell("dier", DATA), limit=60)
    assert line["status"] == "failed"
    assert "code 7" in line["error"]


def test_memory_is_what_the_method_took(extra_methods):
    line = run_cell(Cell("eater", DATA), limit=60)
    assert 180 < line["memory"] < 400


def test_a_line_names_what_made_it():
    line = run_cell(Cell("variance", DATA), limit=60)
    assert line["status"] == "done"
    assert 0 <= line["tos"] <= 1
    assert line["versions"].keys() >= {"python", "fipscm", "numpy", "torch", "weights"}
    assert {"name", "preset", "seed", "scale", "seconds", "memory"} <= line.keys()


class HoleCounter(Method):
    name, title = "hole-counter", "counts missing cells"

    def solve(self, problem, rng):
        holes = int(problem.table.isna().to_numpy().sum())
        return Answer(figures={"holes": holes, "rows_seen": len(problem.table)})


class HoleReader(HoleCounter):
    name, takes_missing = "hole-reader", True


def test_only_a_method_that_can_read_them_is_given_missing_cells(monkeypatch):
    for method in (HoleCounter(), HoleReader()):
        monkeypatch.setitem(METHODS, method.name, method)
    data = replace(DATA, variant="missing")
    counter, reader = (measure(Cell(name, data)) for name in ("hole-counter", "hole-reader"))
    assert (reader["rows_seen"], counter["holes"]) == (200, 0)
    assert reader["holes"] > 0
    assert 0 < counter["rows_seen"] < 200


def test_scores_do_not_depend_on_where_a_cell_runs():
    cell = Cell("random", DATA)
    here, there = measure(cell), run_cell(cell, limit=60)
    assert here["tos"] == there["tos"]


@pytest.mark.parametrize("backend", ["local", "ray", "dask"])
def test_every_engine_runs_every_cell_and_keeps_none_back_for_a_slow_one(backend, monkeypatch):
    pytest.importorskip("castle")
    monkeypatch.setenv("RAY_worker_niceness", "0")  # by default its workers give way to every other test
    if backend != "local" and importlib.util.find_spec({"ray": "ray", "dask": "distributed"}[backend]) is None:
        pytest.skip(f"{backend} is not installed: install fipscm[cluster]")
    cells = [Cell(method, DATA) for method in ("golem", "variance", "random", "r2")]
    *quick, slow = run_cells(cells, RunSettings(limit=5, jobs=2, backend=backend))
    assert {(line["method"], line["status"]) for line in quick} == {(cell.method, "done") for cell in cells[1:]}
    assert (slow["method"], slow["status"]) == ("golem", "timeout")


def test_an_unknown_engine_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'ray'"):
        RunSettings(backend="rya")


def test_a_folder_that_cannot_be_written_is_refused_before_anything_runs(tmp_path):
    (tmp_path / "file").touch()
    grid = Grid(("lin-in",), dims=(4,), rows=(100,), seeds=(0,))
    with pytest.raises(FileError, match="Cannot write into the folder"):
        run_task(["random"], grid, RunSettings(limit=1.0), tmp_path / "file", lambda place, line: pytest.fail("ran"))


def test_a_method_that_is_too_slow_is_tried_once_per_kind_of_data(extra_methods, tmp_path):
    grid = Grid(("lin-in", "lin-out"), dims=(4,), rows=(100,), seeds=(0, 1))
    told = []
    run_task(["looper", "random"], grid, RunSettings(limit=1.0), tmp_path, lambda place, line: told.append(line))
    assert sum(line["method"] == "looper" for line in told) == 2
    assert sum(line["method"] == "random" for line in told) == 2 * 2 * 3


def test_a_method_that_is_not_installed_is_skipped_with_a_word_unless_it_was_asked_for(monkeypatch):
    monkeypatch.setitem(METHODS, "elsewhere", Elsewhere())
    task = Task("two methods", "nothing", ("elsewhere", "random"), ("tos",))
    said = "'elsewhere' needs the package 'a_package_nobody_has': install fipscm\\[baselines\\]"
    with pytest.warns(UserWarning, match=f"Skipped: .*{said}"):
        assert able_methods(task, None) == ["random"]
    with pytest.raises(NotInstalledError, match=said):
        able_methods(task, ("elsewhere",))
