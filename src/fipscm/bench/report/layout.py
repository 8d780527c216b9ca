"""From results to a page of Markdown: one table per score and kind of data, the paper's figures in brackets."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain

import pandas as pd

from fipscm.bench.methods import METHODS
from fipscm.bench.report.entries import (
    Entry,
    has_mean,
    in_seconds,
    measured_entries,
    only_quoted,
    quoted_entries,
    shown,
)
from fipscm.bench.tasks import Task
from fipscm.metrics import SCORES
from fipscm.simulate.mixed.holes import PATTERNS
from fipscm.simulate.worlds import MISSING, PLAIN

# A page has one table per combination of these properties, depending on what its columns show.
SECTIONS = {
    "nodes": ["name", "preset", "rows", "scale", "variant"],
    "name": ["rows", "scale"],
    "scale": ["name"],
    "variant": ["name", "preset", "nodes", "rows", "scale"],
    "rows": ["name", "preset", "nodes", "scale", "variant"],
}
TOLD = ("rows", "order", "graph")
DIRECTIONS = {True: " (higher is better)", False: " (lower is better)", None: ""}

LEGEND = """Each entry is the mean over n data sets, with their standard deviation in parentheses; an entry without n is
that of one data set. In [brackets] stands what the paper printed for the method of the same name, in its own
implementation; a row with nothing but brackets was not run here. The column `told` says what a method may use: the
rows alone, or also the true order or the true graph. Among methods that are told the same, the best entry of each
column is bold, the paper's included; means over different numbers of data sets compare with care. A method that
exceeds its time limit is shown as timed out, and is not tried on later data sets of the same kind."""


def page(definition: Task, results: pd.DataFrame, command: str) -> str:
    """Return the whole page of a task."""
    head = [
        f"# {definition.title}",
        f"Reproduces {definition.reproduces}." if definition.reproduces else "Not in the paper.",
        f"```\n{command}\n```",
        LEGEND,
        *_remarks(results),
    ]
    fields = SECTIONS[definition.columns]
    tables = (
        _section(figure, dict(zip(fields, key, strict=True)), rows, definition)
        for figure in definition.figures
        for key, rows in results.groupby(fields, sort=False)
    )
    return "\n\n".join(chain(head, filter(None, tables))) + "\n"


def _remarks(results: pd.DataFrame) -> Iterator[str]:
    """What the methods are, and how long they were given."""
    limits = {name: in_seconds(rows.limit) for name, rows in results.groupby("method")}
    named = (name for name in METHODS if name in limits)
    yield "\n".join(f"- `{name}`: {METHODS[name].title}; at most {limits[name]}" for name in named)
    yield "Limits are processor seconds per data set, on one thread."
    if results.variant.isin({MISSING, *PATTERNS} - {PLAIN}).any():
        yield "Where cells are missing, a method that cannot read such a table is given its complete rows alone."


def _section(figure: str, key: dict[str, Hashable], rows: pd.DataFrame, definition: Task) -> str:
    """One table, or nothing if no method has this score here."""
    if figure not in rows or rows[figure].notna().sum() == 0:
        return ""
    columns = sorted(rows[definition.columns].unique(), key=column_order(definition))
    names = [name for name in METHODS if name in set(rows.method)]
    measured = {name: measured_entries(figure, name, rows[rows.method == name], columns, definition) for name in names}
    quoted = {name: quoted_entries(figure, name, rows, columns, definition) for name in only_quoted(figure, rows)}
    # A method that never finished stands in the first table only: it may not have the other scores at all.
    shows_endings = figure == definition.figures[0]
    entries = {
        name: line
        for name, line in sorted((measured | quoted).items(), key=lambda item: TOLD.index(_told(item[0])))
        if any(entry.means for entry in line) or (shows_endings and any(entry.endings for entry in line))
    }
    averaged = ["mean"] if has_mean(columns, definition) else []
    label = "d = {}" if definition.columns == "nodes" else "n = {}" if definition.columns == "rows" else "{}"
    header = ["method", "told", *(label.format(column) for column in columns), *averaged]
    title, higher = SCORES[figure].title, SCORES[figure].higher_is_better
    best = _best(entries, higher)
    body = []
    for name, line in entries.items():
        texts = [entry.text(is_best) for entry, is_best in zip(line, best[_told(name)], strict=True)]
        body.append([f"{name}{'' if name in measured else ' (quoted)'}", _told(name), *texts])
    caption = f"### {title[0].upper() + title[1:]}{DIRECTIONS[higher]}: {heading(key)}"
    return f"{caption}\n\n{markdown_table(header, body)}"


def _best(entries: dict[str, list[Entry]], higher: bool | None) -> dict[str, list[Callable[[float], bool]]]:
    """Which entries of each column are best among the methods that are told the same."""
    best = {}
    for told in {_told(name) for name in entries}:
        lines = [line for name, line in entries.items() if _told(name) == told]
        columns = ([shown(mean) for entry in column for mean in entry.means] for column in zip(*lines, strict=True))
        best[told] = [_reads_best(figures, higher) for figures in columns]
    return best


def _reads_best(figures: list[float], higher: bool | None) -> Callable[[float], bool]:
    """Return a test for the best of these; one figure alone is not best, nor any if no direction is better."""
    if len(figures) < 2 or higher is None:
        return lambda _: False
    if higher:
        return lambda value: shown(value) == max(figures)
    # An error that is estimated without bias can fall below zero by chance, and is no better for that.
    least = max(min(figures), 0.0)
    return lambda value: shown(value) <= least


def _told(method: str) -> str:
    """What a method may look at besides the rows."""
    if method in METHODS:
        return METHODS[method].given
    return next(
        (hint for hint in ("order", "graph") if method.endswith(f"-{hint}")), _TOLD_IN_PAPER.get(method, "rows")
    )


_TOLD_IN_PAPER = {"causal-nf": "order", "carefl": "order", "vaca": "graph"}


def column_order(definition: Task) -> Callable[[Hashable], tuple[int, str]]:
    """A key that sorts columns as the task lists them."""
    field = {"nodes": "dims", "rows": "rows"}.get(definition.columns, f"{definition.columns}s")
    wanted = list(getattr(definition.grid, field))
    return lambda column: (wanted.index(column) if column in wanted else len(wanted), str(column))


def heading(key: dict[str, Hashable]) -> str:
    """What the data of a table or a panel have in common, in words."""
    words = {
        "name": "{}",
        "preset": "preset {}",
        "nodes": "d = {}",
        "rows": "{} rows",
        "scale": "{} scale",
        "variant": "{}",
    }
    return ", ".join(words[field].format(value) for field, value in key.items() if value not in ("", "plain"))


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lay out a table.

    >>> print(markdown_table(["method", "F1"], [["pc", 0.5]]))
    | method | F1 |
    | --- | --- |
    | pc | 0.5 |
    """
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in (header, ["---"] * len(header), *rows))
