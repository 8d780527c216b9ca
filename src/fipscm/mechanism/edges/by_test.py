"""Which allowed causes are real, by tests alone. Shapes: N rows, D variables, P candidate causes of one node.

A score is -log10 of the p-value corrected for all D^2 tests, so that scores compare across nodes; an edge is kept where
the score exceeds -log10 of the level.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch

from fipscm.arrays import Array, Mask
from fipscm.mechanism.edges.halves import Features
from fipscm.mechanism.edges.screen import screen
from fipscm.mechanism.edges.usable import usable_rows
from fipscm.mechanism.families.spread_fit import fit_spread, spread_prior
from fipscm.mechanism.heteroscedasticity import log_p_of_unevenness
from fipscm.mechanism.predictors.gaussian_process import CURVED, Process, learn_process
from fipscm.mechanism.progress import OnStep, uncounted
from fipscm.mechanism.responses.spread import with_location
from fipscm.significance import SIGNIFICANCE, log_p_of_correction, scores_from_log_p
from fipscm.threads import on_one_thread

MOST_CANDIDATES = 20  # the time of elimination grows with the square of their number
_MOST_ROWS = 10_000  # that waves are fitted to and tested on
_WAVES, WAVES_PER_CAUSE = 200, 64  # more of them find no more causes
_SURE = 30.0  # below its limit a log p-value stays there: other length scales raised it by 15 at most
SPREAD_ROWS, SMOOTHNESS_ROWS = 4_000, 400  # for the spread of noises, and how smooth it is: weights may be rough


@dataclass(frozen=True)
class EdgeTest:
    """The edges found, row = effect, column = cause.

    Attributes:
        kept: (D, D) mask.
        scores: (D, D) evidence.
        curved: (D,) nodes whose mechanism is not linear.
        smoothness: of curved nodes, with one length scale per kept cause.
    """

    kept: Mask
    scores: Array
    curved: Mask
    smoothness: Mapping[int, Process]


@dataclass(frozen=True)
class Elimination:
    """(D, D) log p-values of all causes, (D,) which nodes are curved, and the smoothness of those."""

    log_p: Array
    curved: Mask
    smoothness: Mapping[int, Process]


def find_edges(
    z: Array,
    allowed: Mask,
    generator: torch.Generator,
    level: float = SIGNIFICANCE,
    on_step: OnStep = uncounted,
    unusable: Mask | None = None,
    *,
    uneven: bool = True,
) -> EdgeTest:
    """Test every allowed cause on standardized columns (N, D), on rows that are not `unusable` (N, D) for its effect.

    A t-test decides where a node is linear. Elsewhere causes that cannot matter are screened out, and the others are
    eliminated backwards: a cause stays only if predictions of unseen rows get worse without it. `uneven` says whether
    noises may be.
    """
    variables = len(allowed)
    limit = np.log(level / variables**2)
    limits = np.full(allowed.shape, limit)
    found = eliminate_everywhere(z, allowed, limits, generator, on_step, unusable, limit, uneven)
    kept = (found.log_p < limit) & allowed
    scores = np.where(allowed, scores_from_log_p(found.log_p, variables), 0)
    return EdgeTest(kept, scores, found.curved, found.smoothness)


@on_one_thread()
def eliminate_everywhere(
    z: Array,
    allowed: Mask,
    limits: Array,
    generator: torch.Generator,
    on_step: OnStep,
    unusable: Mask | None,
    curvature_limit: float,
    uneven: bool,
) -> Elimination:
    """Test the allowed causes of all nodes; one stays where its log p-value is below its own limit (D, D)."""
    screening = screen(z, allowed, limits, unusable)
    curved = screening.curvature < curvature_limit
    uneven_limit = float(np.log(SIGNIFICANCE / len(allowed))) if uneven else -np.inf
    log_p = np.where(curved[:, None], screening.dependence, screening.linear)
    smoothness = {}
    for step, node in enumerate(np.flatnonzero(curved), start=1):
        excess = log_p[node] - limits[node]
        candidates = np.flatnonzero(allowed[node] & (excess < 0))
        candidates = np.sort(candidates[np.argsort(excess[candidates], kind="stable")][:MOST_CANDIDATES])
        log_p[node] = np.maximum(log_p[node], limits[node])
        if len(candidates):
            rows = usable_rows(z, node, unusable)[:_MOST_ROWS]
            log_p[node, candidates], smoothness[int(node)] = eliminate(
                rows[:, candidates], rows[:, node], limits[node, candidates], generator, uneven_limit
            )
        on_step(step, int(curved.sum()))
    return Elimination(log_p, curved, smoothness)


def eliminate(
    z: Array, y: Array, limits: Array, generator: torch.Generator, uneven_limit: float = -np.inf
) -> tuple[Array, Process]:
    """Remove candidates (N, P) without which unseen rows of y are predicted as well.

    Where what they leave spreads unevenly, with a log p-value below `uneven_limit`, quiet rows count for more than loud
    ones.

    Returns the log p-value (P,) of each candidate when it was removed, or at the end for those that stay below their
    limits (P,), and the smoothness of the effect in those that stay.
    """
    shuffled = torch.randperm(len(z), generator=generator).numpy()
    rows = _Rows(z[shuffled], y[shuffled], Features.draw(z.shape[1], _WAVES))
    candidates = list(range(z.shape[1]))
    process = rows.learn(candidates)
    location = rows.predictions(process, candidates)
    if log_p_of_unevenness(with_location(rows.z, location), rows.y - location) < uneven_limit:
        uneven = rows.with_spread_about(location)
        likely = uneven.learn(candidates, process)
        # A curve that waves cannot follow leaves uneven residuals too, but the rows are not more likely with a spread.
        if likely.evidence > process.evidence + CURVED:
            rows, process = uneven, likely
    return _eliminate(rows, process, limits)


@dataclass(frozen=True)
class _Rows:
    """Candidate causes (N, P) of one node in random order, the node (N,), features, its spread (N,)."""

    z: Array
    y: Array
    features: Features
    spread: Array | None = None

    def learn(self, causes: list[int], start: Process | None = None) -> Process:
        """The smoothness in some of the causes."""
        return learn_process(self.z[:, causes], self.y, start, self.spread)

    def with_spread_about(self, location: Array) -> "_Rows":
        """The same rows with the spread that they have about locations (N,)."""
        inputs, residual = with_location(self.z, location), self.y - location
        few = slice(0, SPREAD_ROWS)
        prior = spread_prior(inputs[:SMOOTHNESS_ROWS], residual[:SMOOTHNESS_ROWS])
        return replace(self, spread=fit_spread(inputs[few], residual[few], prior)(inputs))

    def predictions(self, process: Process, causes: list[int]) -> Array:
        """(N,), each half of the rows as the other half predicts it from some of the causes."""
        if causes:
            count = min(_WAVES, WAVES_PER_CAUSE * len(causes))
            features, smoothness = self.features.of(causes, count), process.of(causes)
            return features.predict_halves(self.z[:, causes], self.y, smoothness, self.spread)
        half = len(self.y) // 2
        means = [self.y[half:].mean(), self.y[:half].mean()]
        return np.repeat(means, [half, len(self.y) - half])

    def log_p_of(self, full: Array, less: Array) -> float:
        """Of full predictions (N,) being no better than those with less causes (N,)."""
        unit = 1.0 if self.spread is None else self.spread
        return log_p_of_correction((self.y - less) / unit, (full - less) / unit)


def _eliminate(rows: _Rows, process: Process, limits: Array) -> tuple[Array, Process]:
    """Remove candidates, the least significant first, until all that stay are below their limits (P,).

    Returns the log p-values (P,) and the smoothness in the causes that stay.
    """
    staying = list(range(len(limits)))
    own: Process | None = process  # of exactly those that stay: what was learned beside others need not be theirs
    log_p = np.zeros(len(limits))
    while staying:
        full = rows.predictions(process, staying)
        for cause in staying:
            log_p[cause] = rows.log_p_of(full, rows.predictions(process, _without(staying, cause)))
        excess = log_p - limits
        leaving = sorted((cause for cause in staying if excess[cause] > 0), key=lambda cause: -excess[cause])
        if not leaving:
            doubted = min(staying, key=lambda cause: limits[cause])
            if excess[doubted] < -_SURE:
                break
            beside, of_others = _beside_others(rows, process, staying, doubted, full)
            log_p[doubted] = max(log_p[doubted], beside)
            if log_p[doubted] <= limits[doubted]:
                break
            leaving, own = [doubted], of_others
        else:
            own = None
        # Drop the weaker half of the insignificant causes, then test again: two correlated causes can hide each other.
        for cause in leaving[: (len(leaving) + 1) // 2]:
            staying.remove(cause)
    if own is None:
        own = rows.learn(staying, process.of(staying)) if staying else process.of(staying)
    return log_p, own


def _beside_others(rows: _Rows, process: Process, causes: list[int], cause: int, full: Array) -> tuple[float, Process]:
    """The log p-value of a cause once the smoothness of the others is their own, and that smoothness.

    Length scales that were learned beside a cause may leave to it what the others could explain.
    """
    others = _without(causes, cause)
    if not others:
        return -np.inf, process.of(others)
    own = rows.learn(others, process.of(others))
    scattered = Process(process.relevance.copy(), own.signal, own.noise, own.evidence)
    scattered.relevance[others] = own.relevance
    return rows.log_p_of(full, rows.predictions(scattered, others)), own


def _without(causes: list[int], cause: int) -> list[int]:
    return [other for other in causes if other != cause]
