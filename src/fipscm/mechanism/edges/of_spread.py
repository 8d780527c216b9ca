"""Causes that move the spread of a node, and not its mean. Shapes: N rows, D variables.

A cheap test of the sizes of the noises finds candidates, one at a time. Each is confirmed where unseen rows become more
likely with a spread that depends on it too.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch

from fipscm.arrays import Array, Mask
from fipscm.mechanism.edges.screen import log_p_of_structure
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise.uneven import NodeRows, NoiseTable
from fipscm.mechanism.noise.unevenness import log_p_of_each
from fipscm.mechanism.regression.spread import SpreadSmoothness, fit_spread
from fipscm.mechanism.response.additive import Additive
from fipscm.significance import SIGNIFICANCE, log_p_of_gain
from fipscm.threads import on_one_thread

FEWEST_ROWS = 200  # fewer cannot tell a spread from a few large residuals


@dataclass(frozen=True)
class SpreadSearch:
    """Which edges may act on the spread alone, and what must be overcome.

    Attributes:
        possible: (D, D) mask, row = effect.
        start: (D, D) logarithms of what is known against each edge: of its odds, or of the number of tests.
        level: of the tests.
    """

    possible: Mask
    start: Array
    level: float = SIGNIFICANCE

    @property
    def limits(self) -> Array:
        """(D, D), below which the log p-value of an edge must lie."""
        return np.asarray(np.minimum(self.start, np.log(self.level / len(self.start) ** 2)))

    def scores(self, log_p: Array) -> Array:
        """(D, D), of edges with these log p-values."""
        return np.asarray((self.start - log_p) / np.log(10))


@on_one_thread()
def with_spread_edges(model: LearnedSCM, table: NoiseTable, search: SpreadSearch) -> LearnedSCM:
    """The model of additive noises with edges that act on the spread of a node alone."""
    scores = model.edge_scores.copy()
    for node, response in enumerate(model.responses):
        possible = search.possible[node] & ~model.allowed[node]
        if possible.any() and isinstance(response, Additive) and table.known[:, node].sum() >= FEWEST_ROWS:
            model, log_p = _with_causes(model, node, table, possible, search.limits[node])
            scores[:, node] = np.where(log_p < 0, search.scores(log_p)[node], scores[:, node])
    return replace(model, edge_scores=scores)


def _with_causes(
    model: LearnedSCM, node: int, table: NoiseTable, possible: Mask, limits: Array
) -> tuple[LearnedSCM, Array]:
    """The model with further causes of one node's spread, and (D,) their log p-values, zero for all other columns."""
    log_p, z = np.zeros(len(possible)), table.z[table.known[:, node]]
    columns = np.flatnonzero(possible)
    for _ in range(len(columns)):
        rows = NodeRows.of(model, node, table)
        tests = log_p_of_each(z[:, columns], rows.residual, rows.inputs)
        columns = columns[tests < limits[columns]]
        if not len(columns):
            break
        # What the known causes do to the spread is taken out before the others are tested once more.
        smoothness = SpreadSmoothness.learn(rows.inputs, rows.residual)
        even = rows.residual / fit_spread(rows.inputs, rows.residual, smoothness)(rows.inputs)
        tests = log_p_of_each(z[:, columns], even, rows.inputs)
        best = int((tests - limits[columns]).argmin())
        if tests[best] >= limits[columns[best]]:
            break
        wider = _with_edge(model, node, columns[best])
        wider_rows = NodeRows.of(wider, node, table)
        wider_smoothness = SpreadSmoothness.learn(wider_rows.inputs, wider_rows.residual)
        gains = wider_rows.compared(wider_smoothness).gains - rows.compared(smoothness).gains
        is_likelier = log_p_of_gain(torch.from_numpy(gains)) < np.log(SIGNIFICANCE)
        if is_likelier and not _mean_is_wrong(wider_rows, wider_smoothness):
            model, log_p[columns[best]] = wider, tests[best]
        columns = np.delete(columns, best)
    return model, log_p


def _mean_is_wrong(rows: NodeRows, smoothness: SpreadSmoothness) -> bool:
    """Whether residuals depend on the inputs in their mean: then a missed mean looks like a spread."""
    even = rows.residual / fit_spread(rows.inputs, rows.residual, smoothness)(rows.inputs)
    return bool(log_p_of_structure(rows.inputs, even) < np.log(SIGNIFICANCE))


def _with_edge(model: LearnedSCM, effect: int, cause: int) -> LearnedSCM:
    allowed, on_spread = model.allowed.copy(), model.on_spread.copy()
    allowed[effect, cause] = on_spread[effect, cause] = True
    return replace(model, allowed=allowed, on_spread=on_spread)
