"""Which allowed causes are real, by tests alone. Shapes: N rows, D variables, P candidate causes of one node.

A score is -log10 of the p-value corrected for all D^2 tests, so that scores compare across nodes; an edge is kept where
the score exceeds -log10 of the level.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from fipscm.arrays import Array, Mask
from fipscm.mechanism.progress import OnStep, uncounted
from fipscm.mechanism.regression.process import Process, learn_process
from fipscm.mechanism.regression.smooth import Waves, predict_halves
from fipscm.mechanism.regression.usable import usable_rows
from fipscm.mechanism.screen import screen
from fipscm.mechanism.significance import SIGNIFICANCE, log_p_of_correction, scores_from_log_p
from fipscm.threads import on_one_thread

MOST_CANDIDATES = 20  # the time of elimination grows with the square of their number
MOST_ROWS = 20_000  # that waves are fitted to and tested on
WAVES, WAVES_PER_CAUSE = 200, 64  # more of them find no more causes
SURE = 30.0  # below its limit a log p-value stays there: other length scales raised it by 15 at most


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
) -> EdgeTest:
    """Test every allowed cause on standardized columns (N, D), on rows that are not `unusable` (N, D) for its effect.

    A t-test decides where a node is linear. Elsewhere causes that cannot matter are screened out, and the others are
    eliminated backwards: a cause stays only if predictions of unseen rows get worse without it.
    """
    variables = len(allowed)
    limit = np.log(level / variables**2)
    found = eliminate_everywhere(z, allowed, np.full(allowed.shape, limit), generator, on_step, unusable, limit)
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
) -> Elimination:
    """Test the allowed causes of all nodes; one stays where its log p-value is below its own limit (D, D)."""
    screening = screen(z, allowed, limits, unusable)
    curved = screening.curvature < curvature_limit
    log_p = np.where(curved[:, None], screening.dependence, screening.linear)
    smoothness = {}
    for step, node in enumerate(np.flatnonzero(curved), start=1):
        excess = log_p[node] - limits[node]
        candidates = np.flatnonzero(allowed[node] & (excess < 0))
        candidates = np.sort(candidates[np.argsort(excess[candidates], kind="stable")][:MOST_CANDIDATES])
        log_p[node] = np.maximum(log_p[node], limits[node])
        if len(candidates):
            rows = usable_rows(z, node, unusable)[:MOST_ROWS]
            log_p[node, candidates], smoothness[int(node)] = eliminate(
                rows[:, candidates], rows[:, node], limits[node, candidates], generator
            )
        on_step(step, int(curved.sum()))
    return Elimination(log_p, curved, smoothness)


def eliminate(z: Array, y: Array, limits: Array, generator: torch.Generator) -> tuple[Array, Process]:
    """Remove candidates (N, P) without which unseen rows of y are predicted as well.

    Returns the log p-value (P,) of each candidate when it was removed, or at the end for those that stay below their
    limits (P,), and the smoothness of the effect in those that stay.
    """
    shuffled = torch.randperm(len(z), generator=generator).numpy()
    z, y = z[shuffled], y[shuffled]
    waves = Waves.draw(z.shape[1], WAVES, generator)
    process = learn_process(z, y)
    own: Process | None = process  # of exactly those that stay: what was learned beside others need not be theirs
    log_p = np.zeros(z.shape[1])
    staying = list(range(z.shape[1]))
    while staying:
        full = _predictions(z, y, waves, process, staying)
        for cause in staying:
            less = _predictions(z, y, waves, process, [other for other in staying if other != cause])
            log_p[cause] = log_p_of_correction(y - less, full - less)
        excess = log_p - limits
        leaving = sorted((cause for cause in staying if excess[cause] > 0), key=lambda cause: -excess[cause])
        if not leaving:
            doubted = min(staying, key=lambda cause: limits[cause])
            if excess[doubted] < -SURE:
                break
            beside, of_others = _beside_others(z, y, waves, process, staying, doubted, full)
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
        own = learn_process(z[:, staying], y, process.of(staying)) if staying else process.of(staying)
    return log_p, own


def _beside_others(
    z: Array, y: Array, waves: Waves, process: Process, causes: list[int], cause: int, full: Array
) -> tuple[float, Process]:
    """The log p-value of a cause once the smoothness of the others is their own, and that smoothness.

    Length scales that were learned beside a cause may leave to it what the others could explain.
    """
    others = [other for other in causes if other != cause]
    if not others:
        return -np.inf, process.of(others)
    own = learn_process(z[:, others], y, process.of(others))
    scattered = Process(process.relevance.copy(), own.signal, own.noise, own.evidence)
    scattered.relevance[others] = own.relevance
    less = _predictions(z, y, waves, scattered, others)
    return log_p_of_correction(y - less, full - less), own


def _predictions(z: Array, y: Array, waves: Waves, process: Process, causes: list[int]) -> Array:
    """(N,), each half of the rows of y as the other half predicts it from some of the causes."""
    if causes:
        count = min(WAVES, WAVES_PER_CAUSE * len(causes))
        return predict_halves(z[:, causes], y, waves.of(causes, count), process.of(causes))
    half = len(y) // 2
    return np.concatenate([np.full(half, y[half:].mean()), np.full(len(y) - half, y[:half].mean())])
