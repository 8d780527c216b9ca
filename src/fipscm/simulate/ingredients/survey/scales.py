"""Scales on which people record: from a latent value (N,) of mean zero and variance one to the cells (N,).

A scale is drawn once and can then record several columns in the same units. Shapes: N rows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr

from fipscm.arrays import Array
from fipscm.simulate.ingredients.monotone_maps import MonotoneMap

RecordingScale = Callable[[Array, np.random.Generator], Array]
ScaleSampler = Callable[[np.random.Generator], RecordingScale]
LARGEST_LOG = 12.0  # of rates and amounts: a cell above would leave nothing of the others


def log_uniform(low: float, high: float, rng: np.random.Generator) -> float:
    """Draw a positive number, small ones as often as large ones."""
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def binary_scale(rng: np.random.Generator) -> RecordingScale:
    """Draw which share of the rows has the level on the upper side, and which two numbers stand for the levels."""
    share = log_uniform(0.03, 0.5, rng) if rng.random() < 0.7 else rng.uniform(0.3, 0.7)
    first = float(rng.random() < 0.1)
    return lambda latent, _: first + (latent > np.quantile(latent, 1 - share)).astype(np.float64)


def grades(rng: np.random.Generator) -> RecordingScale:
    """Draw a scale of three to seven points, now and then more: bounds anywhere, or at equal distances."""
    count = int(rng.integers(3, 8)) if rng.random() < 0.85 else int(rng.integers(8, 12))
    shares = np.sort(rng.uniform(0.03, 0.97, count - 1))
    shares = shares if rng.random() < 0.5 else ndtr(rng.uniform(-0.8, 0.8) + np.linspace(-1.3, 1.3, count - 1))
    first = float(rng.random() < 0.6)
    return lambda latent, _: first + np.searchsorted(np.quantile(latent, shares), latent).astype(np.float64)


def age(rng: np.random.Generator) -> RecordingScale:
    """Draw whole years within bounds, evenly or more of the young or of the old."""
    low = float(rng.choice([0, 15, 18, 21, 25, 40, 60]))
    span, skew = rng.uniform(9.0, 60.0), log_uniform(0.6, 1.8, rng)
    return lambda latent, _: np.floor(low + span * _even(latent) ** skew)


def _even(latent: Array) -> Array:
    """(N,) the values' ranks within 0 to 1: whatever law they follow, the bounds of the scale hold."""
    return np.asarray((np.argsort(np.argsort(latent)) + 0.5) / len(latent))


def schooling(rng: np.random.Generator) -> RecordingScale:
    """Draw whole years, with heaps where a school ends."""
    centre, spread, share = rng.uniform(9.0, 14.0), rng.uniform(1.5, 4.0), rng.uniform(0.3, 0.9)

    def record(latent: Array, rng: np.random.Generator) -> Array:
        years = np.clip(np.round(centre + spread * latent), 0.0, 20.0)
        ends = np.array([8.0, 12.0, 16.0])
        nearest = ends[np.abs(years[:, None] - ends).argmin(axis=1)]
        return np.where((np.abs(years - nearest) <= 1) & (rng.random(len(years)) < share), nearest, years)

    return record


def count_scale(rng: np.random.Generator) -> RecordingScale:
    """Draw how often something happens, with more zeros than that now and then: a Poisson draw for every row."""
    mean, slope = log_uniform(0.3, 15.0, rng), rng.uniform(0.2, 1.0)
    never = rng.uniform(0.1, 0.7) if rng.random() < 0.25 else 0.0

    def record(latent: Array, rng: np.random.Generator) -> Array:
        rate = mean * np.exp(np.clip(slope * latent, -LARGEST_LOG, 4.0))
        return np.where(rng.random(len(latent)) < never, 0.0, rng.poisson(rate).astype(np.float64))

    return record


def score_scale(rng: np.random.Generator) -> RecordingScale:
    """Draw a sum of points, bounded on both sides, such as a test has."""
    most, easy, slope = int(rng.integers(10, 61)), rng.uniform(-1.5, 1.5), rng.uniform(0.4, 1.5)
    return lambda latent, _: np.round(most * expit(easy + slope * latent))


@dataclass(frozen=True)
class Measurement:
    """A reading of an instrument: `steps` per standard deviation, each `unit` wide, `origin` of them in the middle.

    Its law is that of the latent value, or transformed by an increasing `shape`.
    """

    steps: float
    origin: float
    unit: float
    shape: Callable[[Array], Array] | None

    @classmethod
    def sample(cls, rng: np.random.Generator) -> "Measurement":
        """Draw whole numbers half of the time, else tenths, hundredths, or steps of five or more."""
        steps = log_uniform(2.0, 300.0, rng)
        unit = float(rng.choice([1.0, 0.1, 0.01, 0.001, 5.0, 10.0], p=[0.52, 0.24, 0.12, 0.06, 0.03, 0.03]))
        shape = None if rng.random() < 0.6 else MonotoneMap.sample(rng)
        return cls(steps, round(steps * rng.uniform(2.0, 12.0)), unit, shape)

    def __call__(self, latent: Array, rng: np.random.Generator) -> Array:
        """(N,) -> (N,)."""
        values = latent if self.shape is None else self.shape(latent)
        spread = max(values.std(), 1e-6)
        steps = np.round(self.origin + self.steps * (values - values.mean()) / spread)
        # A tenth times a whole number is not always the number that people write.
        return np.asarray(np.round(steps * self.unit, 3))


