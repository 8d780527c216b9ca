"""Which allowed causes are real, as posterior odds. Shapes: N rows, D variables, P candidate causes of one node.

Odds = what the order model holds x what the rows say. Where rows are few, they say it by the marginal likelihood of a
Gaussian process with and without the cause; where they are many, by a test, whose p-value stands for a Bayes factor
of 1 / (p sqrt(N)). A score is log10 of the odds, so that scores compare across nodes and tables; an edge is kept where
it is positive.
"""

from dataclasses import dataclass

import numpy as np
import torch
from scipy import special

from fipscm.arrays import Array, Mask
from fipscm.mechanism.edges import MOST_CANDIDATES, EdgeTest, eliminate_everywhere
from fipscm.mechanism.progress import OnStep, uncounted
from fipscm.mechanism.regression.linear import eliminate_linear
from fipscm.mechanism.regression.process import CURVED, MOST_ROWS, Process, learn_process, linear_evidence
from fipscm.mechanism.regression.usable import usable_rows
from fipscm.mechanism.significance import SIGNIFICANCE
from fipscm.threads import on_one_thread

SUREST = 7.0  # log odds: the network is never surer than one in a thousand
UNLIKELY = -5.0  # log odds below which a cause is not even tried


@on_one_thread()
def weigh_edges(
    z: Array,
    allowed: Mask,
    prior: Array,
    generator: torch.Generator,
    on_step: OnStep = uncounted,
    unusable: Mask | None = None,
) -> EdgeTest:
    """Weigh every allowed cause on standardized columns (N, D), given the order model's probabilities (D, D).

    Row = effect in all of them. Rows that are `unusable` (N, D) say nothing about that effect.
    """
    log_odds = np.clip(special.logit(np.where(allowed, prior, 0.0)), -SUREST, SUREST)
    limits = log_odds - 0.5 * np.log(len(z))
    tried = _promising(z, allowed, log_odds, limits, unusable)
    if len(z) <= MOST_ROWS:
        return _weigh_few_rows(z, allowed, tried, log_odds, on_step, unusable)
    limit = np.log(SIGNIFICANCE / len(allowed) ** 2)
    found = eliminate_everywhere(z, tried, limits, generator, on_step, unusable, limit)
    odds = np.where(tried, limits - found.log_p, np.minimum(log_odds, 0))
    return _edge_test(odds, allowed, found.curved, dict(found.smoothness))


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


def _edge_test(odds: Array, allowed: Mask, curved: Mask, smoothness: dict[int, Process]) -> EdgeTest:
    scores = np.where(allowed, odds / np.log(10), 0.0)
    return EdgeTest((scores > 0) & allowed, scores, curved, smoothness)


def _weigh_few_rows(
    z: Array, allowed: Mask, tried: Mask, log_odds: Array, on_step: OnStep, unusable: Mask | None
) -> EdgeTest:
    odds, curved, smoothness = np.minimum(log_odds, 0), np.zeros(len(allowed), dtype=bool), {}
    nodes = np.flatnonzero(tried.any(axis=1))
    for step, node in enumerate(nodes, start=1):
        causes, rows = np.flatnonzero(tried[node]), usable_rows(z, node, unusable)
        weighed = eliminate_by_evidence(rows[:, causes], rows[:, node], log_odds[node, causes])
        odds[node, causes] = weighed.odds
        if weighed.process is not None:
            curved[node], smoothness[int(node)] = True, weighed.process
        on_step(step, len(nodes))
    return _edge_test(odds, allowed, curved, smoothness)


@dataclass(frozen=True)
class Weighed:
    """(P,) posterior log odds of each candidate, and the smoothness in those with positive ones; None if linear."""

    odds: Array
    process: Process | None


def eliminate_by_evidence(z: Array, y: Array, log_odds: Array) -> Weighed:
    """Remove candidates (N, P) one after the other, the least likely first, until all that stay are likely.

    The odds of a candidate are those when it was removed, or at the end.
    """
    odds = np.zeros(z.shape[1])
    staying = list(range(z.shape[1]))
    model = _Model.of(z, y, staying)
    while staying:
        for cause in staying:
            less = model.without(z, y, staying, cause)
            odds[cause] = model.evidence - less.evidence + log_odds[cause]
        leaving = sorted((cause for cause in staying if odds[cause] <= 0), key=lambda cause: odds[cause])
        if not leaving:
            break
        for cause in leaving[: (len(leaving) + 1) // 2]:
            staying.remove(cause)
        model = _Model.of(z, y, staying, model)
    return Weighed(odds, model.process)


@dataclass(frozen=True)
class _Model:
    """A line, or a curve with its process, through some of the causes; and its log evidence."""

    evidence: float
    process: Process | None

    @classmethod
    def of(cls, z: Array, y: Array, causes: list[int], start: "_Model | None" = None) -> "_Model":
        line = linear_evidence(z[:, causes], y)
        if not causes or (start is not None and start.process is None):
            return cls(line, None)
        process = learn_process(z[:, causes], y)
        return cls(process.evidence, process) if process.evidence > line + CURVED else cls(line, None)

    def without(self, z: Array, y: Array, causes: list[int], cause: int) -> "_Model":
        """The same kind of model on one cause less."""
        others = [other for other in causes if other != cause]
        line = linear_evidence(z[:, others], y)
        if self.process is None or not others:
            return _Model(line, None)
        start = self.process.of([place for place, other in enumerate(causes) if other != cause])
        process = learn_process(z[:, others], y, start)
        return _Model(max(line, process.evidence), process)
