"""Money, rainfall, claims: whether it is zero, and how much if not (a hurdle model). Shapes: N rows, M amounts."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import expit, log_expit

from fipscm.arrays import Array
from fipscm.mechanism.noise_distribution import NARROWEST, TINY, EmpiricalNoise, TabulatedDensity
from fipscm.mechanism.responses.additive import Additive
from fipscm.mechanism.responses.likelihoods import OrderedLikelihood
from fipscm.mechanism.responses.logarithm import Logarithm
from fipscm.mechanism.responses.logistic import noise_between
from fipscm.mechanism.responses.response import LogDensity, Response
from fipscm.mechanism.responses.working import Working, working_values

EDGE = 1e-9  # no level of an amount is lower: a computer could not tell it from that of a zero


@dataclass(frozen=True)
class ZeroInflated(Response):
    """Zero below a threshold of the noise; above it an amount that rises with what is left of the noise.

    The first output is the location of the amount, the second the logit of there being any.

    Attributes:
        amount: how the amount answers to its location and its own noise.
        noises: of the amounts.
        least: no amount is smaller.
        per_deviation: how far the second output moves for one standard deviation of the column.
    """

    amount: Response
    noises: EmpiricalNoise
    least: float
    per_deviation: float
    kind = "zero-inflated"
    discrete = True
    parts: ClassVar = {
        "amount": {Additive.kind: Additive, Logarithm.kind: Logarithm},
        "noises": {EmpiricalNoise.kind: EmpiricalNoise},
    }

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """Zero, or the amount at the level that the noise has among those that are not zero."""
        above = np.clip(expit(-noise) / np.maximum(expit(location[:, 1]), TINY), TINY, 1.0)[:, None]
        amount = self.amount.value(location[:, :1], z, self.noises.quantile(np.maximum(1 - above, EDGE), above)[:, 0])
        return np.where(noise <= -location[:, 1], 0.0, np.maximum(amount, self.least))

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """Of a zero one below the threshold; of an amount the one with its level."""
        logit, own = location[:, 1], self.amount.noise(location[:, :1], z, np.maximum(values, self.least))
        level, above = (share[:, 0] for share in self.noises.shares(own[:, None]))
        # Shares near one are known less precisely than those near zero.
        of_amount = np.log(expit(-logit) + expit(logit) * np.maximum(level, EDGE))
        of_amount -= log_expit(logit) + np.log(np.maximum(above, TINY))
        return np.where(values > 0, of_amount, noise_between(np.full(len(values), -np.inf), -logit, rng))

    def mean(self, location: Array, z: Array) -> Array:
        """The probability of an amount times its mean."""
        return np.asarray(expit(location[:, 1]) * np.maximum(self.amount.mean(location[:, :1], z), self.least))

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """The log-probability of a zero, or that of an amount and the log-density of that."""
        amounts = np.maximum(values, self.least)
        density = self.amount.log_density(location[:, :1], z, amounts, self._density)
        return np.where(values > 0, log_expit(location[:, 1]) + density, log_expit(-location[:, 1]))

    def working(self, location: Array, z: Array, values: Array) -> list[Working]:
        """An amount measures its location, and every row the logit."""
        some = (values > 0).astype(np.float64)
        (amount,) = self.amount.working(location[:, :1], z, np.maximum(values, self.least))
        likelihood = OrderedLikelihood(some, np.zeros(1))
        return [amount._replace(precision=some), working_values(likelihood, location[:, 1], self.per_deviation)]

    def steepness(self, location: Array) -> Array:
        """That of the amount; the logit goes on as a line."""
        return np.column_stack([self.amount.steepness(location[:, :1]), np.ones(len(location))])

    def continued(self, location: Array, rise: Array) -> Array:
        """The amount goes on along its tangent, and so does the logit."""
        amount = self.amount.continued(location[:, :1], rise[:, :1])
        return np.column_stack([amount, location[:, 1] + rise[:, 1]])

    @property
    def stretch(self) -> Array:
        """(2,)."""
        return np.array([1.0, self.per_deviation])

    @property
    def span(self) -> tuple[float, float]:
        """Not below zero."""
        return 0.0, np.inf

    @cached_property
    def _density(self) -> TabulatedDensity:
        known = self.noises.ordered[:, 0]
        return TabulatedDensity.of(known, NARROWEST * max(float(known.std()), NARROWEST))
