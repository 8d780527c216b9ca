"""What stands in the tables: a method's scores on the data sets of a column, beside what the paper printed."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain

import pandas as pd

from fipscm.bench.quotes import Quote, quote, quoted_methods
from fipscm.bench.results import DONE, TIMEOUT
from fipscm.bench.tasks import Task

MEAN = "mean"
AVERAGED = ("nodes", "name")
SUITES = {"lingauss": "c-suite"}  # a table whose columns are SCMs of a suite has the suite's average beside its mean


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


def has_mean(columns: Sequence[Hashable], definition: Task) -> bool:
    """Tell whether a mean over the columns says something, and is shown."""
    return definition.columns in AVERAGED and len(columns) > 1


def measured_entries(
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
    if has_mean(columns, definition):
        means = [entry.scores.mean() for entry in entries]
        complete = pd.Series([sum(means) / len(means)] if pd.notna(means).all() else [], dtype=float)
        entries.append(Entry(complete, 0, 0, _quote(figure, method, rows, MEAN, definition)))
    return entries


def quoted_entries(
    figure: str, method: str, rows: pd.DataFrame, columns: Sequence[Hashable], definition: Task
) -> list[Entry]:
    """The entries of a method that the paper ran and we did not."""
    nothing = pd.Series([], dtype=float)
    shown = [*columns, MEAN] if has_mean(columns, definition) else columns
    return [Entry(nothing, 0, 0, _quote(figure, method, rows, column, definition)) for column in shown]


def only_quoted(figure: str, rows: pd.DataFrame) -> list[str]:
    """The methods that have this score in the paper, and no run here."""
    first, run = rows.iloc[0], set(rows.method)
    if first.variant != "plain" or first.scale != "raw":
        return []
    names = rows["name"].unique()
    return [name for name in dict.fromkeys(chain(*(quoted_methods(figure, n) for n in names))) if name not in run]


def _quote(figure: str, method: str, rows: pd.DataFrame, column: Hashable, definition: Task) -> Quote | None:
    first = rows.iloc[0]
    if first.variant != "plain" or definition.columns in ("rows", "variant", "scale") or first.scale != "raw":
        return None
    if definition.columns == "name":
        name = SUITES.get(str(first["name"]), "") if column == MEAN else str(column)
        return quote(figure, method, name, None, int(first.rows))
    nodes = None if column == MEAN else int(str(column))
    return quote(figure, method, str(first["name"]), nodes, int(first.rows))


def _number(value: float) -> str:
    """Three decimals where they say something, three digits where they do not.

    >>> _number(0.98765), _number(0.00123), _number(421.4), _number(340000.0)
    ('0.988', '0.0012', '421', '340,000')
    """
    if value == 0 or 0.01 <= abs(value) < 100:
        return f"{value:.3f}"
    return f"{value:.2g}" if abs(value) < 0.01 else f"{value:,.0f}"
