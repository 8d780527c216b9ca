"""Missing cells filled in linearly. Shapes: N rows, D variables.

All missing cells of a row are filled together: with what its other cells predict, plus the errors that this prediction
makes in another row, drawn at random. So filled cells depend on the others, and on each other, as strongly as observed
ones do. (Filled one column at a time, nearly collinear columns would need many rounds until they agree.)
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.factorisation import inverse
from fipscm.order.evidence.leave_one_out import row_blocks


@dataclass(frozen=True)
class FillConfig:
    """How cells are filled."""

    rounds: int = 8  # of learning from rows with filled cells: it begins with means, and a third may be missing
    donors: int = 100  # complete rows; if there are fewer, errors are drawn from all rows
    ridge: float = 1e-9  # of standardized columns, which may be collinear


FILL = FillConfig()


@dataclass(frozen=True)
class Regression:
    """Every column by least squares on any others, in standardized columns: their means and inverse covariance."""

    mean: Array  # (D,)
    precision: Array  # (D, D)

    @classmethod
    def of(cls, z: Array) -> Self:
        """Learn from rows (N, D)."""
        covariance = np.cov(z.T) + FILL.ridge * np.eye(z.shape[1])
        return cls(z.mean(axis=0), inverse(covariance))

    def column(self, column: int, z: Array) -> tuple[Array, float]:
        """(N,) what all other cells of rows (N, D) predict for a column, and its standard error."""
        precision = self.precision[column] / self.precision[column, column]
        return z[:, column] - (z - self.mean) @ precision, float(self.precision[column, column] ** -0.5)

    def holes(self, z: Array, holes: Mask) -> Array:
        """The rows (N, D) with what their other cells predict in every hole (N, D)."""
        blocks = row_blocks(len(z), z.shape[1] ** 2)  # each row needs a matrix of its own
        return np.concatenate([self._predicted(z[rows], holes[rows]) for rows in blocks])

    def _predicted(self, z: Array, holes: Mask) -> Array:
        """Per row the system of its holes; where a cell is no hole, the system says that nothing is added."""
        observed = np.where(holes, 0.0, z - self.mean)
        system = np.where(holes[:, :, None] & holes[:, None, :], self.precision, 0.0)
        np.einsum("ndd->nd", system)[:] += ~holes
        added = np.linalg.solve(system, np.where(holes, -observed @ self.precision, 0.0)[:, :, None])[:, :, 0]
        return np.where(holes, self.mean + added, z)


def fill_linearly(table: Array) -> Array:
    """(N, D) with NaN in holes -> (N, D) without; always the same for the same table, and itself if it has no hole."""
    missing = np.isnan(table)
    if not missing.any():
        return table
    touched, whole = (np.flatnonzero(rows) for rows in (missing.any(axis=1), ~missing.any(axis=1)))
    centre, scale = np.nanmean(table, axis=0), np.nanstd(table, axis=0)
    z, rng = np.where(missing, 0.0, (table - centre) / scale), np.random.default_rng(0)
    holes = missing[touched]
    for _ in range(FILL.rounds):
        regression = Regression.of(z)
        donors = z[rng.choice(whole if len(whole) >= FILL.donors else np.arange(len(z)), len(touched))]
        errors = donors - regression.holes(donors, holes)
        z[touched] = regression.holes(z[touched], holes) + np.where(holes, errors, 0.0)
    return np.where(missing, centre + scale * z, table)
