"""From results to pictures: each score against what the columns of its tables stand for, a line per method."""

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fipscm.bench.report.entries import quoted_entries
from fipscm.bench.report.layout import SECTIONS, column_order, heading
from fipscm.bench.run.results import DONE
from fipscm.bench.tasks import Task
from fipscm.metrics import SCORES
from fipscm.tables.write import write_whole

WIDTH, HEIGHT, ACROSS = 4.2, 3.4, 4
BARS: dict[str, Any] = {"marker": "o", "capsize": 2}
_MEASURED = {
    "nodes": "variables",
    "rows": "rows",
}  # numeric columns: points are joined by lines


def draw(figure: str, definition: Task, results: pd.DataFrame, path: Path) -> bool:
    """Draw one score into a PNG file, a panel per kind of data; False if nobody has that score."""
    done = results[results.status == DONE]
    if figure not in done or done[figure].notna().sum() == 0:
        return False
    done = done[done[figure].notna()]
    fields = SECTIONS[definition.columns]
    panels = list(done.groupby(fields, sort=False))
    across = min(ACROSS, len(panels))
    down = -(-len(panels) // across)
    canvas = Figure(figsize=(WIDTH * across + 1.8, HEIGHT * down), layout="constrained")
    axes = canvas.subplots(down, across, squeeze=False, sharey=True).ravel()
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    methods = list(dict.fromkeys(done.method))
    for axis, (key, rows) in zip(axes, panels, strict=False):
        _panel(axis, figure, rows, methods, definition)
        axis.set_title(heading(dict(zip(fields, key, strict=True))), fontsize=8)
    for axis in axes[::across]:
        axis.set_ylabel(SCORES[figure].title)
    lines = {label: line for axis in axes for line, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    canvas.legend(list(lines.values()), list(lines), loc="outside right center", fontsize=8, frameon=False)
    write_whole(path, lambda file: canvas.savefig(file, format="png", dpi=100))
    return True


def _panel(axis: Axes, figure: str, rows: pd.DataFrame, methods: list[str], definition: Task) -> None:
    """Means and standard deviations of every method that has the score; the same method has the same colour always."""
    columns = sorted(rows[definition.columns].unique(), key=column_order(definition))
    for number, method in enumerate(methods):
        scores = rows[rows.method == method].groupby(definition.columns)[figure]
        if not len(scores):
            continue
        means, spread = scores.mean().reindex(columns), scores.std().reindex(columns).fillna(0.0)
        places = [place + 0.03 * (number - len(methods) / 2) for place in range(len(columns))]
        style = ("-" if number < 10 else "--") if definition.columns in _MEASURED else "none"
        axis.errorbar(places, means, spread, label=method, color=f"C{number % 10}", linestyle=style, **BARS)
    _paper(axis, figure, rows, columns, definition)
    slanted: dict[str, Any] = {"rotation": 20, "ha": "right", "rotation_mode": "anchor"} if len(columns) > 3 else {}
    axis.set_xticks(range(len(columns)), [str(column) for column in columns], **slanted)
    axis.set_xlabel(_MEASURED.get(definition.columns, ""))
    axis.grid(alpha=0.3)


def _paper(axis: Axes, figure: str, rows: pd.DataFrame, columns: Sequence[Hashable], definition: Task) -> None:
    """What the paper printed for the first of the methods, where it did."""
    ours = definition.methods[0]
    entries = quoted_entries(figure, ours, rows, columns, definition)[: len(columns)]  # a mean may follow them
    quotes = {place: entry.quoted for place, entry in enumerate(entries) if entry.quoted}
    if quotes:
        means, spread = zip(*((quote.mean, quote.std or 0.0) for quote in quotes.values()), strict=True)
        style = ":" if definition.columns in _MEASURED else "none"
        label = f"{ours} (paper)"
        axis.errorbar(list(quotes), means, spread, label=label, color="black", mfc="white", linestyle=style, **BARS)
