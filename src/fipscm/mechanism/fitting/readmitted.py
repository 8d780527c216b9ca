"""Rows that were set aside for wild cells, and of which a curve cannot know better. Shapes: N rows, D variables.

Far from all other rows, a curve that was learned without a row has nothing to hold against it: such rows are the only
ones that tell how the curve goes on, and heavy tails make them by right. But a wrong entry lies far out, too, and what
its effects have there is no part of their curves. So a wild cell must first be made plausible, by its own causes, or
where it has none by the tails of such columns; then the rows of its effects get the benefit of the doubt.
"""

from collections.abc import Mapping

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist

from fipscm.arrays import Array, Mask
from fipscm.factorisation import lower_factor
from fipscm.mechanism.fitting.table import MOST_RESIDUALS, FitTable
from fipscm.mechanism.fitting.tails import tails_explain
from fipscm.mechanism.regression.process import LEVEL, MOST_ROWS, Process, learn_process
from fipscm.mechanism.regression.usable import uncentred_rows
from fipscm.robust import FARTHEST, robust_location
from fipscm.threads import on_one_thread


@on_one_thread()
def readmit(
    table: FitTable, allowed: Mask, smoothness: Mapping[int, Process], unusable: Mask, fitted: int
) -> tuple[Mask, dict[int, Process]]:
    """(N, D), `unusable` without the rows that curves of this smoothness leave possible, and what they say about it.

    Causes come first: where a wild cell is plausible, its effects may be judged by it. The smoothness is learned again,
    from the `fitted` first rows, where rows came back.
    """
    unusable, doubtful, found = unusable.copy(), table.wild.copy(), dict(smoothness)
    roots = ~allowed.any(axis=1) & ~table.kinds.linked & ~table.intervened[:MOST_RESIDUALS].all(axis=0)
    observed = np.where(table.intervened, np.nan, table.rows)[:MOST_RESIDUALS, roots]
    if doubtful[:, roots].any() and tails_explain(observed):
        doubtful[:, roots] = False
    for node in (node for node in table.order.tolist() if node in smoothness and not table.kinds.linked[node]):
        causes = np.flatnonzero(allowed[node])
        asked = unusable[:, node] & ~table.intervened[:, node] & ~doubtful[:, causes].any(axis=1)
        asked[MOST_RESIDUALS:] = False
        known = uncentred_rows(table.z, node, unusable)[:MOST_ROWS]
        possible = _possible(smoothness[node], known[:, [*causes, node]], table.z[asked][:, [*causes, node]])
        admitted = np.flatnonzero(asked)[possible]
        unusable[admitted, node] = doubtful[admitted, node] = False
        if len(admitted):
            rows = uncentred_rows(table.z[:fitted], node, unusable)
            found[node] = learn_process(rows[:, causes], rows[:, node], smoothness[node])
    return unusable, found


def _possible(process: Process, known: Array, asked: Array) -> Mask:
    """(M,), which rows (M, P + 1) of causes and effect a process leaves possible that knows others (N, P + 1)."""
    places = np.vstack([known, asked])
    mean, variance = foresee(process, known[:, :-1], known[:, -1], places[:, :-1])
    left = places[:, -1] - mean
    middle, spread = robust_location(left[: len(known)])
    possible = np.abs(left - middle) <= FARTHEST * np.sqrt(spread**2 + variance)
    return np.asarray(possible[len(known) :])


def foresee(process: Process, z: Array, y: Array, at: Array) -> tuple[Array, Array]:
    """(M,) mean and (M,) variance of a joint process at causes (M, P), given causes (N, P) and effect (N,)."""
    own, across = (LEVEL + process.line * (one @ z.T) + _smooth(process, one, z) for one in (z, at))
    own.flat[:: len(z) + 1] += process.noise
    factor = lower_factor(own)
    known = linalg.solve_triangular(factor, across.T, lower=True, check_finite=False)
    mean = known.T @ linalg.solve_triangular(factor, y, lower=True, check_finite=False)
    prior = LEVEL + process.line * np.square(at).sum(axis=1) + process.signal
    return mean, np.maximum(prior - np.square(known).sum(axis=0), 0)


@np.errstate(under="ignore")  # rows far apart have no covariance
def _smooth(process: Process, one: Array, other: Array) -> Array:
    """(M, N), the covariance of the smooth part between rows of causes (M, P) and (N, P)."""
    return np.asarray(
        process.signal * np.exp(-0.5 * cdist(one * process.relevance, other * process.relevance, "sqeuclidean"))
    )
