"""What words of column names mean: concepts in four languages, read from lexicon.toml."""

import re
import tomllib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise, product
from typing import Any

import networkx as nx

from fipscm.suggestions.words import spellings, words_of

LANGUAGES = ("en", "de", "fr", "es")
HEAD_LAST = {"en", "de"}  # languages in which birth weight is a weight; in the others, what a name is about comes first
SHORTEST_PART = 4  # letters of a word inside of another one: shorter ones are found by chance
SHORT_PARTS = {"age", "mom", "dad", "hus", "sex"}  # except for these
SHORTEST_ENDING = 5  # letters of a German word at the end of a compound whose beginning is not known
SHORTEST_BEGINNING = 6  # letters of an abbreviated English word; in other languages they are English words by chance
NEUTRAL, RELATIVE, BLOCKED, EARLY, LATE = "neutral", "relative", "blocked", "early", "late"
ANY = "*"
OF_PARENTS = ("education", "occupation", "earnings", "ability")  # which a word for a relative makes the parents'


@dataclass(frozen=True)
class Concept:
    """What some words have in common; lexicon.toml says what the fields mean."""

    name: str
    meaning: str
    words: Mapping[str, tuple[str, ...]]
    root: bool = False
    leaf: bool = False
    leaf_in: tuple[str, ...] = ()
    not_leaf_in: tuple[str, ...] = ()
    waves: bool = False
    why: str = ""
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chain:
    """Groups of concepts, earliest first, and why they come so."""

    stages: tuple[tuple[str, ...], ...]
    why: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """A name as the lexicon reads it.

    Attributes:
        concept: what the column is; None where the words do not tell.
        moment: EARLY or LATE where a word says when it was measured; empty otherwise.
    """

    concept: Concept | None
    moment: str = ""


@dataclass(frozen=True)
class _Part:
    """A piece of a name: the concept or role of its words, None if unknown; whether its language puts heads last."""

    role: str | None
    head_last: bool = True


