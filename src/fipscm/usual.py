"""Rows in which the columns go together as they do elsewhere. Shapes: N rows, D variables.

A wrong entry may lie within the range of its column; columns that move together show it all the same. Left in, a few
such rows look like noise that the columns share, and turn orders around.
"""

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.factorisation import inverse
from fipscm.robust import FARTHEST, robust_distance, robust_location, tame_rows

_ROUNDS = 5  # without the rows that are set aside, others may stand out
UNMISTAKABLE = 30.0  # robust standard deviations: tails of curved tables seldom reach so far, wrong entries mostly do


def usual_rows(table: Array, judged: Mask | None = None) -> Mask:
    """(N,), the tame rows in which every column is also near what a linear regression on all others makes of it.

    A table without any wild cell is left as it is; where no row is unmistakably unusual, where half of the rows are, or
    all that differ in a column, the tame rows are. With `judged` (D,) other columns only help to judge these.

    >>> table = np.random.default_rng(0).normal(size=(100, 1)).repeat(2, axis=1)
    >>> table[:2] = [[3.0, -3.0], [0.0, 9.0]]
    >>> np.flatnonzero(~usual_rows(table)).tolist()
    [0, 1]
    """
    judged = np.ones(table.shape[1], dtype=bool) if judged is None else judged
    tame = tame_rows(table, judged)
    usual, (centre, scale) = tame, robust_location(table)
    z = (table - centre) / scale
    for turn in range(0 if tame.all() else _ROUNDS):
        beyond = beyond_others(z, usual)[:, judged]
        distance = robust_distance(beyond, beyond[usual]).max(axis=1)
        if turn == 0 and distance.max() <= UNMISTAKABLE:
            return tame
        near = tame & (distance <= FARTHEST)
        if near.mean() < 0.5 or (np.ptp(table[near], axis=0) == 0).any():
            return tame
        if (near == usual).all():
            break
        usual = near
    return np.asarray(usual)


def beyond_others(z: Array, rows: Mask | None = None) -> Array:
    """(N, D), what each column has beyond a regression on all others, learned from some of the rows or from all.

    The columns are to be of about the same scale. One inverse covariance holds all regressions.
    """
    known = z if rows is None else z[rows]
    centre = known.mean(axis=0)
    centred = known - centre
    covariance = centred.T @ centred / len(known)
    ridge = 1e-6 + 0.01 * min(1.0, z.shape[1] / len(known))
    precision = inverse(covariance + ridge * np.eye(z.shape[1]))
    return np.asarray((z - centre) @ precision / np.diag(precision))
