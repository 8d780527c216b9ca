"""What stands in the tables: a method's scores on the data sets of a column, beside what the paper printed."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import chain

import pandas as pd

from fipscm.bench.report.quotes import Quote, quote, quoted_methods
from fipscm.bench.run.results import DONE, TIMEOUT
from fipscm.bench.tasks import Task
from fipscm.simulate import C_SUITE
from fipscm.simulate.metadatasets import DIMENSIONS
from fipscm.simulate.worlds import PLAIN

AVERAGED = ("nodes", "name")
_ROUNDING = 1e-12  # a number below this is a rounding error


@dataclass(frozen=True)
class Entry:
    """One cell of a table: how often a method was run, how it did, and what the paper says."""

    scores: pd.Series
    timeouts: pd.Series  # the limits that were not enough
    failures: int
    quoted: Quote | None

    @property
    def means(self) -> list[float]:
        """Our mean and the paper's, as far as there are any."""
        ours = [float(self.scores.mean())] if len(self.scores) else []
        return ours + ([] if self.quoted is None else [self.quoted.mean])

    def text(self, is_best: Callable[[float], bool]) -> str:
        """Write the entry as Markdown; whatever is best is bold."""
        parts = []
        if len(self.scores):
            count = len(self.scores)
            spread = f" ({number(float(self.scores.std()))}) n={count}" if count > 1 else ""
            parts.append(_emphasised(float(self.scores.mean()), is_best) + spread)
        if self.quoted is not None:
            spread = "" if self.quoted.std is None else f" ({number(self.quoted.std)})"
            parts.append(f"[{_emphasised(self.quoted.mean, is_best)}{spread}]")
        return " ".join([*parts, *self.endings]) or "-"

    @property
    def endings(self) -> list[str]:
        """How many runs ended without an answer, in words."""
        runs = len(self.scores) + len(self.timeouts) + self.failures
        counts = ((len(self.timeouts), f"timed out at {in_seconds(self.timeouts)}"), (self.failures, "failed"))
        return [ending if count == runs else f"{count} of {runs} {ending}" for count, ending in counts if count]


_NOTHING = pd.Series([], dtype=float)


def has_mean(columns: Sequence[Hashable], definition: Task) -> bool:
    """Tell whether a table shows the mean over its columns."""
    return definition.columns in AVERAGED and len(columns) > 1


def measured_entries(
    figure: str, method: str, rows: pd.DataFrame, columns: Sequence[Hashable], definition: Task
) -> list[Entry]:
    """The entries of a method that was run, and their mean over columns where one is shown."""
    entries = []
    for column in columns:
        here = rows[rows[definition.columns] == column]
        scores = here[here.status == DONE][figure].dropna()
        timeouts = here[here.status == TIMEOUT].limit
        failures = int((~here.status.isin([DONE, TIMEOUT])).sum())
        entries.append(Entry(scores, timeouts, failures, _quote(figure, method, rows, column, definition)))
    if has_mean(columns, definition):
        means = [entry.scores.mean() for entry in entries]
        complete = pd.Series([sum(means) / len(means)]) if pd.notna(means).all() else _NOTHING
        entries.append(Entry(complete, _NOTHING, 0, _mean_quote(figure, method, rows, columns)))
    return entries


def quoted_entries(
    figure: str, method: str, rows: pd.DataFrame, columns: Sequence[Hashable], definition: Task
) -> list[Entry]:
    """The entries of a method that the paper ran and we did not."""
    quotes = [_quote(figure, method, rows, column, definition) for column in columns]
    if has_mean(columns, definition):
        quotes.append(_mean_quote(figure, method, rows, columns))
    return [Entry(_NOTHING, _NOTHING, 0, quoted) for quoted in quotes]


def only_quoted(figure: str, rows: pd.DataFrame) -> list[str]:
    """The methods that have this score in the paper, and no run here."""
    if not _as_in_the_paper(rows):
        return []
    named = chain(*(quoted_methods(figure, name) for name in rows["name"].unique()))
    return [name for name in dict.fromkeys(named) if name not in set(rows.method)]


def _as_in_the_paper(rows: pd.DataFrame) -> bool:
    return bool((rows.variant == PLAIN).all() and (rows.scale == "raw").all())


def _quote(figure: str, method: str, rows: pd.DataFrame, column: Hashable, definition: Task) -> Quote | None:
    """What the paper has for one column of a table."""
    if definition.columns not in AVERAGED or not _as_in_the_paper(rows):
        return None
    first = rows.iloc[0]
    name, nodes = (str(column), None) if definition.columns == "name" else (str(first["name"]), int(str(column)))
    return quote(figure, method, name, nodes, int(first.rows))


def _mean_quote(figure: str, method: str, rows: pd.DataFrame, columns: Sequence[Hashable]) -> Quote | None:
    """The average the paper has over these columns, if it has one over all of them and no others."""
    first = rows.iloc[0]
    name = {tuple(C_SUITE): "c-suite", DIMENSIONS: str(first["name"])}.get(tuple(columns))
    return quote(figure, method, name, None, int(first.rows)) if name and _as_in_the_paper(rows) else None


def _emphasised(value: float, is_best: Callable[[float], bool]) -> str:
    return f"**{number(value)}**" if is_best(value) else number(value)


def in_seconds(limits: pd.Series) -> str:
    """Name the limits that were set, each once.

    >>> in_seconds(pd.Series([60.0, 10.0, 60.0]))
    '10 or 60 s'
    """
    return " or ".join(f"{limit:g}" for limit in sorted(limits.unique())) + " s"


def shown(value: float) -> float:
    """Round a value as a table shows it, so that entries that look the same count as equal."""
    return float(number(value).replace(",", ""))


def number(value: float) -> str:
    """Write three decimals between 0.01 and 100, two significant digits below, and no decimals above.

    >>> number(0.98765), number(0.00123), number(421.4), number(340000.0), number(1e-17)
    ('0.988', '0.0012', '421', '340,000', '0.000')
    """
    if abs(value) < _ROUNDING or 0.01 <= abs(value) < 100:
        return f"{value:.3f}"
    return f"{value:.2g}" if abs(value) < 0.01 else f"{value:,.0f}"
