"""Which nodes of a given graph are curved. Shapes: N rows, D variables."""

import warnings

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.mechanism.edges.screen import screen
from fipscm.mechanism.regression.process import MOST_ROWS, Process, is_curved, learn_process
from fipscm.mechanism.regression.usable import count_usable, usable_rows
from fipscm.significance import SIGNIFICANCE, scores_from_log_p


def judge_shapes(z: Array, allowed: Mask, unusable: Mask | None) -> tuple[Mask, Array, dict[int, Process]]:
    """Which nodes are curved in all their allowed causes, the score of each cause, and what smoothness was learned.

    A few rows decide by the marginal likelihood, more of them by a test, whose p-value stands for a Bayes factor of
    1 / (p sqrt(N)) as it does for edges: a line that bends by chance would go anywhere beyond the rows.
    """
    limit = np.log(SIGNIFICANCE / len(allowed)) - 0.5 * np.log(len(z))
    has_causes, few = allowed.any(axis=1), count_usable(z, unusable) <= MOST_ROWS
    with warnings.catch_warnings():
        if few[has_causes].all():
            warnings.simplefilter("ignore", UserWarning)  # of too few rows for the test, which does not decide
        screening = screen(z, allowed, np.full(allowed.shape, limit), unusable)
    curved, smoothness = screening.curvature < limit, {}
    for node in np.flatnonzero(has_causes & few):
        rows = usable_rows(z, node, unusable)
        causes, effect = rows[:, allowed[node]], rows[:, node]
        process = learn_process(causes, effect)
        curved[node] = is_curved(process, causes, effect)
        if curved[node]:
            smoothness[int(node)] = process
    log_p = np.where(curved[:, None], screening.dependence, screening.linear)
    return curved, np.where(allowed, scores_from_log_p(log_p, len(allowed)), 0), smoothness
