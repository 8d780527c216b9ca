"""What the names and kinds of columns suggest that the user may know. Nothing here looks at how columns go together."""

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from os import PathLike
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from fipscm.arrays import Mask
from fipscm.graph import descendants
from fipscm.knowledge import Knowledge
from fipscm.knowledge.file import as_toml, write_statements
from fipscm.knowledge.statement import Statement, added, in_words, joined
from fipscm.suggestions.lexicon import ANY, EARLY, Chain, Concept, Lexicon, Reading, concept_graph, lexicon
from fipscm.suggestions.waves import measured_late, timed
from fipscm.suggestions.words import words_of
from fipscm.tables.columns import Columns
from fipscm.tables.validate import named_frame

HEADING = (
    "What the names of the columns suggest. Check it: delete what is wrong, change what you know better.",
    "Then use it with the option --knowledge, as in: fipscm fit data.csv --knowledge knowledge.toml",
)
MOST_NAMED = 3  # columns in the one sentence of `hint`
Stages = tuple[tuple[str, ...], ...]
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
        before = descendants(self.knowledge.precedence(self.names)).sum(axis=0)  # how many come before each
        last = [name for name, number in zip(self.names, before, strict=True) if number == before.max() > len(first)]
        told = [f"{_few(first)} {'comes' if len(first) == 1 else 'come'} first"] if first else []
        if last:
            told.append(f"{_few(last)} last" if first else f"{_few(last)} {'comes' if len(last) == 1 else 'come'} last")
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
      schooling before wage: Schooling comes before the job, and the job before its pay.
    """
    frame = named_frame(data)
    kinds = Columns.of(frame).kinds
    book = lexicon()
    readings = {name: _read(name, kind, book) for name, kind in kinds.items()}
    names = tuple(readings)
    times = timed(frame, readings)
    late = measured_late(readings, times)
    statements = [*_roots(readings), *times, *_leaves(readings, kinds, book.aftermath), *_chains(readings, late, book)]
    return Suggestions(tuple(_consistent(statements, names)), names)


def _read(name: Hashable, kind: str, book: Lexicon) -> Reading:
    year = _YEAR_DUMMY.fullmatch(str(name))
    if year and kind == "binary" and (len(year[2]) == 4 or int(year[2]) >= 60):
        return Reading(book.concepts["calendar"])
    return book.read(name, kind)


def _roots(readings: Mapping[Hashable, Reading]) -> list[Statement]:
    return _by_reason("roots", {name: each.concept for name, each in readings.items() if each.concept})


def _leaves(
    readings: Mapping[Hashable, Reading], kinds: Mapping[Hashable, str], aftermath: Collection[str]
) -> list[Statement]:
    """Endings that are a yes or no and have no aftermath, and the one price of things."""
    found = {name: each.concept for name, each in readings.items() if each.concept}
    present = Counter(concept.name for concept in found.values())
    goes_on = any(word in aftermath for name in readings for word in words_of(name))
    last = {}
    for name, concept in found.items():
        is_price = present.keys() & {*concept.leaf_in} and not present.keys() & {*concept.not_leaf_in}
        if (concept.leaf and kinds[name] == "binary" and not goes_on) or (is_price and present[concept.name] == 1):
            last[name] = concept
    return _by_reason("leaves", last)


def _by_reason(kind: str, concepts: Mapping[Hashable, Concept]) -> list[Statement]:
    """One statement for all columns that have the same reason."""
    groups: dict[str, list[Hashable]] = {}
    for name, concept in concepts.items():
        if kind == "leaves" or concept.root:
            groups.setdefault(concept.why, []).append(name)
    return [Statement(kind, (tuple(names),), reason) for reason, names in groups.items()]


def _chains(readings: Mapping[Hashable, Reading], late: Collection[Hashable], book: Lexicon) -> list[Statement]:
    """What follows from the chains of concepts; roots come first anyway.

    What was measured late comes after other columns, never before: these may have been measured earlier. What was
    measured early comes before other columns, never after: effort of this year is no cause of grades of the last.
    """
    early = {name for name, reading in readings.items() if reading.moment == EARLY}
    by_concept: dict[str, list[Hashable]] = {}
    for name, reading in readings.items():
        if reading.concept is not None and not reading.concept.root:
            by_concept.setdefault(reading.concept.name, []).append(name)
    chains = [chain for chain in book.chains if not chain.needs or by_concept.keys() & {*chain.needs}]
    found = []
    for stages, reason in [*_own_stages(chains, by_concept), *_implied_stages(chains, by_concept)]:
        groups = [[name for concept in stage for name in by_concept.get(concept, ())] for stage in stages]
        timely = [[name for name in group if name not in late and name not in early] for group in groups]
        found.append(_tiers(timely, reason))
        for place, group in enumerate(groups):
            earlier = [name for before in groups[:place] for name in before if name not in late]
            later = [name for after in groups[place + 1 :] for name in after if name not in early]
            found.append(_tiers([earlier, [name for name in group if name in late]], reason))
            found.append(_tiers([[name for name in group if name in early], later], reason))
    return found


def _own_stages(chains: Iterable[Chain], present: Collection[str]) -> Iterable[tuple[Stages, str]]:
    """The stages of each chain and its reason."""
    for chain in chains:
        others = tuple(concept for concept in present if not any(concept in stage for stage in chain.stages))
        yield tuple(others if stage == (ANY,) else stage for stage in chain.stages), chain.why


def _implied_stages(chains: Iterable[Chain], present: Collection[str]) -> Iterable[tuple[Stages, str]]:
    """Pairs of concepts that are ordered by way of concepts that the table does not have."""
    graph = concept_graph(chain for chain in chains if (ANY,) not in chain.stages)
    for late in (concept for concept in present if concept in graph):
        for early in (concept for concept in present if concept in nx.ancestors(graph, late)):
            path = nx.shortest_path(graph, early, late)
            reasons = dict.fromkeys(graph.edges[edge]["why"] for edge in pairwise(path))
            yield ((early,), (late,)), " ".join(reasons)


def _tiers(groups: Iterable[Sequence[Hashable]], reason: str) -> Statement:
    return Statement("tiers", tuple(tuple(group) for group in groups if group), reason)


def _consistent(statements: Sequence[Statement], names: Sequence[Hashable]) -> list[Statement]:
    """Statements without what contradicts an earlier one, and without those that add nothing."""
    place = {name: position for position, name in enumerate(names)}
    ends = {
        kind: {name for each in statements if each.kind == kind for name in each.columns}
        for kind in ("roots", "leaves")
    }
    reach: Mask = np.zeros((len(names), len(names)), dtype=np.bool_)
    kept = []
    for statement in statements:
        taken = statement
        while (against := _ordered(taken, place, ends) & reach.T).any():
            clashes = dict(zip(names, against.sum(axis=0) + against.sum(axis=1), strict=True))
            worst = max(taken.columns, key=clashes.__getitem__)
            taken = taken.restricted([name for name in taken.columns if name != worst])
        after = _closure(reach | _ordered(taken, place, ends))
        if (after & ~reach).any() and not np.diag(after).any():
            kept.append(taken)
            reach = after
    return kept


def _ordered(statement: Statement, place: Mapping[Hashable, int], ends: Mapping[str, Collection[Hashable]]) -> Mask:
    """(D, D), true where a statement puts row before column; roots come before all but roots, leaves the reverse."""
    before = np.zeros((len(place), len(place)), dtype=np.bool_)
    if statement.kind == "tiers":
        groups = [[place[name] for name in group] for group in statement.groups]
    else:
        others = [position for name, position in place.items() if name not in ends[statement.kind]]
        groups = [[place[name] for name in statement.columns], others]
        groups = groups if statement.kind == "roots" else groups[::-1]
    for early, late in combinations(groups, 2):
        before[np.ix_(early, late)] = True
    return before


def _closure(before: Mask) -> Mask:
    """(D, D), true where a path leads from row to column: paths are doubled until nothing is new."""
    reach = before
    while True:
        steps = reach.astype(np.float32)
        longer = reach | (steps @ steps > 0)
        if (longer == reach).all():
            return reach
        reach = longer


def _few(names: Sequence[Hashable]) -> str:
    """The first few of several names, in words."""
    return in_words(names if len(names) <= MOST_NAMED else [*names[:MOST_NAMED], f"{len(names) - MOST_NAMED} more"])
