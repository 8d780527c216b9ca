"""Structural equations x = location(parents) + scale(parents) * transform(noise).

Shapes: N rows, P parents, K features.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from scipy.special import expit

from fipscm.arrays import Array

Location = Callable[[Array], Array]


def softplus(u: Array) -> Array:
    """log(1 + exp u), without overflow."""
    return np.asarray(np.logaddexp(0.0, u), dtype=np.float64)


@dataclass(frozen=True)
class Transform:
    """A monotone function of the noise and its inverse."""

    forward: Callable[[Array], Array]
    backward: Callable[[Array], Array]


IDENTITY = Transform(lambda z: z, lambda u: u)


@dataclass(frozen=True)
class Equation:
    """One structural equation; without `scale` the noise is homoscedastic."""

    location: Location
    scale: Location | None = None
    transform: Transform = IDENTITY

    def __call__(self, parents: Array, noise: Array) -> Array:
        """(N, P), (N,) -> (N,)."""
        spread = self.transform.forward(noise)
        return self.location(parents) + (spread if self.scale is None else self.scale(parents) * spread)

    def invert(self, parents: Array, values: Array) -> Array:
        """(N, P), (N,) -> (N,)."""
        spread = values - self.location(parents)
        return self.transform.backward(spread if self.scale is None else spread / self.scale(parents))


@dataclass(frozen=True)
class Linear:
    """Weights (P,) and a bias."""

    weights: Array
    bias: float

    def __call__(self, parents: Array) -> Array:
        """(N, P) -> (N,)."""
        return parents @ self.weights + self.bias


@dataclass(frozen=True)
class Fourier:
    """A draw from a Gaussian process by random Fourier features.

    bias + output * sqrt(2 / K) * sum_k amplitudes_k cos(<frequencies_k, parents> / length + phases_k), with
    frequencies (P, K), phases and amplitudes (K,).
    """

    frequencies: Array
    phases: Array
    amplitudes: Array
    length: float
    output: float
    bias: float

    def __call__(self, parents: Array) -> Array:
        """(N, P) -> (N,)."""
        if parents.shape[1] == 0 and len(parents) > 1:
            return np.repeat(self(parents[:1]), len(parents))
        angles = parents @ (self.frequencies / self.length) + self.phases
        # PyTorch's cosine is vectorised in double precision, NumPy's is not: three times the speed.
        waves: Array = torch.cos(torch.from_numpy(angles)).numpy()
        height = self.output * np.sqrt(2 / len(self.phases))
        return np.asarray(self.bias + height * (waves @ self.amplitudes), dtype=np.float64)


@dataclass(frozen=True)
class LogisticNetwork:
    """One hidden layer of K logistic units: weights (P, K), thresholds and outputs (K,), and a bias."""

    weights: Array
    thresholds: Array
    outputs: Array
    bias: float

    def __call__(self, parents: Array) -> Array:
        """(N, P) -> (N,)."""
        return np.asarray(self.bias + expit(parents @ self.weights - self.thresholds) @ self.outputs)


@dataclass(frozen=True)
class NoiseSpread:
    """A positive scale: sqrt(softplus(g)) of another function."""

    function: Location

    def __call__(self, parents: Array) -> Array:
        """(N, P) -> (N,)."""
        return np.asarray(np.sqrt(softplus(self.function(parents))))
