"""Which allowed causes are real, as posterior odds. Shapes: N rows, D variables, P candidate causes of one node.

Odds = what the order model holds x what the rows say. Where few rows tell about a node, they say it by the marginal
likelihood of a Gaussian process with and without the cause; where many do, by a test, whose p-value stands for a Bayes
factor of 1 / (p sqrt(N)). A score is log10 of the odds, so that scores compare across nodes and tables; an edge is kept
where it is positive.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from scipy import special

from fipscm.arrays import Array, Mask
from fipscm.mechanism.edges.by_test import MOST_CANDIDATES, EdgeTest, eliminate_everywhere
from fipscm.mechanism.edges.linear_tests import eliminate_linear
from fipscm.mechanism.edges.usable import count_usable, usable_rows
from fipscm.mechanism.predictors.gaussian_process import (
    CURVED,
    MOST_ROWS,
    Process,
    learn_process,
    linear_evidence,
    steepest_evidence,
)
from fipscm.mechanism.progress import OnStep, uncounted
from fipscm.significance import SIGNIFICANCE
from fipscm.threads import on_one_thread

SUREST = 7.0  # log odds: the network is never surer than one in a thousand
_SURE = 30.0  # log odds of a cause that stays whatever the others learn: that took half of such odds, and never all
UNLIKELY = -5.0  # log odds below which a cause is not even tried


@on_one_thread()
def weigh_edges(
    z: Array,
    allowed: Mask,
    prior: Array,
    generator: torch.Generator,
    on_step: OnStep = uncounted,
    unusable: Mask | None = None,
    *,
    uneven: bool = True,
    roughly: bool = False,
) -> EdgeTest:
    """Weigh every allowed cause on standardized columns (N, D), given the order model's probabilities (D, D).

    Row = effect in all of them. Rows that are `unusable` (N, D) say nothing about that effect. `uneven` says whether
    noises may be. What is weighed `roughly` takes half of the time and keeps a few causes too many.
    """
    log_odds = np.clip(special.logit(np.where(allowed, prior, 0.0)), -SUREST, SUREST)
    limits = log_odds - 0.5 * np.log(len(z))
    tried = _promising(z, allowed, log_odds, limits, unusable)
    few = tried & (count_usable(z, unusable) <= MOST_ROWS)[:, None]
    weighed = _weigh_few_rows(z, few, log_odds, on_step, unusable, roughly)
    limit = np.log(SIGNIFICANCE / len(allowed) ** 2)
    found = eliminate_everywhere(z, tried & ~few, limits, generator, on_step, unusable, limit, uneven)
    odds = np.where(tried, limits - found.log_p, np.minimum(log_odds, 0))
    odds = np.where(few, weighed.odds, odds)
    scores = np.where(allowed, odds / np.log(10), 0.0)
    smoothness = {**weighed.smoothness, **found.smoothness}
    return EdgeTest((scores > 0) & allowed, scores, weighed.curved | found.curved, smoothness)


def _promising(z: Array, allowed: Mask, log_odds: Array, limits: Array, unusable: Mask | None) -> Mask:
    """(D, D), the causes of each node that the order model or a t-test holds possible, at most MOST_CANDIDATES."""
    tried = np.zeros_like(allowed)
    for node in np.flatnonzero(allowed.any(axis=1)):
        causes, rows = np.flatnonzero(allowed[node]), usable_rows(z, node, unusable)
        # Backwards: of causes that nearly determine each other, none is significant beside all others.
        log_p = eliminate_linear(rows[:, causes], rows[:, node], limits[node, causes])
        promise = np.maximum(log_odds[node, causes], limits[node, causes] - log_p)
        ranked = np.argsort(-promise, kind="stable")[:MOST_CANDIDATES]
        tried[node, causes[ranked[promise[ranked] > UNLIKELY]]] = True
    return tried


class _FewRows(NamedTuple):
    """(D, D) posterior log odds, (D,) which nodes are curved, and the smoothness of those."""

    odds: Array
    curved: Mask
    smoothness: dict[int, Process]


def _weigh_few_rows(
    z: Array, tried: Mask, log_odds: Array, on_step: OnStep, unusable: Mask | None, roughly: bool
) -> _FewRows:
    found = _FewRows(np.zeros(tried.shape), np.zeros(len(tried), dtype=bool), {})
    nodes = np.flatnonzero(tried.any(axis=1))
    for step, node in enumerate(nodes, start=1):
        causes, rows = np.flatnonzero(tried[node]), usable_rows(z, node, unusable)
        weighed = eliminate_by_evidence(rows[:, causes], rows[:, node], log_odds[node, causes], roughly)
        found.odds[node, causes] = weighed.odds
        if weighed.process is not None:
            found.curved[node], found.smoothness[int(node)] = True, weighed.process
        on_step(step, len(nodes))
    return found


@dataclass(frozen=True)
class Weighed:
    """(P,) posterior log odds of each candidate, and the smoothness in those with positive ones; None if linear."""

    odds: Array
    process: Process | None


def eliminate_by_evidence(z: Array, y: Array, log_odds: Array, roughly: bool = False) -> Weighed:
    """Remove candidates (N, P) one after the other, the least likely first, until all that stay are likely.

    The odds of a candidate are those when it was removed, or at the end. Learning takes most of the time. The others
    explain more once their smoothness is learned anew, so that a cause that is unlikely before would be so then: what
    was learned at first serves until all causes look likely; `roughly`, it decides.
    """
    odds = np.zeros(z.shape[1])
    model = _Model.of(z, y, list(range(z.shape[1])))
    while True:  # ends: each round removes a cause, or learns once what the others leave
        for cause in model.causes:
            odds[cause] = model.evidence - model.evidence_without(z, y, cause) + log_odds[cause]
        leaving = _unlikely(model.causes, odds)
        if not leaving and roughly:
            return Weighed(odds, model.process)
        if not leaving and not model.exact:
            model = model.learned(z, y)
            continue
        if not leaving:
            for cause in (cause for cause in model.causes if odds[cause] < _SURE):
                odds[cause] = model.evidence - model.evidence_without(z, y, cause, learns=True) + log_odds[cause]
            leaving = _unlikely(model.causes, odds)
        if not leaving:
            return Weighed(odds, model.process)
        gone = leaving[: (len(leaving) + 3) // 4]
        model = model.on(z, y, [cause for cause in model.causes if cause not in gone])


def _unlikely(causes: list[int], odds: Array) -> list[int]:
    """Those with odds against them, the least likely first."""
    return sorted((cause for cause in causes if odds[cause] <= 0), key=lambda cause: odds[cause])


@dataclass(frozen=True)
class _Model:
    """A line, or a curve with its process, through some of the causes; its log evidence, and whether that is exact."""

    causes: list[int]
    evidence: float
    process: Process | None
    exact: bool

    @classmethod
    def of(cls, z: Array, y: Array, causes: list[int], start: Process | None = None) -> "_Model":
        """What the rows prefer; a curve is learned roughly unless there is a start."""
        if causes:
            process = learn_process(z[:, causes], y, start, roughly=start is None)
            if process.evidence > steepest_evidence(z[:, causes], y) + CURVED:
                return cls(causes, process.evidence, process, start is not None)
        return cls(causes, linear_evidence(z[:, causes], y), None, True)

    def learned(self, z: Array, y: Array) -> "_Model":
        """The same with a smoothness of its own."""
        return _Model.of(z, y, self.causes, self.process)

    def on(self, z: Array, y: Array, causes: list[int]) -> "_Model":
        """The same on some of its causes; a line stays a line, and a curve as smooth as it is."""
        line = linear_evidence(z[:, causes], y)
        if self.process is None:
            return _Model(causes, line, None, True)
        process = self._process_of(causes)
        return _Model(causes, max(line, process.evidence_of(z[:, causes], y)), process, False)

    def evidence_without(self, z: Array, y: Array, cause: int, *, learns: bool = False) -> float:
        """That of the other causes, whose smoothness stays as it is or is learned anew."""
        others = [other for other in self.causes if other != cause]
        line = linear_evidence(z[:, others], y)
        if self.process is None or not others:
            return line
        process = self._process_of(others)
        curve = learn_process(z[:, others], y, process).evidence if learns else process.evidence_of(z[:, others], y)
        return max(line, curve)

    def _process_of(self, causes: list[int]) -> Process:
        assert self.process is not None
        return self.process.of([self.causes.index(cause) for cause in causes])