class Lexicon:
    """The concepts, the chains, and how names are read with them."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.concepts = {name: _concept(name, facts) for name, facts in content["concept"].items()}
        self.chains = tuple(
            Chain(tuple(map(tuple, facts["stages"])), facts["why"], tuple(facts.get("needs", ())))
            for facts in content["chain"]
        )
        self.aftermath = {*_listed(content["aftermath"])}
        self._prepositions = {*_listed(content["prepositions"])}
        roles = {NEUTRAL: "neutral", RELATIVE: "relatives", EARLY: "early", LATE: "late", BLOCKED: "blocked"}
        self._parts = {
            spelling: _Part(role)
            for role, key in roles.items()
            for word in _listed(content[key])
            for spelling in spellings(word)
        }
        singles: set[str] = set()
        phrases: set[str] = set()
        german: set[str] = set()
        for concept in self.concepts.values():
            for language, words in concept.words.items():
                for word in words:
                    forms = spellings(word)
                    self._add(forms, concept.name, language in HEAD_LAST)
                    if language == "en":
                        (singles if len(words_of(word)) == 1 else phrases).update(forms)
                    if language == "de":
                        german.update(form for form in forms if len(form) >= SHORTEST_ENDING)
        self._single = singles - phrases  # length of stay, written as one word, is not what a length is short for
        self._longest_first = sorted((p for p in self._parts if _may_be_inside(p)), key=len, reverse=True)
        self._german_endings = sorted(german, key=len, reverse=True)

    def _add(self, forms: Iterable[str], concept: str, head_last: bool) -> None:
        """Words of a concept; a word of several languages has its head last if it has in one. Blocked words stay so."""
        for form in forms:
            known = self._parts.get(form)
            if known is None or known.role != BLOCKED:
                self._parts[form] = _Part(concept, head_last or (known is not None and known.head_last))

    def read(self, name: Hashable, kind: str) -> Reading:
        """What the name of a column of this kind tells."""
        words = words_of(name)
        parts = [part for part in self._split(words) if part.role != NEUTRAL]
        moment = next((part.role for part in parts if part.role in (EARLY, LATE)), "") or ""
        parts = [part for part in parts if part.role not in (EARLY, LATE)]
        found = self._concept_of(parts, any(word in self._prepositions for word in words))
        fits = found is not None and (not found.kinds or kind in found.kinds)
        return Reading(found if fits else None, moment)

    def _split(self, words: Sequence[str]) -> list[_Part]:
        """The name in parts, the longest known ones first; numbers and single letters say nothing."""
        parts, at = [], 0
        while at < len(words):
            spans = ("".join(words[at:end]) for end in range(len(words), at, -1))
            length, span = next(
                ((len(words) - at - skipped, span) for skipped, span in enumerate(spans) if span in self._parts),
                (1, words[at]),
            )
            if span in self._parts:
                parts.append(self._parts[span])
            elif not span.isdigit() and len(span) > 1:
                parts += self._inside(span)
            at += length
        return parts

    def _inside(self, word: str) -> list[_Part]:
        """A word that is not known as a whole: a logarithm, a square, a compound, an abbreviation, or nothing known."""
        for bare in (re.sub("^(log|ln|l)", "", word), re.sub("sq(rd)?$", "", word)):
            if bare != word and len(bare) >= SHORTEST_PART - 1 and bare in self._parts:
                return [self._parts[bare]]
        pieces = self._segmented(word)
        if pieces is not None:
            return [self._parts[piece] for piece in pieces]
        short = self._abbreviated(word)
        if short is not None:
            return [short]
        ending = next((each for each in self._german_endings if word.endswith(each)), None)
        return [_Part(None)] if ending is None else [_Part(None), self._parts[ending]]

    def _abbreviated(self, word: str) -> _Part | None:
        """What a word is the beginning of, if all words that begin so, and are not too long, mean the same."""
        if len(word) < SHORTEST_BEGINNING:
            return None
        longer = [full for full in self._single if full.startswith(word) and len(full) <= 1.5 * len(word)]
        return self._parts[min(longer)] if len({self._parts[full].role for full in longer}) == 1 else None

    def _segmented(self, word: str) -> list[str] | None:
        """Known words that make up a whole one, with a German s between them or not."""
        if not word:
            return []
        for piece in self._longest_first:
            if not word.startswith(piece) or (piece == word):
                continue
            rest = word[len(piece) :]
            for tail in (rest, rest.removeprefix("s")):
                if tail in self._parts and _may_be_inside(tail):
                    return [piece, tail]
                found = self._segmented(tail) if len(tail) > SHORTEST_PART else None
                if found:
                    return [piece, *found]
        return None

    def _concept_of(self, parts: Sequence[_Part], has_preposition: bool) -> Concept | None:
        """The concept of a name; a name that is not understood whole is never a root or a leaf."""
        if not parts or any(part.role == BLOCKED for part in parts):
            return None
        named = [part for part in parts if part.role != RELATIVE]
        if not named:
            return self.concepts["parents"]
        known = [part for part in named if part.role in self.concepts]
        others = [part for part in known if not self.concepts[str(part.role)].root]
        if others:
            is_first = has_preposition or not all(part.head_last for part in others)
            head, end = (others[0], named[0]) if is_first else (others[-1], named[-1])
        elif known and len(known) == len(named):
            head = end = known[0]
        else:
            return None
        concept = self.concepts[str(head.role)]
        if len(known) < len(named) and (concept.leaf or end.role is None):
            return None
        is_inherited = len(named) < len(parts) and concept.name in OF_PARENTS
        return self.concepts["parents"] if is_inherited else concept


@cache
def lexicon() -> Lexicon:
    """The lexicon of the package."""
    text = (files("fipscm.suggestions") / "lexicon.toml").read_text(encoding="utf-8")
    return Lexicon(tomllib.loads(text))


def concept_graph(chains: Iterable[Chain]) -> nx.DiGraph:
    """What comes before what: an edge between concepts of neighbouring stages, with the reason as `why`."""
    graph = nx.DiGraph()
    for chain in chains:
        for early, late in pairwise(chain.stages):
            graph.add_edges_from(product(early, late), why=chain.why)
    return graph


def _concept(name: str, facts: Mapping[str, Any]) -> Concept:
    words = {language: tuple(_listed(facts[language])) for language in LANGUAGES}
    rest: dict[str, Any] = {
        key: tuple(fact) if isinstance(fact, list) else fact for key, fact in facts.items() if key not in LANGUAGES
    }
    return Concept(name, words=words, **rest)


def _listed(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _may_be_inside(word: str) -> bool:
    return len(word) >= SHORTEST_PART or word in SHORT_PARTS