def unrounded(rng: np.random.Generator) -> RecordingScale:
    """Draw what a computer recorded with all digits, such as a logarithm."""
    scale, origin = log_uniform(0.01, 100.0, rng), rng.uniform(-3.0, 3.0)
    return lambda latent, _: np.asarray(scale * (latent + origin))


@dataclass(frozen=True)
class Money:
    """Amounts whose logarithm has this standard deviation, in multiples of `step`, heaped at ten of them."""

    median: float
    spread: float
    step: float
    heaped: float

    @classmethod
    def sample(cls, rng: np.random.Generator) -> "Money":
        """Draw from hourly wages to sums of a firm."""
        median = log_uniform(5.0, 1e5, rng)
        finest = 10.0 ** math.floor(math.log10(median) - rng.uniform(1.0, 3.0))
        step = finest if rng.random() < 0.3 else min(finest, 1.0)  # mostly whole units or cents, whatever the amount
        return cls(median, rng.uniform(0.25, 1.1), step, rng.uniform(0.1, 0.6) if rng.random() < 0.5 else 0.0)

    def __call__(self, latent: Array, rng: np.random.Generator) -> Array:
        """(N,) -> (N,)."""
        amounts = self.median * np.exp(np.clip(self.spread * latent, -LARGEST_LOG, LARGEST_LOG / 2))
        steps = np.where(rng.random(len(latent)) < self.heaped, 10 * self.step, self.step)
        return np.asarray(np.round(np.round(amounts / steps) * steps, 3))


def hurdle(rng: np.random.Generator) -> RecordingScale:
    """Draw money that many do not have: whether they do depends on the latent value and on chance."""
    amount, zeros, tied = Money.sample(rng), rng.uniform(0.05, 0.8), rng.uniform(0.2, 1.0)

    def record(latent: Array, rng: np.random.Generator) -> Array:
        chance = tied * latent + math.sqrt(1 - tied**2) * rng.standard_normal(len(latent))
        return np.where(chance < np.quantile(chance, zeros), 0.0, amount(latent, rng))

    return record


def share(rng: np.random.Generator) -> RecordingScale:
    """Draw parts of a whole, from 0 to 1 or in per cent; now and then with many at the very ends."""
    centre, slope = rng.uniform(-2.5, 2.5), rng.uniform(0.3, 2.0)
    per_cent, digits = rng.random() < 0.5, int(rng.integers(0, 3))
    ends = rng.uniform(0.02, 0.2) if rng.random() < 0.2 else 0.0

    def record(latent: Array, rng: np.random.Generator) -> Array:
        part = np.clip((expit(centre + slope * latent) - ends) / (1 - 2 * ends), 0.0, 1.0)
        return np.asarray(np.round(100 * part, digits) if per_cent else np.round(part, digits + 2))

    return record


def duration(rng: np.random.Generator) -> RecordingScale:
    """Draw times until something happens, of any hazard; now and then the study ends before it did."""
    mean, slope, shape = log_uniform(3.0, 3000.0, rng), rng.uniform(0.2, 1.2), log_uniform(0.7, 3.0, rng)
    seen = rng.uniform(0.5, 0.95) if rng.random() < 0.4 else 1.0

    def record(latent: Array, rng: np.random.Generator) -> Array:
        until = mean * np.exp(np.clip(slope * latent, -4.0, 4.0)) * rng.weibull(shape, len(latent))
        return np.asarray(np.round(np.minimum(until, np.quantile(until, seen)), 0 if mean > 30 else 1))

    return record


def limited(rng: np.random.Generator) -> RecordingScale:
    """Draw a measurement with a limit of detection, below or above which the limit itself is recorded."""
    inner, cut, is_low = Measurement.sample(rng), rng.uniform(0.02, 0.4), rng.random() < 0.7

    def record(latent: Array, rng: np.random.Generator) -> Array:
        values = inner(latent, rng)
        limit = np.quantile(values, cut if is_low else 1 - cut, method="nearest")
        return np.maximum(values, limit) if is_low else np.minimum(values, limit)

    return record


RECORDING_SCALES: dict[str, ScaleSampler] = {
    "binary": binary_scale,
    "grades": grades,
    "age": age,
    "schooling": schooling,
    "count": count_scale,
    "score": score_scale,
    "measurement": Measurement.sample,
    "unrounded": unrounded,
    "money": Money.sample,
    "hurdle": hurdle,
    "share": share,
    "duration": duration,
    "limited": limited,
}
SKEWED = {"money", "hurdle", "duration", "count"}  # of which effects often read the logarithm
