"""Levels, counts and categories, by penalised maximum likelihood. Shapes: N rows, M functions, L levels, K outputs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import optimize
from scipy.special import expit, log_softmax, logsumexp, softmax

from fipscm.arrays import Array
from fipscm.mechanism.data import ColumnData, Rows
from fipscm.mechanism.families.family import (
    PREDICTORS,
    Family,
    Fitted,
    gumbel_quantiles,
    logistic_quantiles,
)
from fipscm.mechanism.families.newton import FARTHEST, Design, newton
from fipscm.mechanism.predictors.basis import Basis
from fipscm.mechanism.predictors.predictor import Predictor
from fipscm.mechanism.predictors.priors import Prior, with_fewer_waves
from fipscm.mechanism.responses.categorical import Categorical
from fipscm.mechanism.responses.count import Count
from fipscm.mechanism.responses.cumulative import Cumulative
from fipscm.mechanism.responses.likelihoods import CountLikelihood, OrderedLikelihood, log_probability
from fipscm.mechanism.responses.response import Response

_WAVES, _WAVES_PER_INPUT = 256, 128  # a probability has less detail than a value
LEVEL_VARIANCE, LINE_VARIANCE = 100.0, 9.0  # of logits or logarithms, per standard deviation
HIGHEST_CURVE = 25.0  # prior variance of a curve, in logits
_ROUNDS = 4  # of thresholds and slopes, and of dispersion and slopes, in turn
_SETTLED = 1e-2  # of a threshold in logits, and of a dispersion: what changes less in a round moves no slope
CYCLES, NEWTON_PER_CYCLE = 6, 2  # through the levels of a category, each fitted beside the others
_HARDLY = 1e-4  # of the log-likelihood per row: a cycle that gains less is the last
BISECTIONS = 50
DISPERSIONS = (1e-4, 1e2)  # of counts
CLEARLY = 2.0  # a gain in the log-likelihood that a dispersion must have
FARTHEST_BELOW = np.log(10.0)  # a count's mean may lie below those of all rows by so much
_STEP = 1e-3  # of a difference, in logits or logarithms


class Known(NamedTuple):
    """Functions, and the variances of their coefficients on the scale of the location."""

    basis: Basis
    variances: Array


@dataclass(frozen=True)
class DiscreteFamily(Family):
    """What levels and counts have in common: the functions are fitted on a scale of their own."""

    def prepare(self, data: ColumnData) -> Known:
        """The functions that the column itself would have; of a category those of its most frequent level."""
        target = data.values if not data.levels else _indicators(data)[:, _most_frequent(data)]
        deviation = float(target.std()) or 1.0
        prior = PREDICTORS[self.predictor](data, (target - target.mean()) / deviation)
        prior = with_fewer_waves(prior, _WAVES, _WAVES_PER_INPUT)
        return Known(prior.basis, _on_its_scale(prior, self.stretch(target)))

    def stretch(self, target: Array) -> float:
        """How far the location moves for one standard deviation of the column (N,), roughly."""
        share = float(np.clip((target - target.min()).mean() / max(float(np.ptp(target)), 1e-12), 0.01, 0.99))
        return 1 / float(np.sqrt(share * (1 - share)))

    def design(self, data: ColumnData, rows: Rows, prepared: Known) -> Design:
        """The functions at some rows."""
        return Design(prepared.basis.functions(data.z[rows]), 1 / prepared.variances)


@dataclass(frozen=True)
class CumulativeFamily(DiscreteFamily):
    """Binary and ordinal columns."""

    response = "cumulative"

    def solve(self, data: ColumnData, rows: Rows, prepared: Known) -> Fitted:
        """Thresholds and slopes in turn; of two levels the intercept alone tells the threshold."""
        design, weights = self.design(data, rows, prepared), data.weights[rows]
        levels = np.unique(data.values)
        places = np.searchsorted(levels, data.values[rows]).astype(np.float64)
        coefficients, thresholds = fitted_levels(design, places, len(levels), weights)
        location, nothing = design.location(coefficients)[:, None], data.z[rows]
        response = Cumulative(levels, thresholds, 1.0)
        stretch = per_deviation(lambda at: response.mean(at, nothing), location, float(data.values.std()))
        predictor = Predictor(prepared.basis, coefficients[:, None])
        return Fitted(predictor, replace(response, per_deviation=stretch), logistic_quantiles())


@dataclass(frozen=True)
class CountFamily(DiscreteFamily):
    """Counts: Poisson, or negative binomial where these rows clearly prefer it."""

    response = "count"

    def stretch(self, target: Array) -> float:
        """A logarithm moves by the coefficient of variation."""
        return float(target.std() / max(float(target.mean()), 1 / len(target)))

    def solve(self, data: ColumnData, rows: Rows, prepared: Known) -> Fitted:
        """The dispersion and the slopes in turn."""
        design, weights = self.design(data, rows, prepared), data.weights[rows]
        counts = np.round(data.values[rows])
        start = design.start()
        start[0] = np.log(max(counts.mean(), 1 / len(counts)))
        coefficients, dispersion = newton(design, CountLikelihood(counts), start, weights), 0.0
        dispersed, found = _dispersed(design, counts, coefficients, weights)
        gain = log_probability(counts, np.exp(design.location(dispersed)), found)
        gain -= log_probability(counts, np.exp(design.location(coefficients)), 0.0)
        if weights @ gain > CLEARLY:
            coefficients, dispersion = dispersed, found
        location = design.location(coefficients)[:, None]
        lowest = float(min(location.min(), np.log(1 / len(counts))) - FARTHEST_BELOW)
        most = float(2.0 ** np.ceil(np.log2(100 * data.values.max() + 100)) - 1)
        response = Count(dispersion, lowest, float(location.max()), most, 1.0)
        stretch = per_deviation(lambda at: response.mean(at, data.z[rows]), location, float(data.values.std()))
        predictor = Predictor(prepared.basis, coefficients[:, None])
        return Fitted(predictor, replace(response, per_deviation=stretch), logistic_quantiles())


@dataclass(frozen=True)
class CategoricalFamily(DiscreteFamily):
    """Categories: a location for each level."""

    response = "categorical"

    def solve(self, data: ColumnData, rows: Rows, prepared: Known) -> Fitted:
        """The levels in turn: given the scores of the others, that of one level is a logistic regression."""
        design, weights, chosen = self.design(data, rows, prepared), data.weights[rows], _indicators(data)[rows]
        coefficients = np.zeros((data.levels, len(design.penalties)))
        coefficients[:, 0] = np.log(chosen.sum(axis=0) + 1) - np.log(len(chosen))
        scores = np.column_stack([design.location(each) for each in coefficients])
        zero, reached = np.zeros(1), -np.inf
        for _ in range(CYCLES):
            before, reached = reached, float((log_softmax(scores, axis=1) * chosen).sum(axis=1).mean())
            if reached - before < _HARDLY:
                break
            for level in range(data.levels):
                others = logsumexp(np.delete(scores, level, axis=1), axis=1)
                likelihood = OrderedLikelihood(chosen[:, level], zero, -others)
                coefficients[level] = newton(design, likelihood, coefficients[level], weights, NEWTON_PER_CYCLE)
                scores[:, level] = design.location(coefficients[level])
        shares = softmax(scores, axis=1)
        deviation = np.maximum(chosen.std(axis=0), 1e-3)
        steepness = np.maximum((shares * (1 - shares)).mean(axis=0), 1e-3 * np.square(deviation))
        response: Response = Categorical(deviation / steepness)
        return Fitted(Predictor(prepared.basis, coefficients.T), response, gumbel_quantiles(data.levels))


def fitted_levels(design: Design, places: Array, levels: int, weights: Array) -> tuple[Array, Array]:
    """(M,) coefficients and (L - 1,) thresholds of levels at places (N,)."""
    coefficients = design.start()
    thresholds = _thresholds(design.location(coefficients), places, levels)
    for _ in range(_ROUNDS):
        coefficients = newton(design, OrderedLikelihood(places, thresholds), coefficients, weights)
        if levels == 2:
            break
        before, thresholds = thresholds, _thresholds(design.location(coefficients), places, levels)
        if np.abs(thresholds - before).max() < _SETTLED:
            break
    return coefficients, thresholds


def per_deviation(mean: Callable[[Array], Array], location: Array, scale: float) -> float:
    """How far the location moves for one standard deviation of the column, on average over rows (N, K)."""
    slope = (mean(location + _STEP) - mean(location - _STEP)).mean() / (2 * _STEP)
    return float(scale / max(float(slope), 1e-3 * scale, 1e-12))


def _on_its_scale(prior: Prior, stretch: float) -> Array:
    """(M,) prior variances, where the location moves by `stretch` for a standard deviation of the column."""
    variances = prior.variances(LEVEL_VARIANCE, LINE_VARIANCE, stretch)
    if prior.process is None:
        return variances
    most = HIGHEST_CURVE / prior.process.signal * prior.curve
    return np.where(prior.basis.parts_of_functions == 2, np.minimum(variances, most), variances)


def _thresholds(location: Array, places: Array, levels: int) -> Array:
    """(L - 1,) thresholds with which, on average over the rows, each level is as probable as it is frequent."""
    counts = np.bincount(places.astype(np.intp), minlength=levels) + 1 / levels  # a level may be missing in some rows
    shares = np.cumsum(counts)[:-1] / counts.sum()
    low: Array = np.full(levels - 1, location.min() - FARTHEST)
    high: Array = np.full(levels - 1, location.max() + FARTHEST)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        enough = expit(middle - location[:, None]).mean(axis=0) >= shares
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray((low + high) / 2)


def _dispersed(design: Design, counts: Array, coefficients: Array, weights: Array) -> tuple[Array, float]:
    """Dispersion and slopes in turn, from coefficients (M,) of Poisson's distribution."""
    dispersion = 0.0
    for _ in range(_ROUNDS):
        mean = np.exp(design.location(coefficients))
        before, dispersion = dispersion, _dispersion_of(counts, mean, weights)
        coefficients = newton(design, CountLikelihood(counts, dispersion), coefficients, weights)
        if abs(dispersion - before) < _SETTLED * dispersion:
            break
    return coefficients, dispersion


def _dispersion_of(counts: Array, mean: Array, weights: Array) -> float:
    """The most likely dispersion of counts (N,) about their means (N,)."""
    found = optimize.minimize_scalar(
        lambda log: -float(weights @ log_probability(counts, mean, float(np.exp(log)))),
        bounds=np.log(DISPERSIONS),
        method="bounded",
    )
    return float(np.exp(found.x))


def _indicators(data: ColumnData) -> Array:
    """(N, L)."""
    return np.asarray(data.values[:, None] == np.arange(data.levels), dtype=np.float64)


def _most_frequent(data: ColumnData) -> int:
    return int(np.bincount(data.values.astype(np.intp), minlength=data.levels).argmax())
