"""From results to pictures: each score against what the columns of its tables stand for, a line per method."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from fipscm.bench.results import DONE
from fipscm.bench.scores import SCORES
from fipscm.bench.tables import SECTIONS
from fipscm.bench.tasks import Task
from fipscm.files import write_whole

WIDTH, HEIGHT = 4.2, 3.4


def draw(figure: str, definition: Task, results: pd.DataFrame, path: Path) -> bool:
    """Draw one score into a PNG file, a panel per kind of data; False if nobody has that score."""
    done = results[results.status == DONE]
    if figure not in done or done[figure].notna().sum() == 0:
        return False
    done = done[done[figure].notna()]
    panels = list(done.groupby(SECTIONS[definition.columns], sort=False))
    across = min(4, len(panels))
    down = -(-len(panels) // across)
    canvas = Figure(figsize=(WIDTH * across + 1.8, HEIGHT * down), layout="constrained")
    axes = canvas.subplots(down, across, squeeze=False).ravel()
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    methods = list(dict.fromkeys(done.method))
    for axis, (key, rows) in zip(axes, panels, strict=False):
        columns = sorted(
            rows[definition.columns].unique(), key=str if rows[definition.columns].dtype == object else None
        )
        for number, method in enumerate(methods):
            scores = rows[rows.method == method].groupby(definition.columns)[figure]
            means = scores.mean().reindex(columns)
            spread = scores.std().reindex(columns).fillna(0.0)
            places = [place + 0.02 * (number - len(methods) / 2) for place in range(len(columns))]
            axis.errorbar(places, means, spread, marker="o", capsize=2, label=method, color=f"C{number % 10}",
                          linestyle="-" if number < 10 else "--")  # fmt: skip
        axis.set_xticks(
            range(len(columns)), [str(column) for column in columns], rotation=0 if len(columns) < 5 else 30
        )
        axis.set_title(", ".join(str(part) for part in key if part not in ("", "plain")), fontsize=9)
        axis.set_xlabel(definition.columns)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel(SCORES.get(figure, (figure, True))[0])
    handles, labels = axes[0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside right center", fontsize=8, frameon=False)
    write_whole(path, lambda file: canvas.savefig(file, format="png", dpi=100))
    return True
