"""Counterfactuals of rows whose noises are known, or known only within a range. Shapes: N rows, D variables, R draws.

A discrete value leaves open which noise is behind it. Several are drawn for every row, each gives the row another
future, and the most probable one is told.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from fipscm.arrays import Adjacency, Array, Order
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise.distribution import EmpiricalNoise
from fipscm.mechanism.responding import Blocks, RespondingSCM
from fipscm.mechanism.response.base import Response
from fipscm.mechanism.response.gumbel import one_hot
from fipscm.scm.intervention import Do, Intervention

DRAWS = 100  # of the noises behind a row: a share of them has a standard error of at most 0.05


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
    for found in imagined_draws(scm, rows, do, DRAWS, rng):
        middle.add(found[names].to_numpy())
    assert found is not None
    for name, values in zip(names, middle.values().T, strict=True):
        found[name] = values
    return found


def imagined_draws(
    scm: LearnedSCM, rows: Any, do: Do | Intervention, draws: int, rng: np.random.Generator
) -> Iterator[pd.DataFrame]:
    """So many times what rows would have been, each with noises drawn among those that explain the rows."""
    remembering = _Remembering(scm.names, scm.order, scm.noise, scm.responses, scm.blocks, scm)
    facts = _unreached(scm, rows, do)
    for _ in range(draws):
        answers = remembering.counterfactual(rows, do, rng)
        answers[facts.columns] = facts
        yield answers


def _unreached(scm: LearnedSCM, rows: Any, do: Do | Intervention) -> pd.DataFrame:
    """The columns that an intervention does not reach: told as they were, without the rounding errors of a way back."""
    reached = np.isin(np.arange(len(scm.names)), list(Intervention.parse(do, scm.names).rules))
    for node in scm.order:
        reached[node] |= scm.adjacency[reached, node].any()
    return scm.checked_rows(rows)[[name for name, is_reached in zip(scm.names, reached, strict=True) if not is_reached]]


class _Middle:
    """The most frequent values (N, D) of discrete columns over draws, and the means of the others."""

    def __init__(self, scm: LearnedSCM) -> None:
        inside = {node for block in scm.blocks for node in block}
        levels = [node for node, each in enumerate(scm.responses) if each.discrete and node not in inside]
        self._blocks, self._drawn = scm.blocks, {node: list[Array]() for node in levels}
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
        for block in self._blocks:
            middle[:, block] = one_hot(self._total[:, block])
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


@dataclass(frozen=True, repr=False)
class _Remembering(RespondingSCM):
    """A learned SCM that is asked about the same rows again and again: what has not changed is not computed again."""

    names: tuple[Hashable, ...]
    order: Order
    noise: EmpiricalNoise
    responses: tuple[Response, ...]
    blocks: Blocks
    learned: LearnedSCM
    known: dict[tuple[int, bool], tuple[Array, Array]] = field(default_factory=dict)

    @property
    def adjacency(self) -> Adjacency:
        """(D, D), that of the learned model."""
        return self.learned.adjacency

    def situation(self, node: int, rows: Array) -> tuple[Array, Array]:
        """As the first time, but for rows whose causes are others; facts and interventions are known apart."""
        z, key = self.learned.causes(node, rows), (node, bool(self.interventions))
        if key not in self.known:
            self.known[key] = self.learned.location(node, z), z
        location, before = self.known[key]
        changed = np.flatnonzero((z != before).any(axis=1))
        if len(changed):
            location = location.copy()
            location[changed] = self.learned.location(node, z[changed])
        return location, z
