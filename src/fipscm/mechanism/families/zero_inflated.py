"""Money, rainfall, claims: whether it is zero, and how much if not. Shapes: N rows, M functions."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.mechanism.data import ColumnData, Rows
from fipscm.mechanism.families.additive import AdditiveFamily, LogarithmFamily, Scaled
from fipscm.mechanism.families.discrete import LEVEL_VARIANCE, LINE_VARIANCE, fitted_levels, per_deviation
from fipscm.mechanism.families.family import Family, Fitted, logistic_quantiles
from fipscm.mechanism.families.newton import Design
from fipscm.mechanism.noise_distribution import EmpiricalNoise
from fipscm.mechanism.predictors.predictor import Predictor
from fipscm.mechanism.responses.zero_inflated import ZeroInflated

FEWEST_ZEROS, MOST_ZEROS = 0.05, 0.99  # share of the rows: otherwise it is no hurdle, or hardly a number
FEWEST_AMOUNTS = 30  # and as many distinct ones


def is_hurdle(rows: Array) -> Mask:
    """(D,), the columns of rows (N, D) that are zero or positive, often zero, and otherwise of many values."""
    zeros, amounts = (rows == 0).mean(axis=0), (rows > 0).sum(axis=0)
    often = (rows.min(axis=0) == 0) & (zeros >= FEWEST_ZEROS) & (zeros <= MOST_ZEROS) & (amounts >= FEWEST_AMOUNTS)
    various = np.array([len(np.unique(column[column > 0])) >= FEWEST_AMOUNTS for column in rows.T])
    return np.asarray(often & various)


class Prepared(NamedTuple):
    """The rows with an amount, and what is held about it in these."""

    amounts: ColumnData
    amount: Scaled


@dataclass(frozen=True)
class ZeroInflatedFamily(Family):
    """Logistic regression of whether there is an amount, and a regression of the amount on the same functions.

    Attributes:
        logarithm: whether the amount is modelled on its logarithm.
    """

    logarithm: bool = False
    response = "zero-inflated"

    @property
    def name(self) -> str:
        """In tables of what was tried."""
        return f"{super().name} {'logarithm' if self.logarithm else 'amount'}"

    def applies(self, data: ColumnData) -> bool:
        """Columns that are zero or positive, often zero, and otherwise of many values."""
        return bool(is_hurdle(data.values[:, None])[0]) and super().applies(data)

    def prepare(self, data: ColumnData) -> Prepared:
        """The prior of amounts, whose functions serve both halves."""
        own = data.values > 0
        causes, weights = data.causes[own], data.weights[own]
        amounts = replace(data, values=data.values[own], causes=causes, weights=weights, process=None)
        family = LogarithmFamily(self.predictor) if self.logarithm else AdditiveFamily(self.predictor)
        return Prepared(amounts, family.prepare(amounts))

    def solve(self, data: ColumnData, rows: Rows, prepared: Prepared) -> Fitted:
        """Both halves."""
        family = LogarithmFamily(self.predictor) if self.logarithm else AdditiveFamily(self.predictor)
        place = np.cumsum(data.values > 0) - 1
        of_amounts = place[rows[data.values[rows] > 0]]
        amount = family.solve(prepared.amounts, of_amounts, prepared.amount)
        prior = prepared.amount.prior
        variances = prior.variances(LEVEL_VARIANCE, LINE_VARIANCE, self._stretch(data))
        design = Design(prior.basis.functions(data.z[rows]), 1 / variances)
        any_amount = (data.values[rows] > 0).astype(np.float64)
        logits, thresholds = fitted_levels(design, any_amount, 2, data.weights[rows])
        logits[0] -= thresholds[0]  # the level is the first function
        predictor = Predictor(prior.basis, np.column_stack([amount.predictor.coefficients[:, 0], logits]))
        noises = EmpiricalNoise(np.sort(amount.noises, axis=0))
        response = ZeroInflated(amount.response, noises, float(prepared.amounts.values.min()), 1.0)
        location, z = predictor(data.z[rows]), data.z[rows]

        def mean(logit: Array) -> Array:
            return response.mean(np.column_stack([location[:, 0], logit[:, 0]]), z)

        stretch = per_deviation(mean, location[:, 1:], data.scale)
        return Fitted(predictor, replace(response, per_deviation=stretch), logistic_quantiles())

    def _stretch(self, data: ColumnData) -> float:
        share = float((data.values > 0).mean())
        return 1 / float(np.sqrt(share * (1 - share)))
