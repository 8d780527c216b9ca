"""The law of one column given its causes: x = response(predictor(causes), noise).

Shapes: N rows, P causes, F inputs, K outputs of the predictor, W noises, M noises that were observed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from fipscm.arrays import Array, Order
from fipscm.mechanism.inputs import Inputs
from fipscm.mechanism.noise_distribution import NARROWEST, EmpiricalNoise, TabulatedDensity
from fipscm.mechanism.parts import Part
from fipscm.mechanism.predictors.predictor import Predictor
from fipscm.mechanism.responses.kinds import RESPONSES
from fipscm.mechanism.responses.response import Response

DIFFERENCE = 1e-3  # of slopes, in standard deviations of a cause
REFERENCE_ROWS = 2_000  # enough for the average of a derivative


class Situation(NamedTuple):
    """What the causes of some rows say: locations (N, K), and the standardized inputs (N, F) behind them."""

    location: Array
    z: Array


@dataclass(frozen=True)
class Evidence(Part):
    """What a mechanism rests on, and how it does on rows that it has not seen.

    Attributes:
        centre: mean and
        scale: standard deviation of the column.
        low: the lowest and
        high: the highest value of the column.
        rows: how many tell about it.
        r2: the share of the variance of unseen rows that the causes explain.
        log_likelihood: mean log-density of unseen rows given their causes.
        noise_gain: by how much its kind of noise raises that over additive noise; NaN where no other kind was tried.
        weights: (P,) average slope of the mean in each cause, in the columns' units; of a category the largest
            difference that one level makes.
        derivatives: (P,) mean absolute slope, in standard deviations.
    """

    centre: float
    scale: float
    low: float
    high: float
    rows: int
    r2: float
    log_likelihood: float
    noise_gain: float
    weights: Array
    derivatives: Array
    kind = "evidence"


@dataclass(frozen=True)
class Mechanism(Part):
    """The law of one column given its causes.

    Attributes:
        inputs: which causes are read, and how.
        predictor: what they say.
        response: how that and the noise make a value.
        noise_law: the distribution of the noise; of a category, of one noise for each level.
        evidence: what all of it rests on.
    """

    inputs: Inputs
    predictor: Predictor
    response: Response
    noise_law: EmpiricalNoise
    evidence: Evidence
    parts: ClassVar = {
        "inputs": {Inputs.kind: Inputs},
        "predictor": {Predictor.kind: Predictor},
        "response": RESPONSES,
        "noise_law": {EmpiricalNoise.kind: EmpiricalNoise},
        "evidence": {Evidence.kind: Evidence},
    }

    @property
    def causes(self) -> Order:
        """(P,) positions among the columns of the table."""
        return self.inputs.causes

    @property
    def acts_on(self) -> list[str]:
        """(P,), what of the column each cause moves: "mean", "spread" or "mean and spread"."""
        parts = {
            "mean": set(self.predictor.reads.tolist()),
            "spread": set(self.response.spread_reads.tolist()),
        }
        owners = self.inputs.owners
        return [
            " and ".join(part for part, reads in parts.items() if reads & set(np.flatnonzero(owners == cause).tolist()))
            for cause in range(len(self.causes))
        ]

    def at(self, causes: Array) -> Situation:
        """What causes (N, P) say; beyond the rows along the tangent of the mean."""
        z = self.inputs(causes)
        return Situation(self.location(z), self.inputs.range.nearest(z))

    def location(self, z: Array) -> Array:
        """(N, F) -> (N, K)."""
        at_nearest = self.predictor(self.inputs.range.nearest(z))
        rise = self.inputs.range.rise(z, self.predictor, self.response.steepness, self.predictor.is_curved)
        return self.response.continued(at_nearest, rise)

    def value(self, causes: Array, noise: Array) -> Array:
        """(N, P), (N,) or (N, W) -> (N,)."""
        return self.response.value(*self.at(causes), noise)

    def noise(self, causes: Array, value: Array, rng: np.random.Generator | None = None) -> Array:
        """(N, P), (N,) -> (N,) or (N, W): exact, or where a value leaves several open drawn, or their median."""
        return self.response.noise(*self.at(causes), value, rng)

    def mean(self, causes: Array) -> Array:
        """(N, P) -> (N,), of a category the probabilities of its levels (N, W)."""
        return self.response.mean(*self.at(causes))

    def log_density(self, causes: Array, value: Array) -> Array:
        """(N, P), (N,) -> (N,), in the units of the column; of levels and counts log-probabilities."""
        return self.response.log_density(*self.at(causes), value, self.density)

    def slopes(self, causes: Array) -> Array:
        """(N, P), derivatives of the mean in the columns' units.

        Of a cause with levels, and of a category, the difference that is largest among the levels.
        """
        found = np.zeros(np.shape(causes))
        for place, count in enumerate(self.inputs.levels):
            if count:
                means = np.stack([self._means(_with(causes, place, level)) for level in range(count)])
                found[:, place] = np.ptp(means, axis=0).max(axis=1)
                continue
            step = DIFFERENCE * self._cause_scale(place)
            above, below = (self._means(_with(causes, place, causes[:, place] + sign * step)) for sign in (1, -1))
            slopes = (above - below) / (2 * step)
            found[:, place] = np.take_along_axis(slopes, np.abs(slopes).argmax(axis=1)[:, None], axis=1)[:, 0]
        return found

    @cached_property
    def density(self) -> TabulatedDensity:
        """Of the noises."""
        return TabulatedDensity.of(self.noise_law.ordered[:, 0], NARROWEST * self.evidence.scale)

    @property
    def width(self) -> int:
        """How many noises it has."""
        return self.noise_law.ordered.shape[1]

    def describe(self) -> Mapping[str, Any]:
        """Shape, kind of noise, and what it rests on, by name."""
        known = self.evidence
        return {
            "shape": self.predictor.shape,
            "noise": self.response.kind,
            "noise_gain": known.noise_gain,
            "r2_held_out": known.r2,
            "log_likelihood_held_out": known.log_likelihood,
            "rows": known.rows,
            "low": np.nan if self.response.is_category else known.low,
            "high": np.nan if self.response.is_category else known.high,
        }

    def _means(self, causes: Array) -> Array:
        mean = self.mean(causes)
        return mean if mean.ndim == 2 else mean[:, None]

    def _cause_scale(self, place: int) -> float:
        return float(self.inputs.scale[self.inputs.owners == place][0])


def _with(causes: Array, place: int, values: Array | float) -> Array:
    """The rows (N, P), with other values of one cause."""
    changed = np.array(causes, dtype=np.float64)
    changed[:, place] = values
    return changed
