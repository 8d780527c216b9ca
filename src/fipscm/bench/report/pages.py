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
    results = results_of(definition, read_results(out / RESULTS))
    if results.empty:
        return []
    pictures = [
        picture
        for figure in definition.figures
        if draw(figure, definition, results, picture := out / f"{task}-{figure.replace('_', '-')}.png")
    ]
    text = page_with(definition, results, command, [picture.name for picture in pictures])
    write_whole(out / f"{task}.md", lambda file: file.write(text.encode()))
    return [out / f"{task}.md", *pictures]


def page_with(definition: Task, results: pd.DataFrame, command: str, pictures: Sequence[str]) -> str:
    """Return the tables of a task, and below them its pictures, given by their file names."""
    shown = "".join(f"\n![{Path(name).stem}]({name})\n" for name in pictures)
    return page(definition, results, command) + shown


def results_of(definition: Task, lines: Sequence[Line]) -> pd.DataFrame:
    """The lines of a task in its own order, whenever each was added."""
    wanted = (Cell(method, data) for data in definition.grid.data_sets() for method in definition.methods)
    places = {cell: place for place, cell in enumerate(wanted)}
    mine = {places[cell]: line for line in lines if (cell := Cell.of(line)) in places}
    return pd.DataFrame([mine[place] for place in sorted(mine)])
