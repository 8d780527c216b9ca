"""Cells that say nothing: missing ones, and wild ones that would drown the rest. Shapes: N rows, D variables.

Both are filled in with what a linear regression on the other columns predicts, plus a residual drawn from the observed
ones, so that a filled cell neither sharpens nor blurs how the columns depend on each other.
"""

from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array, Mask

CLIP = 5.0  # robust standard deviations: what lies beyond may not bend the regression
WILD = 8.0  # of the residual's own robust deviation: rarer than one cell in a thousand even with Laplace noise
MOST_WILD = 0.1  # of a column; more than that is how the column is, not a handful of accidents
ROUNDS = 3  # of filling in; missing cells of one column are regressors of another


@dataclass(frozen=True)
class CompleteTable:
    """A table without holes, and how many it had: values (N, D), shares of missing and of wild cells (D,)."""

    values: Array
    missing: Array
    wild: Array


def complete(table: Array) -> CompleteTable:
    """Fill missing and wild cells; a table without any comes back as it is."""
    observed = ~np.isnan(table)
    centre, scale = _robust_location(table)
    z = np.where(observed, (table - centre) / scale, 0.0)
    wild = _wild_cells(z, observed)
    holes = ~observed | wild
    shares = (~observed).mean(axis=0), wild.mean(axis=0)
    if not holes.any():
        return CompleteTable(table, *shares)
    filled = np.where(holes, centre + scale * _filled(z, holes), table)
    return CompleteTable(filled, *shares)


def _robust_location(table: Array) -> tuple[Array, Array]:
    """(D,) medians and (D,) deviations that a few cells cannot move; plain ones where most cells are equal."""
    low, centre, high = np.nanquantile(table, [0.25, 0.5, 0.75], axis=0)
    spread = (high - low) / 1.349
    return centre, np.where(spread > 0, spread, np.maximum(np.nanstd(table, axis=0), 1e-300))


def _wild_cells(z: Array, observed: Mask) -> Mask:
    """True where a cell is far out in its column, and far from what the other columns say about it."""
    tame = np.clip(z, -CLIP, CLIP)
    surprise = z - tame + _residuals(tame)
    usual = 1.4826 * np.median(np.abs(surprise), axis=0)
    wild = observed & (np.abs(z) > CLIP) & (np.abs(surprise) > WILD * np.maximum(usual, 1e-12))
    return np.asarray(wild & (wild.mean(axis=0) <= MOST_WILD))


def _filled(z: Array, holes: Mask) -> Array:
    """(N, D) with every hole filled; the same draws for every table, for the evidence is a function of the table."""
    rng = np.random.default_rng(0)
    filled = np.where(holes, 0.0, np.clip(z, -CLIP, CLIP))
    for _ in range(ROUNDS):
        residuals = _residuals(filled)
        predicted = filled - residuals
        for column in np.flatnonzero(holes.any(axis=0)):
            hole = holes[:, column]
            if hole.all():
                continue
            drawn = rng.choice(residuals[~hole, column], int(hole.sum()))
            filled[hole, column] = predicted[hole, column] + drawn
    return filled


def _residuals(z: Array) -> Array:
    """(N, D) of regressing each column on all others, from one inverse covariance."""
    centred = z - z.mean(axis=0)
    covariance = centred.T @ centred / len(z)
    ridge = 1e-6 + 0.01 * min(1.0, z.shape[1] / len(z))
    precision = np.linalg.inv(covariance + ridge * np.eye(z.shape[1]))
    return np.asarray(centred @ precision / np.diag(precision))
