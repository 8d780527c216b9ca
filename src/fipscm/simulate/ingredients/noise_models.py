"""How the noise enters an effect: added, scaled by the causes, multiplied, or transformed together with the signal.

Shapes: N rows, P causes. Signal, noise and causes have mean zero and variance one. Each model is drawn once and
then maps the signal (N,), the noise (N,) and the causes (N, P) to the effect (N,).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fipscm.arrays import Array
from fipscm.simulate.ingredients.functions import FUNCTIONS, random_direction, standardized
from fipscm.simulate.ingredients.monotone_maps import MonotoneMap

NEXT_TO_NO = 0.001, 0.05  # of the variance
LARGEST_EXPONENT = (
    5.0  # beyond so many standard deviations an exponential stays where it is, or one row would outweigh all
)


class NoiseModel(Protocol):
    """Maps signal, noise and causes to the effect."""

    def __call__(self, signal: Array, noise: Array, causes: Array) -> Array:
        """(N,), (N,), (N, P) -> (N,)."""
        ...


@dataclass(frozen=True)
class AdditiveNoise:
    """Signal plus noise; `share` of the variance is the signal's."""

    share: float

    @classmethod
    def sample(cls, causes: int, rng: np.random.Generator) -> "AdditiveNoise":
        """Draw anything from a weak signal to next to no noise, as between a lamp and a sensor beside it."""
        return cls(rng.uniform(0.2, 0.95) if rng.random() < 0.75 else 1 - math.exp(rng.uniform(*np.log(NEXT_TO_NO))))

    def __call__(self, signal: Array, noise: Array, causes: Array) -> Array:
        """(N,), (N,), (N, P) -> (N,)."""
        return math.sqrt(self.share) * signal + math.sqrt(1 - self.share) * noise


NoiseScale = Callable[[Array, float], Array]

# How the scale of the noise follows a weighted sum of the causes, more so with depth.
NOISE_SCALES: dict[str, NoiseScale] = {
    "swinging": lambda u, depth: np.exp(depth * np.sin(2 * u)),
    "growing": lambda u, depth: np.exp(depth * np.clip(u, -LARGEST_EXPONENT, LARGEST_EXPONENT) / 2),
    "v-shaped": lambda u, depth: 1 / (3 * depth) + np.abs(u),
    "switching": lambda u, depth: 1 + 2 * depth / (1 + np.exp(-8 * np.clip(u, -LARGEST_EXPONENT, LARGEST_EXPONENT))),
}


ScaleOf = Callable[[Array], Array]


def scale_along_a_line(causes: int, rng: np.random.Generator) -> ScaleOf:
    """Draw a scale that follows a weighted sum, shifted: it may be loud in the middle or at the sides."""
    scale = NOISE_SCALES[str(rng.choice(list(NOISE_SCALES)))]
    direction, shift, depth = random_direction(causes, rng), rng.uniform(-1.5, 1.5), rng.uniform(0.4, 1.5)
    return lambda rows: scale(standardized(rows @ direction) + shift, depth)


def any_scale(causes: int, rng: np.random.Generator) -> ScaleOf:
    """Draw a scale whose logarithm is any function of the causes."""
    function, depth = FUNCTIONS[str(rng.choice(list(FUNCTIONS)))](causes, rng), rng.uniform(0.3, 1.2)
    return lambda rows: np.exp(
        depth * np.clip(standardized(function(rows)), -LARGEST_EXPONENT / 2, LARGEST_EXPONENT / 2)
    )


@dataclass(frozen=True)
class LocationScaleNoise:
    """Signal plus noise whose scale follows the causes."""

    inner: AdditiveNoise
    scale: ScaleOf

    @classmethod
    def sample(cls, causes: int, rng: np.random.Generator) -> "LocationScaleNoise":
        """Draw how the scale follows the causes, and how strongly."""
        draw = (scale_along_a_line, any_scale)[rng.integers(2)]
        return cls(AdditiveNoise.sample(causes, rng), draw(causes, rng))

    def __call__(self, signal: Array, noise: Array, causes: Array) -> Array:
        """(N,), (N,), (N, P) -> (N,)."""
        return self.inner(signal, noise * self.spread(causes), causes)

    def spread(self, causes: Array) -> Array:
        """(N, P) -> (N,), with a mean square of one."""
        scale = self.scale(causes)
        return np.asarray(scale / np.sqrt(np.mean(scale**2)))


def _one_plus(noise: Array) -> Array:
    return 1 + noise


def _exponential(noise: Array) -> Array:
    return np.asarray(np.exp(np.clip(noise, -LARGEST_EXPONENT, LARGEST_EXPONENT)))


@dataclass(frozen=True)
class MultiplicativeNoise:
    """The signal, shifted by an offset, times a random factor."""

    offset: float
    depth: float
    factor: Callable[[Array], Array]

    @classmethod
    def sample(cls, causes: int, rng: np.random.Generator) -> "MultiplicativeNoise":
        """Draw the factor: one plus noise, or the exponential of noise."""
        return cls(rng.uniform(0.0, 2.0), rng.uniform(0.2, 0.8), (_one_plus, _exponential)[rng.integers(2)])

    def __call__(self, signal: Array, noise: Array, causes: Array) -> Array:
        """(N,), (N,), (N, P) -> (N,)."""
        return (signal + self.offset) * self.factor(self.depth * noise)


Transformation = Callable[[Array, float], Array]
ValueCurve = Callable[[Array], Array]

# Increasing functions of a standardized value, further from the identity with depth.
TRANSFORMATIONS: dict[str, Transformation] = {
    "tanh": lambda u, depth: np.tanh(depth * u),
    "exponential": lambda u, depth: np.exp(depth * np.clip(u, -LARGEST_EXPONENT, LARGEST_EXPONENT)),
    "cube-root": lambda u, depth: np.cbrt(u),
    "power": lambda u, depth: np.sign(u) * np.abs(u) ** (1 + depth),
    "root": lambda u, depth: (u - u.min()) ** (1 / (1 + depth)),
    "terraces": lambda u, depth: u + 0.95 * np.sin((1 + depth / 2) * u) / (1 + depth / 2),
}


def sample_transformation(rng: np.random.Generator) -> ValueCurve:
    """Draw an increasing function of a standardized value: one with a name, or any smooth one."""
    if rng.random() < 0.5:
        return MonotoneMap.sample(rng)
    transformation, depth = TRANSFORMATIONS[str(rng.choice(list(TRANSFORMATIONS)))], rng.uniform(0.5, 1.5)
    return lambda u: transformation(u, depth)


@dataclass(frozen=True)
class PostNonlinearNoise:
    """Signal plus noise, and a monotone transformation of the sum."""

    inner: AdditiveNoise
    transformation: ValueCurve

    @classmethod
    def sample(cls, causes: int, rng: np.random.Generator) -> "PostNonlinearNoise":
        """Draw the transformation and how strong it is."""
        return cls(AdditiveNoise.sample(causes, rng), sample_transformation(rng))

    def __call__(self, signal: Array, noise: Array, causes: Array) -> Array:
        """(N,), (N,), (N, P) -> (N,)."""
        return self.transformation(standardized(self.inner(signal, noise, causes)))


NOISE_MODELS: dict[str, Callable[[int, np.random.Generator], NoiseModel]] = {
    "additive": AdditiveNoise.sample,
    "location-scale": LocationScaleNoise.sample,
    "multiplicative": MultiplicativeNoise.sample,
    "post-nonlinear": PostNonlinearNoise.sample,
}
