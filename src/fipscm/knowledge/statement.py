"""Knowledge piece by piece: single statements with their reasons, which are joined one after the other."""

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product

import numpy as np

from fipscm.errors import KnowledgeError
from fipscm.knowledge.knowledge import Edge, Knowledge

KEYS = ("tiers", "roots", "randomised", "leaves", "forbidden", "required")  # as they are called in a knowledge file
GROUPS = ("roots", "randomised", "leaves")  # those that are one list of columns


@dataclass(frozen=True)
class Statement:
    """One thing that is known, or suggested.

    Attributes:
        kind: one of `KEYS`.
        groups: the tiers, earliest first; the (cause, effect) pairs; or one group of columns.
        reason: why it holds, in words; may be empty.

    >>> print(Statement("tiers", (("educ",), ("wage", "hours")), "Schooling comes before work."))
    educ before wage and hours: Schooling comes before work.
    """

    kind: str
    groups: tuple[tuple[Hashable, ...], ...]
    reason: str = ""

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """The columns that are spoken of, each once."""
        return tuple(dict.fromkeys(chain.from_iterable(self.groups)))

    @property
    def says_nothing(self) -> bool:
        """Whether no constraint follows: one tier alone orders nothing."""
        return sum(map(bool, self.groups)) < (2 if self.kind == "tiers" else 1)

    def restricted(self, columns: Collection[Hashable]) -> "Statement":
        """The statement about these columns alone; an edge needs both of its ends."""
        if self.kind in ("forbidden", "required"):
            return replace(self, groups=tuple(edge for edge in self.groups if set(edge) <= set(columns)))
        return replace(self, groups=tuple(kept for group in self.groups if (kept := _among(group, columns))))

    def joined_to(self, known: Knowledge) -> Knowledge:
        """Knowledge with this statement added; a second list of tiers becomes pairs, for only one can be a chain."""
        if self.says_nothing:
            return known
        if self.kind in GROUPS:
            members = dict.fromkeys((*getattr(known, self.kind), *self.columns))
            return replace(known, **{self.kind: tuple(members)})
        if self.kind in ("forbidden", "required"):
            field = f"{self.kind}_edges"
            return replace(known, **{field: (*getattr(known, field), *self.groups)})
        if not known.tiers:
            return replace(known, tiers=self.groups)
        told = {*_pairs(known.tiers), *known.before}
        return replace(known, before=(*known.before, *(pair for pair in _pairs(self.groups) if pair not in told)))

    def __str__(self) -> str:
        listed = [in_words(group) for group in self.groups]
        told = {
            "tiers": " before ".join(listed),
            "roots": f"{'; '.join(listed)}: no causes among the other columns",
            "randomised": f"{'; '.join(listed)}: set by chance",
            "leaves": f"{'; '.join(listed)}: no effects on the other columns",
            "forbidden": "; ".join(f"no edge {' -> '.join(map(str, edge))}" for edge in self.groups),
            "required": "; ".join(f"an edge {' -> '.join(map(str, edge))}" for edge in self.groups),
        }[self.kind]
        if not self.reason:
            return told
        return f"{told}: {self.reason}" if self.kind == "tiers" else f"{told} ({self.reason})"


def statements_of(known: Knowledge) -> list[Statement]:
    """Knowledge as single statements, which joined give the same constraints."""
    kinds = ("tiers", known.tiers), *((kind, (getattr(known, kind),)) for kind in GROUPS)
    edges = ("forbidden", known.forbidden_edges), ("required", known.required_edges)
    found = [Statement(kind, tuple(tuple(group) for group in groups)) for kind, groups in (*kinds, *edges)]
    found += [Statement("tiers", ((earlier,), (later,))) for earlier, later in known.before]
    return [each for each in found if not each.says_nothing]


def joined(statements: Iterable[Statement], known: Knowledge | None = None) -> Knowledge:
    """All statements added to what is known."""
    found = known or Knowledge()
    for statement in statements:
        found = statement.joined_to(found)
    return found


def contradiction(known: Knowledge, names: Sequence[Hashable]) -> str:
    """How knowledge contradicts itself, as a sentence; empty where it does not."""
    try:
        known.allowed(names)
    except KnowledgeError as error:
        return str(error)
    return ""


def added(
    statements: Iterable[Statement], known: Knowledge, names: Sequence[Hashable]
) -> tuple[Knowledge, list[Statement], list[Statement]]:
    """What is known with statements that give way to it; what is kept of them, and those that are not kept whole.

    Column by column, a statement keeps what can be kept. A column that something is known to precede is no root, and
    one that is known to precede something is no leaf.
    """
    pairs = [(names[early], names[late]) for early, late in np.argwhere(known.must_precede(names))]
    taken = {
        "roots": {late for _, late in pairs} - {*known.roots, *known.randomised},
        "leaves": {early for early, _ in pairs} - {*known.leaves},
    }
    taken_over, dropped = [], []
    for statement in statements:
        kept: list[Hashable] = [name for name in statement.columns if name not in taken.get(statement.kind, ())]
        if contradiction(statement.restricted(kept).joined_to(known), names):
            candidates, kept = kept, []
            for name in candidates:
                if not contradiction(statement.restricted([*kept, name]).joined_to(known), names):
                    kept.append(name)
        taken_over.append(statement.restricted(kept))
        known = taken_over[-1].joined_to(known)
        if len(kept) < len(statement.columns):
            dropped.append(statement)
    return known, taken_over, dropped


def in_words(names: Sequence[Hashable]) -> str:
    """Names as a list in a sentence.

    >>> in_words(["sex", "race", "age"])
    'sex, race and age'
    """
    shown = [str(name) for name in names]
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else "".join(shown)


def _pairs(tiers: Iterable[Iterable[Hashable]]) -> Iterable[Edge]:
    """Each column of a tier with each of a later one."""
    return chain.from_iterable(product(*two) for two in combinations(tiers, 2))


def _among(group: Iterable[Hashable], columns: Collection[Hashable]) -> tuple[Hashable, ...]:
    return tuple(name for name in group if name in columns)
