"""Penalised maximum likelihood on another scale: logits of levels, logarithms of counts. Shapes: N rows, M functions.

location = functions @ coefficients, with a normal prior on the coefficients. The posterior mode is found by a few
Newton steps: each solves least squares with the weights and the working values of the step before. The prior keeps it
finite where levels are perfectly separated.
"""

from typing import NamedTuple

import numpy as np
from scipy import linalg

from fipscm.arrays import Array
from fipscm.factorisation import lower_factor
from fipscm.mechanism.responses.response import Likelihood

_STEPS, HALVINGS = 8, 4  # of Newton's method, and of a step that went too far
_SETTLED = 1e-6  # of the log-likelihood per row: a step that gains less is the last
FARTHEST = 30.0  # a location beyond says no more
HARDLY_OTHER = 0.1  # share of the weights that changes: each step still leaves about a tenth of the way
_LEAST_WEIGHT = 1e-6  # of a row: one that is surely told already


class Design(NamedTuple):
    """Functions (N, M) of the causes of rows, and (M,) the inverse prior variances of their coefficients."""

    functions: Array
    penalties: Array

    def start(self) -> Array:
        """(M,) coefficients of a location that is zero everywhere."""
        return np.zeros(self.penalties.shape)

    def location(self, coefficients: Array) -> Array:
        """(M,) -> (N,)."""
        return np.asarray(np.clip(self.functions @ coefficients, -FARTHEST, FARTHEST))


def newton(design: Design, likelihood: Likelihood, start: Array, weights: Array, steps: int = _STEPS) -> Array:
    """(M,) coefficients near those that are most probable, with rows that count by their weights (N,)."""

    def objective(coefficients: Array) -> float:
        prior = 0.5 * float(design.penalties @ np.square(coefficients))
        return float(weights @ likelihood.log(design.location(coefficients))) - prior

    current, height = start, objective(start)
    factored: Array = np.zeros(len(design.functions))
    factor: Array = np.zeros((0, 0))
    for _ in range(steps):
        slope, curvature = (weights * each for each in likelihood.slope_and_weight(design.location(current)))
        curvature = np.maximum(curvature, _LEAST_WEIGHT)
        # To factor takes nearly all of the time. With weights that are hardly others, a step goes nearly as far.
        if np.abs(curvature - factored).sum() > HARDLY_OTHER * factored.sum():
            gram = (design.functions * curvature[:, None]).T @ design.functions
            gram.flat[:: len(gram) + 1] += design.penalties
            factored, factor = curvature, lower_factor(gram)
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
        if gain < _SETTLED * len(slope):
            break
    return np.asarray(current)
