"""Which allowed causes are real. Shapes: N rows, D variables, P candidate causes of one node.

A score is -log10 of the p-value corrected for all D^2 tests, so that scores compare across nodes; an edge is kept where
the score exceeds -log10 of the level.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from fipscm.arrays import Array, Mask
from fipscm.mechanism.progress import OnStep, uncounted
from fipscm.mechanism.regression.smooth import (
    ROUGH,
    Relevance,
    Waves,
    learn_relevance,
    numpy_on_one_thread,
    squared_errors,
)
from fipscm.mechanism.regression.usable import usable_rows
from fipscm.mechanism.screen import screen
from fipscm.mechanism.significance import SIGNIFICANCE, log_p_of_gain, scores_from_log_p

FITTED_SHARE = 0.6  # of the rows; the others measure how much worse predictions are without a cause
MOST_CANDIDATES = 20  # the time of elimination grows with the square of their number


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
    smoothness: Mapping[int, Relevance]


def find_edges(
    z: Array,
    allowed: Mask,
    generator: torch.Generator,
    level: float = SIGNIFICANCE,
    on_step: OnStep = uncounted,
    intervened: Mask | None = None,
) -> EdgeTest:
    """Test every allowed cause on standardized columns (N, D), where its effect was not `intervened` (N, D) on.

    A t-test decides where a node is linear. Elsewhere causes that cannot matter are screened out, and the others are
    eliminated backwards: a cause stays only if predictions of unseen rows get worse without it.
    """
    variables = len(allowed)
    limit = np.log(level / variables**2)
    screening = screen(z, allowed, limit, intervened)
    curved = screening.curvature < limit
    log_p = np.where(curved[:, None], screening.dependence, screening.linear)
    smoothness = {}
    for step, node in enumerate(np.flatnonzero(curved), start=1):
        candidates = np.flatnonzero(log_p[node] < limit)
        candidates = candidates[np.argsort(log_p[node, candidates], kind="stable")][:MOST_CANDIDATES]
        log_p[node] = np.maximum(log_p[node], limit)
        if len(candidates):
            candidates.sort()
            rows = torch.as_tensor(usable_rows(z, node, intervened), dtype=torch.float32)
            log_p[node, candidates], smoothness[int(node)] = eliminate(
                rows[:, candidates], rows[:, node], limit, generator
            )
        on_step(step, int(curved.sum()))
    kept = (log_p < limit) & allowed
    return EdgeTest(kept, np.where(allowed, scores_from_log_p(log_p, variables), 0), curved, smoothness)


@numpy_on_one_thread()
def eliminate(z: Tensor, y: Tensor, limit: float, generator: torch.Generator) -> tuple[Array, Relevance]:
    """Remove candidates (N, P) without which unseen rows of y are predicted as well.

    Returns the log p-value (P,) of each candidate when it was removed, or at the end for those that stay, and the
    relevance of those that stay.
    """
    shuffled = torch.randperm(len(z), generator=generator)
    z, y = z[shuffled], y[shuffled]
    fitted = int(FITTED_SHARE * len(z))
    waves = Waves.draw(z.shape[1], 200, generator)
    relevance = learn_relevance(z[:fitted], y[:fitted], waves, ROUGH, generator)
    log_p = np.zeros(z.shape[1])
    staying = list(range(z.shape[1]))
    while staying:
        full = _errors(z, y, waves, relevance, staying, fitted)
        for cause in staying:
            worse = _errors(z, y, waves, relevance, [other for other in staying if other != cause], fitted) - full
            log_p[cause] = log_p_of_gain(worse)
        leaving = sorted((cause for cause in staying if log_p[cause] > limit), key=lambda cause: -log_p[cause])
        if not leaving:
            break
        # Drop the weaker half of the insignificant causes, then test again: two correlated causes can hide each other.
        for cause in leaving[: (len(leaving) + 1) // 2]:
            staying.remove(cause)
    return log_p, Relevance(relevance.inverse_lengths[staying], relevance.noise_ratio)


def _errors(z: Tensor, y: Tensor, waves: Waves, relevance: Relevance, causes: list[int], fitted: int) -> Tensor:
    if not causes:
        return (y[fitted:] - y[:fitted].mean()).double().square()
    kept = torch.tensor(causes)
    own = Relevance(relevance.inverse_lengths[kept], relevance.noise_ratio)
    return squared_errors(z[:, kept], y, waves.of(kept), own, fitted)
