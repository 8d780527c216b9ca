"""What the names and kinds of columns suggest that the user may know. Nothing here looks at how columns go together."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import pandas as pd

from fipscm.graph import descendants
from fipscm.knowledge import Knowledge
from fipscm.knowledge.file import as_toml, write_statements
from fipscm.knowledge.statement import Statement, added, in_words, joined
from fipscm.suggestions.lexicon import ANY, Lexicon, Reading, lexicon
from fipscm.suggestions.waves import timed
from fipscm.tables.columns import Columns
from fipscm.tables.validate import named_frame

HEADING = (
    "What the names of the columns suggest. Check it: delete what is wrong, change what you know better.",
    "Then use it with the option --knowledge, as in: fipscm fit data.csv --knowledge knowledge.toml",
)
MOST_NAMED = 3  # columns in the one sentence of `hint`
# Such as y81 and d90, which are 1 in a year and 0 in the others.
_YEAR_DUMMY = re.compile(r"(y|yr|d|dy|year)_?((19|20)?\d\d)", flags=re.IGNORECASE)


@dataclass(frozen=True)
class Suggestions:
    """What a user may know about a table; nothing is applied until somebody asks for it.

    Attributes:
        facts: one statement each, with its columns and its reason.
        names: the variables of the table.
    """

    facts: tuple[Statement, ...]
    names: tuple[Hashable, ...]

    @property
    def knowledge(self) -> Knowledge:
        """All suggestions together, for `FiP(knowledge=...)`."""
        return joined(self.facts)

    @property
    def table(self) -> pd.DataFrame:
        """One row per suggestion: its kind, its groups of columns, its reason."""
        rows = [(each.kind, [list(group) for group in each.groups], each.reason) for each in self.facts]
        return pd.DataFrame(rows, columns=["kind", "columns", "reason"])

    @property
    def hint(self) -> str:
        """One clause about what comes first and what last, for a sentence that begins with 'Names suggest that'."""
        first = [name for fact in self.facts if fact.kind == "roots" for name in fact.columns]
        chains = [fact for fact in self.facts if fact.kind == "tiers"]
        last = [name for fact in self.facts if fact.kind == "leaves" for name in fact.columns]
        last = last or (list(chains[-1].groups[-1]) if chains else [])
        told = [f"{_few(first)} {'comes' if len(first) == 1 else 'come'} first"] if first else []
        if last and first:
            told.append(f"{_few(last)} last")
        elif last and chains:
            told.append(f"{_few(chains[-1].groups[0])} comes before {_few(last)}")
        return " and ".join(told)

    def added_to(self, known: Knowledge | None) -> tuple[Knowledge, list[Statement]]:
        """What is known with the suggestions added; the suggestions that contradict it, which are left out."""
        found, _, dropped = added(self.facts, known or Knowledge(), self.names)
        return found, dropped

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file to check, edit and give to `--knowledge` or `Knowledge.load`."""
        write_statements(self.facts, path, HEADING)

    @property
    def toml(self) -> str:
        """The text of that file."""
        return as_toml(self.facts, HEADING)

    def __str__(self) -> str:
        if not self.facts:
            return "The names of the columns suggest nothing."
        return "\n".join(["The names of the columns suggest:", *(f"  {fact}" for fact in self.facts)])


def suggest(data: Any) -> Suggestions:
    """What the names and kinds of the columns of a table suggest about causes and effects.

    >>> table = pd.DataFrame({"wage": [9.5, 12.1, 30.0], "sex": ["m", "f", "f"], "schooling": [9.5, 12, 16]})
    >>> print(suggest(table))
    The names of the columns suggest:
      sex: no causes among the other columns (People and animals are born with their sex.)
      schooling before wage: Parents come before their children's schooling, schooling before the job, and the job \
before its pay.
    """
    frame = named_frame(data)
    kinds = Columns.of(frame).kinds
    book = lexicon()
    readings = {name: _read(name, kind, book) for name, kind in kinds.items()}
    names = tuple(readings)
    statements = [*_roots(readings), *timed(frame, readings), *_leaves(readings), *_chains(readings, book)]
    return Suggestions(tuple(_consistent(statements, names)), names)


def _read(name: Hashable, kind: str, book: Lexicon) -> Reading:
    year = _YEAR_DUMMY.fullmatch(str(name))
    if year and kind == "binary" and (len(year[2]) == 4 or int(year[2]) >= 60):
        return Reading(book.concepts["calendar"])
    return book.read(name, kind)


def _roots(readings: Mapping[Hashable, Reading]) -> list[Statement]:
    return _by_reason("roots", {n: each.concept.why for n, each in readings.items() if each.concept and each.concept.root})


def _leaves(readings: Mapping[Hashable, Reading]) -> list[Statement]:
    return _by_reason(
        "leaves", {n: each.concept.why for n, each in readings.items() if each.concept and each.concept.leaf}
    )


def _by_reason(kind: str, reasons: Mapping[Hashable, str]) -> list[Statement]:
    """One statement for all columns that have the same reason."""
    groups: dict[str, list[Hashable]] = {}
    for name, reason in reasons.items():
        groups.setdefault(reason, []).append(name)
    return [Statement(kind, (tuple(names),), reason) for reason, names in groups.items()]


def _chains(readings: Mapping[Hashable, Reading], book: Lexicon) -> list[Statement]:
    """The columns of each chain of concepts; roots come first anyway."""
    by_concept: dict[str, list[Hashable]] = {}
    for name, reading in readings.items():
        if reading.concept is not None and not reading.concept.root:
            by_concept.setdefault(reading.concept.name, []).append(name)
    found = []
    for chain in book.chains:
        others = [concept for concept in by_concept if not any(concept in stage for stage in chain.stages)]
        stages = [others if stage == (ANY,) else stage for stage in chain.stages]
        groups = [tuple(name for concept in stage for name in by_concept.get(concept, ())) for stage in stages]
        found.append(Statement("tiers", tuple(group for group in groups if group), chain.why))
    return found


def _consistent(statements: Iterable[Statement], names: Sequence[Hashable]) -> list[Statement]:
    """Statements without what contradicts an earlier one, and without those that add nothing."""
    known, kept = Knowledge(), []
    for statement in statements:
        after, (taken,), _ = added([statement], known, names)
        if not taken.says_nothing and (after.precedence(names) & ~descendants(known.precedence(names))).any():
            kept.append(taken)
            known = after
    return kept


def _few(names: Sequence[Hashable]) -> str:
    """The first few of several names, in words."""
    return in_words(names if len(names) <= MOST_NAMED else [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED} more"])
