"""Names that tell when something was measured: a year, a number of the wave, a word such as baseline, a lag."""

import re
from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from fipscm.knowledge.statement import Statement
from fipscm.suggestions.lexicon import EARLY, LATE, Reading
from fipscm.suggestions.words import words_of

YEARS = range(1900, 2100)
TWO_DIGITS = range(60, 100)  # of a year: smaller numbers are ages, grades and limits as often
MOST_WAVES = 12
LAGGED = 0.8  # share of rows in which a lag holds what the row before held; panels begin anew with every unit
TREATMENTS = ("treatment", "assignment")


class Numbered(NamedTuple):
    """A name without its numbers, and these."""

    stem: str
    numbers: tuple[int, ...]


def timed(frame: pd.DataFrame, readings: Mapping[Hashable, Reading]) -> list[Statement]:
    """What follows from times in the names of columns."""
    measured = {name: each for name, each in readings.items() if each.concept is None or not each.concept.root}
    treatments = [name for name, each in readings.items() if each.concept and each.concept.name in TREATMENTS]
    years = _by_year(measured)
    numbered = _by_wave(measured)
    words = _by_word(measured)
    found = [
        *(_around(groups, treatments) for groups in (years, numbered, words)),
        _statement(years, "The year in the name tells when it was measured."),
        _statement(numbered, "The number in the name counts the measurements."),
        _statement(words, "The name tells which was measured first."),
        *_lags(frame, list(measured)),
    ]
    return [each for each in found if not each.says_nothing]


def measured_late(readings: Mapping[Hashable, Reading], times: Sequence[Statement]) -> set[Hashable]:
    """Columns that were measured after others, so that what has no time in its name may be earlier."""
    later = {name for each in times for group in each.groups[1:] for name in group}
    return later | {name for name, each in readings.items() if each.moment == LATE}


def _statement(groups: Sequence[Collection[Hashable]], reason: str) -> Statement:
    return Statement("tiers", tuple(tuple(group) for group in groups if group), reason)


def _around(groups: Sequence[Collection[Hashable]], treatments: Sequence[Hashable]) -> Statement:
    """A treatment between the first and the last measurement."""
    if len(groups) < 2:
        return Statement("tiers", ())
    timed_names = {name for group in groups for name in group}
    free = [name for name in treatments if name not in timed_names]
    stages = (groups[0], free, groups[-1]) if free else ()
    return _statement(stages, "A treatment comes after the first measurement and before the last.")


def _by_year(readings: Mapping[Hashable, Reading]) -> list[list[Hashable]]:
    """Columns with a year in their names, by year; of two years, the later one counts.

    Two digits are a year only if some name occurs with two of them.
    """
    stems: dict[str, set[int]] = defaultdict(set)
    found: dict[Hashable, int] = {}
    for name in readings:
        stem, numbers = _numbered(name)
        years = [number + 1900 if number in TWO_DIGITS else number for number in numbers]
        if stem and years and all(year in YEARS for year in years):
            found[name] = max(years)
            stems[stem].add(max(years))
    has_series = any(len(years) > 1 for years in stems.values())
    has_digits = all(number in YEARS for name in found for number in _numbered(name).numbers)
    return _grouped(found) if has_series or has_digits else []


def _by_wave(readings: Mapping[Hashable, Reading]) -> list[list[Hashable]]:
    """Columns that are measured again and again, as sbp_1 and sbp_2, by the number of the wave."""
    stems: dict[str, dict[int, Hashable]] = defaultdict(dict)
    for name, reading in readings.items():
        stem, numbers = _numbered(name)
        is_repeated = reading.concept is not None and reading.concept.waves
        if is_repeated and len(numbers) == 1 and numbers[0] <= MOST_WAVES and str(name)[-1].isdigit():
            stems[stem][numbers[0]] = name
    bare = {"".join(words_of(name)) for name in readings}
    found = {}
    for stem, waves in stems.items():
        in_a_row = len(waves) > 1 and max(waves) - min(waves) == len(waves) - 1
        if in_a_row and stem not in bare:
            found.update({name: number for number, name in waves.items()})
    return _grouped(found)


def _by_word(readings: Mapping[Hashable, Reading]) -> list[list[Hashable]]:
    """Columns with a word such as baseline, then those with a word such as follow-up."""
    moments = {EARLY: 0, LATE: 1}
    return _grouped({name: moments[each.moment] for name, each in readings.items() if each.moment})


def _lags(frame: pd.DataFrame, names: Sequence[Hashable]) -> list[Statement]:
    """Columns that hold, in most rows, what another column held one or more rows before: sales and sales_1."""
    by_stem = {"".join(words_of(name)): name for name in names}
    found = []
    for name in names:
        words = [word for word in words_of(name) if word not in ("lag", "lagged", "l")]
        steps = int(words[-1]) if words and re.fullmatch("[1-9]", words[-1]) else 1
        own = by_stem.get("".join(word for word in words if not word.isdigit()))
        if own is not None and own != name and _is_lag(frame[own], frame[name], steps):
            found.append(Statement("tiers", ((name,), (own,)), f"It holds {own} of an earlier row."))
    return found


def _is_lag(own: pd.Series, lag: pd.Series, steps: int) -> bool:
    both = pd.concat([own.shift(steps), lag], axis=1, ignore_index=True).dropna()
    return bool(len(both) and own.nunique() > 2 and (both[0] == both[1]).mean() >= LAGGED)


def _grouped(moments: Mapping[Hashable, int]) -> list[list[Hashable]]:
    """Columns by moment, the earliest first."""
    return [[name for name, each in moments.items() if each == moment] for moment in sorted({*moments.values()})]


def _numbered(name: Hashable) -> Numbered:
    words = words_of(name)
    return Numbered(
        "".join(word for word in words if not word.isdigit()), tuple(int(word) for word in words if word.isdigit())
    )
