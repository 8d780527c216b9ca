"""Cells that say nothing: missing ones, and wild ones that would outweigh the rest. Shapes: N rows, D variables.

A missing cell is filled in with what a linear regression on the other columns predicts, plus a residual drawn from the
observed ones, so that it neither sharpens nor blurs how the columns depend on each other. A wild cell is moved to the
edge of its column, where it keeps its rank but not its weight.
"""

from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.robust import FARTHEST, robust_location

ROUNDS = 3  # of filling in, because missing cells of one column are regressors of another


@dataclass(frozen=True)
class CompleteTable:
    """A table without holes.

    Attributes:
        values: (N, D) with missing cells filled and wild ones moved.
        filled: (N, D) with missing cells filled only; ranks do not mind wild cells.
        missing: (D,) share of missing cells.
        wild: (D,) share of wild cells.
    """

    values: Array
    filled: Array
    missing: Array
    wild: Array


def complete(table: Array) -> CompleteTable:
    """Fill missing cells and move wild ones; a table without any comes back as it is."""
    holes = np.isnan(table)
    centre, scale = robust_location(table)
    z = np.where(holes, 0.0, (table - centre) / scale)
    wild = np.abs(z) > FARTHEST
    tame = np.clip(z, -FARTHEST, FARTHEST)
    filled = np.where(holes, centre + scale * _filled(tame, holes), table) if holes.any() else table
    values = np.where(wild, centre + scale * tame, filled) if wild.any() else filled
    return CompleteTable(values, filled, holes.mean(axis=0), wild.mean(axis=0))


def _filled(z: Array, holes: Mask) -> Array:
    """(N, D) with every hole filled; the same draws for every table, because evidence is a function of the table."""
    rng = np.random.default_rng(0)
    filled = z.copy()
    for _ in range(ROUNDS):
        residuals = beyond_others(filled)
        predicted = filled - residuals
        for column in np.flatnonzero(holes.any(axis=0)):
            hole = holes[:, column]
            drawn = rng.choice(residuals[~hole, column], int(hole.sum()))
            filled[hole, column] = predicted[hole, column] + drawn
    return filled


def beyond_others(z: Array, rows: Mask | None = None) -> Array:
    """(N, D), what each column has beyond a regression on all others, learned from some of the rows or from all.

    The columns are to be of about the same scale. One inverse covariance holds all regressions.
    """
    known = z if rows is None else z[rows]
    centre = known.mean(axis=0)
    centred = known - centre
    covariance = centred.T @ centred / len(known)
    ridge = 1e-6 + 0.01 * min(1.0, z.shape[1] / len(known))
    precision = np.linalg.inv(covariance + ridge * np.eye(z.shape[1]))
    return np.asarray((z - centre) @ precision / np.diag(precision))
