"""Logistic noise between two ends: what is left open by a discrete value. Shapes: N rows."""

import numpy as np
from scipy.special import expit, logit

from fipscm.arrays import Array

_FARTHEST = 700.0  # from zero: beyond, a logistic distribution has no probability that a computer can tell from none


def noise_between(low: Array, high: Array, rng: np.random.Generator | None) -> Array:
    """(N,) noises between two ends (N,), which may be infinite: drawn, or without a generator their median.

    >>> noise_between(np.array([0.0]), np.array([np.inf]), None).round(3).tolist()
    [1.099]
    """
    low, high = np.clip(low, -_FARTHEST, _FARTHEST), np.clip(high, -_FARTHEST, _FARTHEST)
    share = np.full(len(low), 0.5) if rng is None else rng.random(len(low))
    # Shares near one are known less precisely than those near zero: above zero the distribution is mirrored.
    mirrored = low + high > 0
    below, above = np.where(mirrored, -high, low), np.where(mirrored, -low, high)
    noise = logit(expit(below) + share * (expit(above) - expit(below)))
    noise = np.clip(noise, np.nextafter(below, np.inf), np.nextafter(above, -np.inf))
    return np.asarray(np.where(mirrored, -noise, noise))


def log_probability_between(low: Array, high: Array) -> Array:
    """(N,) logarithms of the probability between two ends (N,), which may be infinite."""
    mirrored = high > -low  # not their sum, which two infinite ends do not have
    below, above = np.where(mirrored, -high, low), np.where(mirrored, -low, high)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(expit(above) - expit(below), np.finfo(np.float64).tiny)))
