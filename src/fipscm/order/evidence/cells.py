"""Cells that say nothing: missing ones, and wild ones that would outweigh the rest. Shapes: N rows, D variables.

A missing cell is filled in with what a linear regression on the other columns predicts, plus a residual drawn from the
observed ones, so that it neither sharpens nor blurs how the columns depend on each other. A wild cell is moved to the
edge of its column, where it keeps its rank but not its weight.
"""

from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.robust import FARTHEST, robust_location
from fipscm.usual import beyond_others

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
