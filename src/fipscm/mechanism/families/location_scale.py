"""Noise whose spread depends on the causes. Shapes: N rows, F inputs."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fipscm.mechanism.data import ColumnData, Rows
from fipscm.mechanism.families.additive import Scaled, Solution
from fipscm.mechanism.families.family import Family, Fitted, LeftOut
from fipscm.mechanism.families.spread_fit import fit_spread, spread_prior
from fipscm.mechanism.noise_distribution import NARROWEST, TabulatedDensity
from fipscm.mechanism.predictors.priors import Prior
from fipscm.mechanism.responses.location_scale import LocationScale
from fipscm.mechanism.responses.spread import with_location

_FEWEST_ROWS = 50  # fewer tell nothing about a spread
_FARTHEST = 3.0  # times the largest residual of the rows: no noise moves a row farther, however large its spread is


class Prepared(NamedTuple):
    """What is held about the mean and about the logarithm of the spread."""

    mean: Scaled
    spread: Prior


@dataclass(frozen=True)
class LocationScaleFamily(Family):
    """x = f(causes) + spread(causes, f) * noise."""

    response = "location-scale"

    def applies(self, data: ColumnData) -> bool:
        """Where rows are enough."""
        return len(data.values) >= _FEWEST_ROWS and bool(len(data.inputs.causes)) and super().applies(data)

    def prepare(self, data: ColumnData) -> Prepared:
        """Both priors; that of the spread from what an even regression leaves."""
        mean, rows = Scaled.of(data, data.values, self.predictor), data.first_rows
        even = mean.solve(data, rows)
        location = even.predictor(data.z[rows])[:, 0]
        return Prepared(mean, spread_prior(with_location(data.z[rows], location), even.residual))

    def left_out(self, data: ColumnData, prepared: Prepared) -> LeftOut:
        """The mean by the leverage of each row, its spread by the one split."""
        rows, mean = data.first_rows, prepared.mean
        solved = self._weighted(data, rows, prepared)
        errors, inputs = solved.left_out, with_location(data.z[rows], solved.predictor(data.z[rows])[:, 0])
        told = []
        for seen, unseen in data.splits:
            sizes = fit_spread(inputs[seen], errors[seen], prepared.spread)(inputs)
            density = TabulatedDensity.of((errors / sizes)[seen], NARROWEST)
            told.append(density((errors / sizes)[unseen]) - np.log(mean.scale * sizes[unseen]))
        expected = mean.centre + mean.scale * mean.location(data, rows, solved)[:, 0]
        return LeftOut(self._fitted(data, rows, prepared, solved), np.concatenate(told), expected)

    def solve(self, data: ColumnData, rows: Rows, prepared: Prepared) -> Fitted:
        """The mean, its spread, and the mean once more: rows whose noise is large tell less about it."""
        return self._fitted(data, rows, prepared, self._weighted(data, rows, prepared))

    def _fitted(self, data: ColumnData, rows: Rows, prepared: Prepared, solved: Solution) -> Fitted:
        z, mean = data.z[rows], prepared.mean
        inputs = with_location(z, solved.predictor(z)[:, 0])
        spread = fit_spread(inputs, solved.residual, prepared.spread)
        sizes = spread(inputs)
        response = LocationScale(mean.centre, mean.scale, float(np.median(sizes)), spread)
        residual = mean.scale * solved.residual
        noise = response.noise(solved.predictor(z), z, mean.centre + mean.scale * solved.predictor(z)[:, 0] + residual)
        # What is large because its spread is tiny, as where a column is cut off, must not meet a large spread.
        farthest = _FARTHEST * np.abs(noise * sizes).max() / sizes.max()
        return Fitted(solved.predictor, response, np.clip(noise, -farthest, farthest)[:, None])

    def _weighted(self, data: ColumnData, rows: Rows, prepared: Prepared) -> Solution:
        """The mean, where each row counts by the spread that a regression with even weights leaves."""
        z = data.z[rows]
        even = prepared.mean.solve(data, rows)
        inputs = with_location(z, even.predictor(z)[:, 0])
        rough = fit_spread(inputs, even.residual, prepared.spread)
        return prepared.mean.solve(data, rows, 1 / np.square(rough(inputs)))
