"""The page and the pictures of a task, made from the results file and nothing else."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from fipscm.bench.report.layout import page
from fipscm.bench.report.pictures import draw
from fipscm.bench.run.results import RESULTS, Cell, Line, read_results
from fipscm.bench.tasks import Task
from fipscm.tables.write import write_whole


def write_pages(task: str, definition: Task, command: str, out: Path) -> list[Path]:
    """Write the page and the pictures of a task from the results that belong to it."""
    results = _results_of(definition, read_results(out / RESULTS))
    if results.empty:
        return []
    pictures = [
        picture
        for figure in definition.figures
        if draw(figure, definition, results, picture := out / f"{task}-{figure.replace('_', '-')}.png")
    ]
    shown = "".join(f"\n![{picture.stem}]({picture.name})\n" for picture in pictures)
    text = page(definition, results, command) + shown
    write_whole(out / f"{task}.md", lambda file: file.write(text.encode()))
    return [out / f"{task}.md", *pictures]


def page_of(definition: Task, lines: Sequence[Line], command: str) -> str:
    """Return the tables of a task, made from the lines of results that belong to it."""
    return page(definition, _results_of(definition, lines), command)


def _results_of(definition: Task, lines: Sequence[Line]) -> pd.DataFrame:
    """The lines of a task in its own order, whenever each was added."""
    wanted = (Cell(method, data) for data in definition.grid.data_sets() for method in definition.methods)
    places = {cell: place for place, cell in enumerate(wanted)}
    mine = {places[cell]: line for line in lines if (cell := Cell.of(line)) in places}
    return pd.DataFrame([mine[place] for place in sorted(mine)])
