"""Counterfactuals of rows whose noises are known, or known only within a range. Shapes: N rows, D variables, R draws.

A discrete value leaves open which noise is behind it. Several are drawn for every row, each gives the row another
future, and the most probable one is told.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from fipscm.arrays import Array
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.mechanism import Mechanism, Situation
from fipscm.scm.intervention import Do, Intervention

_DRAWS = 100  # of the noises behind a row: a share of them has a standard error of at most 0.05


def imagine(scm: LearnedSCM, rows: Any, do: Do | Intervention, rng: np.random.Generator) -> pd.DataFrame:
    """What rows would have been: discrete columns as most draws have them, the others on average over the draws.

    A model without discrete columns needs no draws.
    """
    if not scm.is_discrete:
        answers, facts = scm.counterfactual(rows, do), _unreached(scm, rows, do)
        answers[facts.columns] = facts
        return answers
    names = list(scm.names)
    found, middle = None, _Middle(scm)
    for found in imagined_draws(scm, rows, do, _DRAWS, rng):
        middle.add(found[names].to_numpy())
    assert found is not None
    for name, values in zip(names, middle.values().T, strict=True):
        found[name] = values
    return found


def imagined_draws(
    scm: LearnedSCM, rows: Any, do: Do | Intervention, draws: int, rng: np.random.Generator
) -> Iterator[pd.DataFrame]:
    """So many times what rows would have been, each with noises drawn among those that explain the rows."""
    remembering = replace(scm, mechanisms=tuple(_Remembering.of(mechanism) for mechanism in scm.mechanisms))
    facts = _unreached(scm, rows, do)
    for _ in range(draws):
        answers = remembering.counterfactual(rows, do, rng)
        answers[facts.columns] = facts
        yield answers


def _unreached(scm: LearnedSCM, rows: Any, do: Do | Intervention) -> pd.DataFrame:
    """The columns that an intervention does not reach: told as they were, without the rounding errors of a way back."""
    reached = scm.on_the_way(list(Intervention.parse(do, scm.names).rules))
    return scm.checked_rows(rows)[[name for node, name in enumerate(scm.names) if node not in reached]]


class _Middle:
    """The most frequent values (N, D) of columns with levels or counts over draws, and the means of the others."""

    def __init__(self, scm: LearnedSCM) -> None:
        responses = [mechanism.response for mechanism in scm.mechanisms]
        # Amounts are seldom drawn twice, unless they are zero.
        self._drawn = {
            node: list[Array]()
            for node, response in enumerate(responses)
            if response.discrete and response.kind != "zero-inflated"
        }
        self._count, nothing = 0, np.zeros((1, len(scm.names)))
        self._total: Array = nothing
        self._low: Array = nothing
        self._high: Array = nothing

    def add(self, values: Array) -> None:
        """One more draw (N, D)."""
        first, self._count = self._count == 0, self._count + 1
        self._total = values.copy() if first else self._total + values
        self._low = values if first else np.minimum(self._low, values)
        self._high = values if first else np.maximum(self._high, values)
        for node, drawn in self._drawn.items():
            drawn.append(values[:, node])

    def values(self) -> Array:
        """(N, D); what is the same in all draws is that, without a rounding error."""
        middle = np.where(self._low == self._high, self._low, self._total / self._count)
        for node, drawn in self._drawn.items():
            middle[:, node] = _most_frequent(np.array(drawn))
        return np.asarray(middle)


def _most_frequent(drawn: Array) -> Array:
    """(R, N) -> (N,), in each column the value that occurs most often, of several the smallest.

    >>> _most_frequent(np.array([[1.0, 5.0], [2.0, 5.0], [2.0, 4.0]])).tolist()
    [2.0, 5.0]
    """
    ordered = np.sort(drawn, axis=0)
    chosen, best, run = ordered[0], np.ones_like(ordered[0]), np.ones_like(ordered[0])
    for values, before in zip(ordered[1:], ordered, strict=False):
        run = np.where(values == before, run + 1, 1)
        better = run > best
        best, chosen = np.where(better, run, best), np.where(better, values, chosen)
    return np.asarray(chosen)


class _Memory:
    """What causes say: rows that are as they were the first time are not computed again."""

    def __init__(self, at: Callable[[Array], Situation]) -> None:
        self._at = at
        self._first: tuple[Array, Situation] | None = None

    def __call__(self, causes: Array) -> Situation:
        """(N, P) -> situations of N rows, always the same units in the same places."""
        if self._first is None:
            self._first = causes.copy(), self._at(causes)
        before, known = self._first
        changed = np.flatnonzero((causes != before).any(axis=1))
        if not len(changed):
            return known
        location, z = known.location.copy(), known.z.copy()
        location[changed], z[changed] = self._at(causes[changed])
        return Situation(location, z)


@dataclass(frozen=True)
class _Remembering(Mechanism):
    """A learned mechanism that is asked about the same units again and again.

    Attributes:
        of_facts: what their causes are, from which noises are abducted.
        of_answers: what their causes would have been.
    """

    of_facts: _Memory
    of_answers: _Memory

    @classmethod
    def of(cls, mechanism: Mechanism) -> "_Remembering":
        """The mechanism, with nothing to remember yet."""
        learned = {field.name: getattr(mechanism, field.name) for field in fields(Mechanism)}
        return cls(**learned, of_facts=_Memory(mechanism.at), of_answers=_Memory(mechanism.at))

    def value(self, causes: Array, noise: Array) -> Array:
        """(N, P), (N,) or (N, W) -> (N,)."""
        return self.response.value(*self.of_answers(causes), noise)

    def noise(self, causes: Array, value: Array, rng: np.random.Generator | None = None) -> Array:
        """(N, P), (N,) -> (N,) or (N, W)."""
        return self.response.noise(*self.of_facts(causes), value, rng)
