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

Told = Callable[[str, Line], None]


def run_task(methods: Sequence[str], grid: Grid, settings: RunSettings, out: Path, tell: Told) -> None:
    """Run every method on every data set that has no result yet; `tell` hears of each as it ends.

    A method that took too long is not tried on later data sets of the same kind.
    """
    out.mkdir(parents=True, exist_ok=True)
    results = out / RESULTS
    lines = read_results(results)
    settled = {Cell.of(line) for line in lines if is_settled(line, settings.limit)}
    slow = {_kind(Cell.of(line)) for line in lines if is_too_slow(line, settings.limit)}
    wanted = [Cell(method, data) for data in grid.data_sets() for method in methods]
    missing = [cell for cell in wanted if cell not in settled]
    worthwhile = (cell for cell in missing if _kind(cell) not in slow)  # asked as cells start: `slow` grows meanwhile
    for count, line in enumerate(run_cells(worthwhile, settings), start=1):
        append_result(results, line)
        if is_too_slow(line, settings.limit):
            slow.add(_kind(Cell.of(line)))
        tell(f"{count} of at most {len(missing)}", line)


def _kind(cell: Cell) -> Cell:
    """What cells have in common whose data sets differ by chance only."""
    return Cell(cell.method, replace(cell.data, family="", seed=0))


def able_methods(definition: Task, methods: Sequence[str] | None) -> list[str]:
    """The methods asked for, which must be able to run here; or those of the task that are, with a word on the rest."""
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
