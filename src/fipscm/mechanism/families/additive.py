"""Additive noise, on the column's own scale or on another one. Shapes: N rows, F inputs."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.data import ColumnData, Rows
from fipscm.mechanism.families.family import PREDICTORS, Family, Fitted, LeftOut
from fipscm.mechanism.noise_distribution import NARROWEST, TabulatedDensity
from fipscm.mechanism.predictors.predictor import Predictor
from fipscm.mechanism.predictors.priors import Prior
from fipscm.mechanism.predictors.ridge import Ridge
from fipscm.mechanism.responses.additive import Additive
from fipscm.mechanism.responses.logarithm import Logarithm

_FEWEST_ROWS, _LEAST_VARIATION = 10, 0.2  # of a logarithm; below this standard deviation over mean a line is as good
_HIGHEST_LEVERAGE = 0.99  # of a row: what is left beside a higher one says little of the noise


class Solution(NamedTuple):
    """A predictor of a standardized target, what it leaves of its rows (N,), and how far each pulls it (N,)."""

    predictor: Predictor
    errors: Array
    leverage: Array

    @property
    def residual(self) -> Array:
        """(N,), the errors, as large on average as the noise is."""
        share = min(float(self.leverage.mean()), _HIGHEST_LEVERAGE)
        return np.asarray(self.errors / np.sqrt(1 - share))

    @property
    def left_out(self) -> Array:
        """(N,), the errors as if each row had been left out."""
        return np.asarray(self.errors / (1 - np.minimum(self.leverage, _HIGHEST_LEVERAGE)))


class Scaled(NamedTuple):
    """A target (N,) on the scale on which noise is added, its mean and deviation, and the prior of its regression."""

    target: Array
    centre: float
    scale: float
    prior: Prior

    @classmethod
    def of(cls, data: ColumnData, target: Array, predictor: str) -> "Scaled":
        """Standardize, and learn the prior."""
        centre = float(np.average(target, weights=data.weights))
        scale = float(np.sqrt(np.average(np.square(target - centre), weights=data.weights))) or 1.0
        # How smooth a column is on its own scale says little of another one.
        asked = data if target is data.values else replace(data, process=None)
        return cls(target, centre, scale, PREDICTORS[predictor](asked, (target - centre) / scale))

    def solve(self, data: ColumnData, rows: Rows, weights: Array | None = None) -> Solution:
        """The regression, in standardized columns; rows may have further weights (N,)."""
        z, y = data.z[rows], (self.target[rows] - self.centre) / self.scale
        counting = data.weights[rows] if weights is None else data.weights[rows] * weights
        ridge = Ridge(self.prior.basis, z, self.prior.penalties(), counting)
        coefficients = ridge.coefficients(y)
        predictor = Predictor(self.prior.basis, coefficients[:, None])
        return Solution(predictor, y - ridge.predict(coefficients), ridge.leverage())

    def log_densities(self, data: ColumnData, rows: Rows, solved: Solution) -> Array:
        """(U,), of errors of unseen rows on this scale, each half by those of the other half."""
        errors = self.scale * solved.left_out
        found = np.empty(len(errors))
        for seen, unseen in ((slice(0, None, 2), slice(1, None, 2)), (slice(1, None, 2), slice(0, None, 2))):
            found[unseen] = TabulatedDensity.of(errors[seen], NARROWEST * self.scale)(errors[unseen])
        return found[np.isin(rows, data.unseen)]

    def location(self, data: ColumnData, rows: Rows, solved: Solution) -> Array:
        """(U, 1), of unseen rows, as if each had been left out."""
        unseen = np.isin(rows, data.unseen)
        y = (self.target[rows] - self.centre) / self.scale
        return (y - solved.left_out)[unseen][:, None]


@dataclass(frozen=True)
class AdditiveFamily(Family):
    """x = f(causes) + noise."""

    response = "additive"

    def prepare(self, data: ColumnData) -> Scaled:
        """The prior."""
        return Scaled.of(data, data.values, self.predictor)

    def left_out(self, data: ColumnData, prepared: Scaled) -> LeftOut:
        """By the leverage of each row."""
        rows = data.first_rows
        solved = prepared.solve(data, rows)
        mean = prepared.centre + prepared.scale * prepared.location(data, rows, solved)[:, 0]
        return LeftOut(self._fitted(prepared, solved), prepared.log_densities(data, rows, solved), mean)

    def solve(self, data: ColumnData, rows: Rows, prepared: Scaled) -> Fitted:
        """Ridge regression."""
        return self._fitted(prepared, prepared.solve(data, rows))

    def _fitted(self, prepared: Scaled, solved: Solution) -> Fitted:
        noise = prepared.scale * solved.residual
        return Fitted(solved.predictor, Additive(prepared.centre, prepared.scale), noise[:, None])


@dataclass(frozen=True)
class LogarithmFamily(Family):
    """log x = f(causes) + noise."""

    response = "logarithm"

    def applies(self, data: ColumnData) -> bool:
        """Positive columns that vary so much that a logarithm differs from a line."""
        values = data.values
        varies = bool(values.min() > 0) and len(values) >= _FEWEST_ROWS
        return varies and bool(values.std() >= _LEAST_VARIATION * values.mean()) and super().applies(data)

    def prepare(self, data: ColumnData) -> Scaled:
        """The prior of logarithms."""
        return Scaled.of(data, np.log(data.values), self.predictor)

    def left_out(self, data: ColumnData, prepared: Scaled) -> LeftOut:
        """By the leverage of each row, in the units of the column."""
        rows = data.first_rows
        solved = prepared.solve(data, rows)
        logarithms = prepared.target[data.unseen]
        smearing = float(np.exp(prepared.scale * solved.left_out).mean())
        mean = np.exp(prepared.centre + prepared.scale * prepared.location(data, rows, solved)[:, 0]) * smearing
        fitted = self._fitted(data, rows, prepared, solved)
        return LeftOut(fitted, prepared.log_densities(data, rows, solved) - logarithms, mean)

    def solve(self, data: ColumnData, rows: Rows, prepared: Scaled) -> Fitted:
        """Ridge regression of logarithms."""
        return self._fitted(data, rows, prepared, prepared.solve(data, rows))

    def _fitted(self, data: ColumnData, rows: Rows, prepared: Scaled, solved: Solution) -> Fitted:
        noise = prepared.scale * solved.residual
        location = solved.predictor(data.z[rows])[:, 0]
        highest = prepared.centre + prepared.scale * float(location.max())
        smearing = float(np.average(np.exp(noise), weights=data.weights[rows]))
        response = Logarithm(prepared.centre, prepared.scale, highest, smearing)
        return Fitted(solved.predictor, response, noise[:, None])
