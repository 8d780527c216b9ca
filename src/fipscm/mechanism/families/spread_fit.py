"""How far noise spreads, learned from residuals. Shapes: N rows, F + 1 inputs: those of the column, and its location.

The logarithm of the spread has the same parts as a mean: a level, a line and waves. It is fitted by the likelihood of
normal noise, one regression per step of Fisher scoring: the information about the logarithm of a spread is the same
in every row, so that all steps share one factorisation. A row counts as three standard deviations at most: neither
heavy tails nor a few outliers decide, and with noise of any law the shape found is the true one.
"""

from dataclasses import replace

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.predictors.basis import LEVEL, Lines
from fipscm.mechanism.predictors.fourier import fourier_features
from fipscm.mechanism.predictors.gaussian_process import Process, is_curved, learn_process
from fipscm.mechanism.predictors.predictor import Predictor
from fipscm.mechanism.predictors.priors import LEVEL_VARIANCE, Prior
from fipscm.mechanism.predictors.ridge import Ridge
from fipscm.mechanism.responses.spread import Spread

MIDDLE = 0.4  # inverse length scale to begin with: neither a line nor rough
_WAVES, _WAVES_PER_INPUT = 512, 128  # half of those of a mean: squares of noises tell less than their sum
SMALLEST_SHARE = 0.05  # of the residuals: the logarithms of those nearest to zero say nothing but that they are small
_FARTHEST = 3.0  # standard deviations that a row counts at most
_STEPS, _SETTLED = 12, 2e-2  # of Fisher scoring; the last one changes no logarithm by more
INFORMATION = 2.0  # of one row about the logarithm of its spread
_NARROWEST = 1e-3  # of the average spread


def spread_prior(inputs: Array, residual: Array) -> Prior:
    """What is held about the logarithm of a spread, given inputs (N, F + 1) and residuals (N,) in random order."""
    log = _logarithms(residual)
    unit = max(float(log.std()), 1e-12)
    y, reads = (log - log.mean()) / unit, np.arange(inputs.shape[1])
    start = Process(np.full(len(reads), MIDDLE), 0.5, 0.5, -np.inf)  # one will do: most of it is noise
    process = learn_process(inputs, y, start)
    if not is_curved(process, inputs, y):
        return Prior(Lines(reads), 1 / INFORMATION, 1.0)
    known = replace(process, signal=process.signal * unit**2, noise=1 / INFORMATION)
    basis = fourier_features(known, reads, _WAVES, _WAVES_PER_INPUT)
    return Prior(basis, known.noise, 1.0, 2 * known.signal / len(basis.phases), known)


def fit_spread(inputs: Array, residual: Array, prior: Prior) -> Spread:
    """The spread that makes residuals (N,) of mean zero most likely, given inputs (N, F + 1)."""
    ridge = Ridge(prior.basis, inputs, prior.noise / prior.variances(LEVEL_VARIANCE, prior.line, 1.0))
    coefficients = ridge.coefficients(_logarithms(residual))
    log = ridge.predict(coefficients)
    for _ in range(_STEPS):
        squares = np.square(np.minimum(np.abs(residual) * np.exp(-log), _FARTHEST))
        coefficients = ridge.coefficients(log + (squares - 1) / INFORMATION)
        before, log = log, ridge.predict(coefficients)
        if np.abs(log - before).max() < _SETTLED:
            break
    level = float(np.log(np.square(np.exp(log - log.max())).mean()) / 2 + log.max())
    bounds = max(float(log.min()) - level, float(np.log(_NARROWEST))), float(log.max()) - level
    centred = coefficients - level * (prior.basis.parts_of_functions == LEVEL)
    return Spread(Predictor(prior.basis, centred[:, None]), inputs.min(axis=0), inputs.max(axis=0), *bounds)


def _logarithms(residual: Array) -> Array:
    """(N,), of the absolute residuals: the logarithm of the spread, and noise."""
    size = np.abs(residual)
    small, large = np.quantile(size, [SMALLEST_SHARE, 1 - SMALLEST_SHARE])
    return np.asarray(np.log(np.maximum(size, max(small, _NARROWEST * large, 1e-300))))
