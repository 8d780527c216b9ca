"""Regressions on a scale of their own: logits of levels, logarithms of counts. Shapes: N rows, F functions, K levels.

location = functions @ coefficients, with a normal prior on the coefficients. The posterior mode is found by a few
Newton steps: each solves least squares with the weights and the working values of the step before. The prior keeps it
finite where levels are perfectly separated.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy import linalg, optimize
from scipy.special import expit

from fipscm.arrays import Array
from fipscm.factorisation import lower_factor
from fipscm.mechanism.response.count import log_probability
from fipscm.mechanism.response.logistic import log_probability_between

STEPS = 8  # of Newton's method, which doubles the number of right digits in each
HALVINGS = 4  # of a step that went too far
SETTLED = 1e-6  # of the log-likelihood per row: a step that gains less is the last
STEEPEST = 25.0  # prior variance of a curve, at most
FARTHEST = 30.0  # a location beyond says no more
HARDLY_OTHER = 0.1  # share of the weights that changes: each step still leaves about a tenth of the way
LEAST_WEIGHT = 1e-6  # of a row: one that is surely told already
DISPERSIONS = (1e-4, 1e2)  # of counts
BISECTIONS = 50


class Likelihood(Protocol):
    """What rows say about their locations."""

    def log(self, location: Array) -> Array:
        """(N,) -> (N,) log-likelihoods."""
        ...

    def slope_and_weight(self, location: Array) -> tuple[Array, Array]:
        """(N,) -> (N,), (N,), their first derivatives, and minus the second ones, which are positive."""
        ...


@dataclass(frozen=True)
class OrderedLikelihood:
    """Of levels between thresholds: (N,) places of the levels, (K - 1,) thresholds, and (N,) what is added."""

    places: Array
    thresholds: Array
    offset: Array | float = 0.0

    def log(self, location: Array) -> Array:
        """The probability between the thresholds on both sides."""
        return log_probability_between(*self._ends(location))

    def slope_and_weight(self, location: Array) -> tuple[Array, Array]:
        """Both follow from the shares below the two thresholds."""
        low, high = (expit(end) for end in self._ends(location))
        return low + high - 1, low * (1 - low) + high * (1 - high)

    def _ends(self, location: Array) -> tuple[Array, Array]:
        ends, place = np.concatenate([[-np.inf], self.thresholds, [np.inf]]), self.places.astype(np.intp)
        return ends[place] - location - self.offset, ends[place + 1] - location - self.offset


@dataclass(frozen=True)
class CountLikelihood:
    """Of counts (N,), Poisson or with a dispersion."""

    counts: Array
    dispersion: float = 0.0

    def log(self, location: Array) -> Array:
        """The probability of the counts."""
        return log_probability(self.counts, np.exp(location), self.dispersion)

    def slope_and_weight(self, location: Array) -> tuple[Array, Array]:
        """The weight is the expected one."""
        mean = np.exp(location)
        return (self.counts - mean) / (1 + self.dispersion * mean), mean / (1 + self.dispersion * mean)


class Design(NamedTuple):
    """Functions (N, F) of the causes of rows, and (F,) the inverse prior variances of their coefficients."""

    functions: Array
    penalties: Array

    def part(self, rows: slice) -> "Design":
        """On some of the rows."""
        return Design(self.functions[rows], self.penalties)

    def start(self) -> Array:
        """(F,) coefficients of a location that is zero everywhere."""
        return np.zeros(self.penalties.shape)

    def location(self, coefficients: Array) -> Array:
        """(F,) -> (N,)."""
        return np.asarray(np.clip(self.functions @ coefficients, -FARTHEST, FARTHEST))


def newton(design: Design, likelihood: Likelihood, start: Array, steps: int = STEPS) -> Array:
    """(F,) coefficients near those that are most probable."""

    def objective(coefficients: Array) -> float:
        prior = 0.5 * float(design.penalties @ np.square(coefficients))
        return float(likelihood.log(design.location(coefficients)).sum()) - prior

    current, height = start, objective(start)
    factored: Array = np.zeros(len(design.functions))
    factor: Array = np.zeros((0, 0))
    for _ in range(steps):
        slope, weight = likelihood.slope_and_weight(design.location(current))
        weight = np.maximum(weight, LEAST_WEIGHT)
        # To factor takes nearly all of the time. With weights that are hardly others, a step goes nearly as far.
        if np.abs(weight - factored).sum() > HARDLY_OTHER * factored.sum():
            gram = (design.functions * weight[:, None]).T @ design.functions
            gram.flat[:: len(gram) + 1] += design.penalties
            factored, factor = weight, lower_factor(gram)
        uphill = design.functions.T @ slope - design.penalties * current
        step = linalg.cho_solve((factor, True), uphill, check_finite=False)
        for _ in range(HALVINGS):
            reached = objective(current + step)
            if reached > height:
                break
            step = step / 2
        gain = reached - height
        if gain > 0:
            current, height = current + step, reached
        if gain < SETTLED * len(slope):
            break
    return np.asarray(current)


def thresholds_for(location: Array, places: Array, levels: int) -> Array:
    """(K - 1,) thresholds with which, on average over the rows, each level is as probable as it is frequent."""
    shares = np.cumsum(np.bincount(places.astype(np.intp), minlength=levels))[:-1] / len(places)
    low: Array = np.full(levels - 1, location.min() - FARTHEST)
    high: Array = np.full(levels - 1, location.max() + FARTHEST)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        enough = expit(middle - location[:, None]).mean(axis=0) >= shares
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray((low + high) / 2)


def dispersion_of(counts: Array, mean: Array) -> float:
    """The most likely dispersion of counts (N,) about their means (N,)."""
    found = optimize.minimize_scalar(
        lambda log: -log_probability(counts, mean, float(np.exp(log))).sum(),
        bounds=np.log(DISPERSIONS),
        method="bounded",
    )
    return float(np.exp(found.x))
