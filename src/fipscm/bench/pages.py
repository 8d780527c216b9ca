"""Run a task: what is missing is run, then its page and pictures are made from the results file."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from fipscm.bench.method import MissingMethodError
from fipscm.bench.methods import METHODS, find_method
from fipscm.bench.pictures import draw
from fipscm.bench.results import Cell, append_result, is_settled, is_too_slow, read_results
from fipscm.bench.runner import Settings, run_cells
from fipscm.bench.tables import page
from fipscm.bench.tasks import Grid, Task
from fipscm.files import write_whole

RESULTS = "results.jsonl"
Told = Callable[[str, dict[str, Any]], None]


def run_task(methods: Sequence[str], grid: Grid, settings: Settings, out: Path, tell: Told) -> None:
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
        except MissingMethodError as reason:
            warnings.warn(f"Skipped: {reason}", stacklevel=2)
    return able


def write_pages(task: str, definition: Task, command: str, out: Path) -> list[Path]:
    """Write the page and the pictures of a task from the results that belong to it."""
    lines = read_results(out / RESULTS)
    results = _results_of(definition, lines)
    if results.empty:
        return []
    pictures = [
        picture
        for figure in definition.figures
        if draw(figure, definition, results, picture := out / f"{task}-{figure.replace('_', '-')}.png")
    ]
    shown = "".join(f"\n![{picture.stem}]({picture.name})\n" for picture in pictures)
    text = page_of(definition, lines, command) + shown
    write_whole(out / f"{task}.md", lambda file: file.write(text.encode()))
    return [out / f"{task}.md", *pictures]


def page_of(definition: Task, lines: Sequence[Mapping[str, Any]], command: str) -> str:
    """Return the tables of a task, made from the lines of results that belong to it."""
    return page(definition, _results_of(definition, lines), command)


def _results_of(definition: Task, lines: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The lines of a task in its own order, whenever each was added."""
    wanted = (Cell(method, data) for data in definition.grid.data_sets() for method in definition.methods)
    places = {cell: place for place, cell in enumerate(wanted)}
    mine = {places[cell]: line for line in lines if (cell := Cell.of(line)) in places}
    return pd.DataFrame([mine[place] for place in sorted(mine)])
