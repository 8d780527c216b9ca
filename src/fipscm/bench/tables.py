"""From results to a page of Markdown: one table per score and kind of data, the paper's figures in brackets."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import pandas as pd

from fipscm.bench.methods import METHODS
from fipscm.bench.quotes import Quote, quote, quoted_methods
from fipscm.bench.results import DONE, TIMEOUT
from fipscm.bench.scores import SCORES
from fipscm.bench.tasks import Task

# What tells tables apart, by what tells their columns apart.
SECTIONS = {
    "nodes": ["name", "preset", "rows", "scale", "variant"],
    "name": ["rows", "scale"],
    "scale": ["name"],
    "variant": ["name", "preset", "nodes", "rows", "scale"],
    "rows": ["name", "preset", "nodes", "scale", "variant"],
}
TOLD = ("rows", "order", "graph")
MEAN = "mean"
AVERAGED = ("nodes", "name")
SUITES = {"lingauss": "c-suite"}  # a table whose columns are SCMs of a suite has the suite's average beside its mean

LEGEND = """Each entry is the mean over n data sets and, in parentheses, their standard deviation (a single one has
neither); what the paper printed for the same method stands in [brackets]. A row in brackets only is quoted. Methods are
compared with those that are told as much: the best of each column and group is bold, whoever it is. A method that took
longer than the limit of a cell is shown as a timeout, and is not tried on later data sets of the same kind."""


@dataclass(frozen=True)
class Entry:
    """One cell of a table: how often a method was run, how it did, and what the paper says."""

    scores: pd.Series
    timeouts: int
    failures: int
    quoted: Quote | None

    @property
    def mean(self) -> float | None:
        """Our mean, or the quoted one if we have none."""
        if len(self.scores):
            return float(self.scores.mean())
        return None if self.quoted is None else self.quoted.mean

    def text(self, bold: bool) -> str:
        """Write the entry as Markdown."""
        parts = []
        if len(self.scores):
            mean = _number(float(self.scores.mean()))
            count = len(self.scores)
            spread = f" ({_number(float(self.scores.std()))}) n={count}" if count > 1 else ""
            parts.append((f"**{mean}**" if bold else mean) + spread)
        if self.quoted is not None:
            mean = _number(self.quoted.mean)
            spread = "" if self.quoted.std is None else f" ({_number(self.quoted.std)})"
            parts.append(f"[{f'**{mean}**' if bold and not len(self.scores) else mean}{spread}]")
        return " ".join([*parts, *self.endings]) or "-"

    @property
    def endings(self) -> list[str]:
        """How many runs ended without an answer, in words."""
        runs = len(self.scores) + self.timeouts + self.failures
        counts = (("timeout", "timed out", self.timeouts), ("failed", "failed", self.failures))
        return [every if count == runs else f"{count} of {runs} {some}" for every, some, count in counts if count]


def page(definition: Task, results: pd.DataFrame, command: str) -> str:
    """Return the whole page of a task."""
    head = [
        f"# {definition.title}",
        f"Reproduces {definition.reproduces}.",
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
    names = [name for name in METHODS if name in set(results.method)]
    yield "\n".join(f"- `{name}`: {METHODS[name].title}" for name in names)
    limits = sorted(results.limit.unique())
    yield f"Limit of a cell: {' or '.join(f'{limit:g}' for limit in limits)} processor seconds, on one thread."


def _section(figure: str, key: dict[str, Hashable], rows: pd.DataFrame, definition: Task) -> str:
    """One table, or nothing if no method has this score here."""
    if figure not in rows or rows[figure].notna().sum() == 0:
        return ""
    columns = sorted(rows[definition.columns].unique(), key=column_order(definition))
    names = [name for name in METHODS if name in set(rows.method)]
    measured = {name: _entries(figure, name, rows[rows.method == name], columns, definition) for name in names}
    quoted = {name: _quotes(figure, name, rows, columns, definition) for name in _only_quoted(figure, rows)}
    # Who never ended may never have had this score to give: the first table says so, the others leave it out.
    tells_endings = figure == definition.figures[0]
    entries = {
        name: line
        for name, line in sorted((measured | quoted).items(), key=lambda item: TOLD.index(_told(item[0])))
        if any(entry.mean is not None for entry in line) or (tells_endings and any(entry.endings for entry in line))
    }
    averaged = [MEAN] if definition.columns in AVERAGED and len(columns) > 1 else []
    label = "d = {}" if definition.columns == "nodes" else "n = {}" if definition.columns == "rows" else "{}"
    header = ["method", "told", *(label.format(column) for column in columns), *averaged]
    title, higher = SCORES[figure]
    lines = [
        f"### {title[0].upper() + title[1:]} ({'higher' if higher else 'lower'} is better): {heading(key)}",
        "",
        _row(header),
        _row(["---"] * len(header)),
    ]
    best = _best(entries, higher)
    for name, line in entries.items():
        texts = [entry.text(bold=position in best[name]) for position, entry in enumerate(line)]
        lines.append(_row([f"{name}{'' if name in measured else ' (quoted)'}", _told(name), *texts]))
    return "\n".join(lines)


def _entries(
    figure: str, method: str, rows: pd.DataFrame, columns: Sequence[Hashable], definition: Task
) -> list[Entry]:
    """The entries of a method that was run, and their mean over columns where one is shown."""
    entries = []
    for column in columns:
        here = rows[rows[definition.columns] == column]
        scores = here[here.status == DONE][figure].dropna()
        timeouts = int((here.status == TIMEOUT).sum())
        failures = int((~here.status.isin([DONE, TIMEOUT])).sum())
        entries.append(Entry(scores, timeouts, failures, _quote(figure, method, rows, column, definition)))
    if definition.columns in AVERAGED and len(columns) > 1:
        means = [entry.scores.mean() for entry in entries]
        complete = pd.Series([sum(means) / len(means)] if pd.notna(means).all() else [], dtype=float)
        entries.append(Entry(complete, 0, 0, _quote(figure, method, rows, MEAN, definition)))
    return entries


def _quotes(figure: str, method: str, rows: pd.DataFrame, columns: Sequence[Hashable], definition: Task) -> list[Entry]:
    """The entries of a method that the paper ran and we did not."""
    nothing = pd.Series([], dtype=float)
    averaged = [MEAN] if definition.columns in AVERAGED and len(columns) > 1 else []
    return [Entry(nothing, 0, 0, _quote(figure, method, rows, column, definition)) for column in (*columns, *averaged)]


def _quote(figure: str, method: str, rows: pd.DataFrame, column: Hashable, definition: Task) -> Quote | None:
    first = rows.iloc[0]
    if first.variant != "plain" or definition.columns in ("rows", "variant", "scale") or first.scale != "raw":
        return None
    if definition.columns == "name":
        name = SUITES.get(str(first["name"]), "") if column == MEAN else str(column)
        return quote(figure, method, name, None, int(first.rows))
    nodes = None if column == MEAN else int(str(column))
    return quote(figure, method, str(first["name"]), nodes, int(first.rows))


def _only_quoted(figure: str, rows: pd.DataFrame) -> list[str]:
    first, run = rows.iloc[0], set(rows.method)
    if first.variant != "plain" or first.scale != "raw":
        return []
    names = rows["name"].unique()
    return [name for name in dict.fromkeys(chain(*(quoted_methods(figure, n) for n in names))) if name not in run]


def _best(entries: dict[str, list[Entry]], higher: bool) -> dict[str, set[int]]:
    """For every method the columns in which none that is told as much does better."""
    best: dict[str, set[int]] = {name: set() for name in entries}
    for told in {_told(name) for name in entries}:
        group = [name for name in entries if _told(name) == told]
        for position in range(len(entries[group[0]])):
            means = {name: mean for name in group if (mean := entries[name][position].mean) is not None}
            if means:
                shown = {name: float(f"{mean:.3g}") for name, mean in means.items()}
                top = (max if higher else min)(shown.values())
                for name in group:
                    if shown.get(name) == top:
                        best[name].add(position)
    return best


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


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _number(value: float) -> str:
    """Three decimals where they say something, three digits where they do not.

    >>> _number(0.98765), _number(0.00123), _number(421.4), _number(340000.0)
    ('0.988', '0.0012', '421', '340,000')
    """
    if value == 0 or 0.01 <= abs(value) < 100:
        return f"{value:.3f}"
    return f"{value:.2g}" if abs(value) < 0.01 else f"{value:,.0f}"
