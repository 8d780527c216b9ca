"""Post-nonlinear columns: an increasing curve on whose scale causes and noise add up. Shapes: N rows, K knots.

The curve is learned by maximum likelihood, as the power of Box and Cox 1964 is: what the causes leave of the
transformed column is to be small, compared with how far the curve is stretched where the rows are.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import optimize, special

from fipscm.arrays import Array
from fipscm.mechanism.data import ColumnData, Rows
from fipscm.mechanism.families.additive import Scaled, Solution
from fipscm.mechanism.families.family import Family, Fitted, LeftOut
from fipscm.mechanism.predictors.fourier import fourier_features
from fipscm.mechanism.predictors.gaussian_process import learn_process
from fipscm.mechanism.predictors.priors import LEVEL_VARIANCE, Prior
from fipscm.mechanism.predictors.ridge import Ridge
from fipscm.mechanism.responses.monotone_curve import MonotoneCurve
from fipscm.mechanism.responses.post_nonlinear import PostNonlinear

KNOTS, OUTERMOST = 16, 2.9  # normal quantiles from minus to plus this: one row in 500 lies beyond either end
CURVATURE = 0.3  # standard deviation a priori of how far a logarithm of a slope lies from the line of its neighbours
_STEEPEST = 10.0  # logarithm of a slope, and of its inverse, compared with that at other knots
_ROUNDS, _STEPS = 3, 200  # of learning the curve with the smoothness of its causes, and of each optimization
_WAVES, _WAVES_PER_INPUT = 512, 128  # half of those of a mean
_FEWEST_ROWS = 400  # that the slopes need
NOISES = 200  # that stand for all of them in a mean


class Prepared(NamedTuple):
    """The curve, and the regression on its scale."""

    curve: MonotoneCurve
    mean: Scaled


@dataclass(frozen=True)
class PostNonlinearFamily(Family):
    """curve(x) = f(causes) + noise."""

    response = "post-nonlinear"

    def applies(self, data: ColumnData) -> bool:
        """Where rows are enough, and no value is so frequent that two knots would fall on it."""
        has_rows = len(data.values) >= _FEWEST_ROWS and bool((np.diff(_knots(data.values)) > 0).all())
        return has_rows and super().applies(data)

    def prepare(self, data: ColumnData) -> Prepared:
        """The curve, and the prior of the transformed column."""
        curve = learn_curve(data.read[data.first_rows], data.values[data.first_rows])
        return Prepared(curve, Scaled.of(data, curve(data.values), self.predictor))

    def left_out(self, data: ColumnData, prepared: Prepared) -> LeftOut:
        """By the leverage of each row, in the units of the column."""
        rows, mean = data.first_rows, prepared.mean
        solved = mean.solve(data, rows)
        slopes = prepared.curve.slope(data.values[data.unseen])
        response = PostNonlinear(mean.centre, mean.scale, prepared.curve, _typical(mean.scale * solved.left_out))
        expected = response.mean(mean.location(data, rows, solved), data.z[data.unseen])
        log_densities = mean.log_densities(data, rows, solved) + np.log(slopes)
        return LeftOut(self._fitted(prepared, solved), log_densities, expected)

    def solve(self, data: ColumnData, rows: Rows, prepared: Prepared) -> Fitted:
        """Ridge regression of the transformed column."""
        return self._fitted(prepared, prepared.mean.solve(data, rows))

    def _fitted(self, prepared: Prepared, solved: Solution) -> Fitted:
        mean = prepared.mean
        noise = mean.scale * solved.residual
        response = PostNonlinear(mean.centre, mean.scale, prepared.curve, _typical(noise))
        return Fitted(solved.predictor, response, noise[:, None])


def learn_curve(z: Array, values: Array) -> MonotoneCurve:
    """The curve on which inputs (N, F) leave the most likely noises of a column (N,), taken as normal."""
    knots = _knots(values)
    slopes: Array = np.ones(KNOTS)
    process = None
    # A curve is a sum of one curve for each knot, times its slope there.
    parts = np.column_stack([MonotoneCurve(knots, one)(values) for one in np.eye(KNOTS)])
    parts -= parts.mean(axis=0)
    stretches = np.column_stack([MonotoneCurve(knots, one).slope(values) for one in np.eye(KNOTS)])
    for _ in range(_ROUNDS):
        transformed = parts @ slopes
        process = learn_process(z, transformed / transformed.std(), process)
        basis = fourier_features(process, np.arange(z.shape[1]), _WAVES, _WAVES_PER_INPUT)
        prior = Prior(basis, process.noise, 1.0, 2 * process.signal / len(basis.phases))
        ridge = Ridge(basis, z, prior.noise / prior.variances(LEVEL_VARIANCE, prior.line, 1.0))
        left = np.column_stack([part - ridge.predict(ridge.coefficients(part)) for part in parts.T])
        slopes = _likeliest(stretches, parts.T @ left / len(values), slopes)
    return MonotoneCurve(knots, slopes, positive=bool(values.min() > 0))


def _typical(noise: Array) -> Array:
    return np.asarray(np.quantile(noise, (np.arange(NOISES) + 0.5) / NOISES))


def _knots(values: Array) -> Array:
    return np.asarray(np.quantile(values, special.ndtr(np.linspace(-OUTERMOST, OUTERMOST, KNOTS))))


def _likeliest(stretches: Array, left: Array, start: Array) -> Array:
    """(K,) slopes with the largest likelihood, whose variance has been maximized out.

    stretches: (N, K) how far each knot's slope stretches the curve at each row; left: (K, K) covariance of what the
    causes leave. A priori, neighbouring logarithms of slopes are alike, within a standard deviation of one, and each
    lies near the line of its neighbours.
    """
    rows, every = len(stretches), np.eye(len(start))
    expected = np.vstack([np.diff(every, axis=0), np.diff(every, 2, axis=0) / CURVATURE])
    stiffness = expected.T @ expected / rows

    def loss(logs: Array) -> tuple[float, Array]:
        slopes = np.exp(logs)
        stretch, pull, stiff = stretches @ slopes, left @ slopes, stiffness @ logs
        variance = float(slopes @ pull)
        loss = 0.5 * np.log(variance) - np.log(stretch).mean() + 0.5 * float(logs @ stiff)
        return float(loss), slopes * (pull / variance - (1 / stretch) @ stretches / rows) + stiff

    bounds = [(-_STEEPEST, _STEEPEST)] * len(start)
    options = {"maxiter": _STEPS}
    found = optimize.minimize(loss, np.log(start), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(np.exp(found.x - found.x.mean()))
