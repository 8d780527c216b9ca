"""Run a task: every method on every data set that has no result yet."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from fipscm.bench.methods import METHODS, find_method
from fipscm.bench.run.engine import RunSettings, run_cells
from fipscm.bench.run.results import RESULTS, Cell, Line, append_result, is_settled, is_too_slow, read_results
from fipscm.bench.tasks import Grid, Task
from fipscm.errors import NotInstalledError
from fipscm.tables.write import make_folder, require_writable

Told = Callable[[str, Line], None]


def run_task(methods: Sequence[str], grid: Grid, settings: RunSettings, out: Path, tell: Told) -> None:
    """Run every method on every data set that has no result yet; `tell` is called with each result.

    A method that took too long is not tried on later data sets of the same kind.
    """
    make_folder(out)
    results = out / RESULTS
    require_writable(results)
    lines = read_results(results)
    settled = {Cell.of(line) for line in lines if is_settled(line, settings.limit)}
    slow = {_kind(Cell.of(line)) for line in lines if is_too_slow(line, settings.limit)}
    wanted = [Cell(method, data) for data in grid.data_sets() for method in methods]
    missing = [cell for cell in wanted if cell not in settled]
    worthwhile = (cell for cell in missing if _kind(cell) not in slow)  # lazy, because `slow` grows while cells run
    for count, line in enumerate(run_cells(worthwhile, settings), start=1):
        append_result(results, line)
        if is_too_slow(line, settings.limit):
            slow.add(_kind(Cell.of(line)))
        tell(f"{count} of at most {len(missing)}", line)


def _kind(cell: Cell) -> Cell:
    """The cell without graph family and seed: cells that agree in all else take about as long."""
    return Cell(cell.method, replace(cell.data, family="", seed=0))


def able_methods(definition: Task, methods: Sequence[str] | None) -> list[str]:
    """The methods asked for, all of which must be installed; else those of the task, with a warning if one is not."""
    if methods is not None:
        for name in methods:
            find_method(name).require()
        return list(methods)
    able = []
    for name in definition.methods:
        try:
            METHODS[name].require()
            able.append(name)
        except NotInstalledError as reason:
            warnings.warn(f"Skipped: {reason}", stacklevel=2)
    return able
