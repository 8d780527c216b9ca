"""What a column of levels or counts says about its location. Shapes: N rows.

Near the learned location a level or a count says as much as a measurement of the location would, with the value
location + slope / weight and the variance 1 / weight, where slope and weight are the derivatives of the log-likelihood:
these are the working values of Newton's method. A row that was surely going to have its level measures next to nothing.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from fipscm.arrays import Array
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.regression.links import CountLikelihood, Likelihood, OrderedLikelihood
from fipscm.mechanism.response.count import Count
from fipscm.mechanism.response.thresholds import Thresholds

LEAST_WEIGHT = 0.01  # of the average one: a row that says less would say it of a location that is far from its own


class Working(NamedTuple):
    """Measurements of a location, in units of which one moves the column by a standard deviation, on average.

    Attributes:
        values: (N,) what was measured, about their mean.
        residual: (N,) how far it lies from the learned location.
        precision: (N,) the inverse standard deviation, of which only the ratios matter.
    """

    values: Array
    residual: Array
    precision: Array


def working(scm: LearnedSCM, node: int, rows: Array) -> Working:
    """What rows (N, D) say about the location of one node, whose response is discrete."""
    location, _ = scm.situation(node, rows)
    slope, weight = _likelihood(scm, node, rows).slope_and_weight(location)
    weight = np.maximum(weight, LEAST_WEIGHT * weight.mean())
    unit = scm.responses[node].moved(np.zeros(1), np.ones(1))
    residual = slope / weight / unit
    middle = np.average(location, weights=weight)
    return Working((location - middle) / unit + residual, residual, np.sqrt(weight))


def _likelihood(scm: LearnedSCM, node: int, rows: Array) -> Likelihood:
    response, values, block = scm.responses[node], rows[:, node], scm.block_of(node)
    if isinstance(response, Thresholds):
        return OrderedLikelihood(response.places(values), response.thresholds)
    if isinstance(response, Count):
        return CountLikelihood(values, float(response.dispersion))
    # Given the scores of the other levels, that of one level of a category is a logistic regression.
    others = np.delete(scm.scores(block, rows), block.index(node), axis=1)
    return OrderedLikelihood(values, np.zeros(1), -logsumexp(others, axis=1))
