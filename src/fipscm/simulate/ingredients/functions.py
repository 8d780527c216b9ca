"""Random functions of the causes, as varied as real tables need them. Shapes: N rows, P causes, K units.

Every function reads standardized causes, each of which matters. What it returns has no particular mean or scale.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Array
from fipscm.simulate.mechanisms import Fourier, Linear, Location, softplus

FOURIER_FEATURES = 50
NO_SPREAD = 1e-9  # a standard deviation below this is rounding error


def standardized(values: Array) -> Array:
    """(N,) -> (N,) with mean zero and variance one; a constant becomes zero."""
    centred = values - values.mean()
    spread = centred.std()
    return np.asarray(centred / spread if spread > NO_SPREAD else np.zeros_like(centred))


def random_direction(causes: int, rng: np.random.Generator) -> Array:
    """(P,) weights of both signs, none of which vanishes, with norm one."""
    weights = rng.uniform(0.3, 1.0, causes) * rng.choice([-1.0, 1.0], causes)
    return np.asarray(weights / np.linalg.norm(weights))


def linear(causes: int, rng: np.random.Generator) -> Linear:
    """Draw a weighted sum."""
    return Linear(random_direction(causes, rng), 0.0)


def short_fourier(causes: int, rng: np.random.Generator) -> Fourier:
    """Draw a smooth function that turns several times within the data."""
    return _fourier(causes, rng.uniform(0.5, 1.2), rng)


def long_fourier(causes: int, rng: np.random.Generator) -> Fourier:
    """Draw a smooth function that turns once or not at all within the data."""
    return _fourier(causes, rng.uniform(1.5, 4.0), rng)


def _fourier(causes: int, length: float, rng: np.random.Generator) -> Fourier:
    frequencies = rng.standard_normal((causes, FOURIER_FEATURES))
    phases, amplitudes = rng.uniform(0, 2 * np.pi, FOURIER_FEATURES), rng.standard_normal(FOURIER_FEATURES)
    # Angles grow with the root of the number of causes: without this, many causes would make nothing but noise.
    return Fourier(frequencies, phases, amplitudes, length * math.sqrt(causes), 1.0, 0.0)


@dataclass(frozen=True)
class Network:
    """Two hidden layers: weights (P, K), (K, K) and (K,), biases (K,) each."""

    first: Array
    second: Array
    last: Array
    first_bias: Array
    second_bias: Array
    activation: Callable[[Array], Array]

    @classmethod
    def sample(cls, causes: int, rng: np.random.Generator, activation: Callable[[Array], Array]) -> "Network":
        """Draw normal weights; the width is random too."""
        units = int(rng.integers(8, 25))
        return cls(
            1.5 * rng.standard_normal((causes, units)) / math.sqrt(causes),
            1.5 * rng.standard_normal((units, units)) / math.sqrt(units),
            rng.standard_normal(units),
            rng.standard_normal(units),
            0.5 * rng.standard_normal(units),
            activation,
        )

    def __call__(self, causes: Array) -> Array:
        """(N, P) -> (N,)."""
        hidden = self.activation(causes @ self.first + self.first_bias)
        return np.asarray(self.activation(hidden @ self.second + self.second_bias) @ self.last)


def tanh_network(causes: int, rng: np.random.Generator) -> Network:
    """Draw a smooth network."""
    return Network.sample(causes, rng, np.tanh)


def relu_network(causes: int, rng: np.random.Generator) -> Network:
    """Draw a piecewise linear network."""
    return Network.sample(causes, rng, lambda u: np.maximum(u, 0.0))


@dataclass(frozen=True)
class Polynomial:
    """A cubic of a weighted sum that is bent to stay within three standard deviations, so that it cannot explode."""

    direction: Array
    coefficients: Array

    @classmethod
    def sample(cls, causes: int, rng: np.random.Generator) -> "Polynomial":
        """Draw direction and coefficients."""
        return cls(random_direction(causes, rng), rng.standard_normal(3) * [1.0, 0.7, 0.4])

    def __call__(self, causes: Array) -> Array:
        """(N, P) -> (N,)."""
        u = 3 * np.tanh(standardized(causes @ self.direction) / 3)
        first, second, third = self.coefficients
        return np.asarray(u * (first + u * (second + u * third)))


@dataclass(frozen=True)
class Steps:
    """A sum of jumps, each when a cause crosses a threshold; thresholds, heights and causes (K,)."""

    causes: NDArray[np.int64]
    thresholds: Array
    heights: Array

    @classmethod
    def sample(cls, causes: int, rng: np.random.Generator) -> "Steps":
        """Draw one to three jumps per cause."""
        jumps = np.repeat(np.arange(causes), rng.integers(1, 4, causes))
        heights = rng.uniform(0.3, 1.0, len(jumps)) * rng.choice([-1.0, 1.0], len(jumps))
        return cls(jumps, rng.uniform(-1.2, 1.2, len(jumps)), heights)

    def __call__(self, causes: Array) -> Array:
        """(N, P) -> (N,)."""
        return np.asarray((causes[:, self.causes] > self.thresholds) @ self.heights)


@dataclass(frozen=True)
class Trees:
    """A sum of K random trees that split on one cause, then on another; their four leaves are `leaves` (K, 4)."""

    splits: NDArray[np.int64]  # (K, 2)
    thresholds: Array  # (K, 2)
    leaves: Array

    @classmethod
    def sample(cls, causes: int, rng: np.random.Generator) -> "Trees":
        """Draw trees so that each cause is the first split of one."""
        trees = max(causes, int(rng.integers(1, 6)))
        splits = np.column_stack([np.arange(trees) % causes, rng.integers(causes, size=trees)])
        return cls(splits, rng.uniform(-1.0, 1.0, (trees, 2)), rng.standard_normal((trees, 4)))

    def __call__(self, causes: Array) -> Array:
        """(N, P) -> (N,)."""
        above = causes[:, self.splits] > self.thresholds
        leaf = 2 * above[..., 0] + above[..., 1]
        return np.asarray(self.leaves[np.arange(len(self.leaves)), leaf].sum(axis=1))


@dataclass(frozen=True)
class Forest:
    """The sum of K trees of depth L, each level of which splits on one cause: `splits`, `thresholds` (K, L).

    A row's leaf is the binary number of its answers; leaves (K, 2 ** L).
    """

    splits: NDArray[np.int64]
    thresholds: Array
    leaves: Array

    @classmethod
    def sample(cls, causes: int, rng: np.random.Generator) -> "Forest":
        """Draw a single deep tree, or up to a dozen of them; each cause is split on."""
        depth = int(rng.integers(3, 7))
        trees = max(1 if rng.random() < 0.3 else int(rng.integers(2, 13)), math.ceil(causes / depth))
        splits = np.resize(rng.permutation(causes), (trees, depth)) if causes > 1 else np.zeros((trees, depth), int)
        splits[1:] = np.where(rng.random((trees - 1, depth)) < 0.5, splits[1:], rng.integers(causes, size=depth))
        return cls(splits, rng.uniform(-1.5, 1.5, splits.shape), rng.standard_normal((trees, 2**depth)))

    def __call__(self, causes: Array) -> Array:
        """(N, P) -> (N,)."""
        answers = causes[:, self.splits] > self.thresholds
        leaf = answers @ (2 ** np.arange(self.splits.shape[1]))
        return np.asarray(self.leaves[np.arange(len(self.leaves)), leaf].sum(axis=1))


@dataclass(frozen=True)
class Products:
    """Causes multiplied in pairs (a cause left over with itself), beside a weighted sum."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    heights: Array
    direction: Array

    @classmethod
    def sample(cls, causes: int, rng: np.random.Generator) -> "Products":
        """Pair the causes at random; the sum is weaker than the products."""
        shuffled = rng.permutation(causes)
        left, right = shuffled[::2], shuffled[1::2]
        right = np.append(right, left[len(right) :])
        heights = rng.uniform(0.5, 1.0, len(left)) * rng.choice([-1.0, 1.0], len(left))
        return cls(left, right, heights, rng.uniform(0.0, 0.7) * random_direction(causes, rng))

    def __call__(self, causes: Array) -> Array:
        """(N, P) -> (N,)."""
        return np.asarray((causes[:, self.left] * causes[:, self.right]) @ self.heights + causes @ self.direction)


def _hill(u: Array) -> Array:
    """The dose-response curve of pharmacology, with exponent 3."""
    dose = softplus(u) ** 3
    return np.asarray(dose / (0.5 + dose))


@dataclass(frozen=True)
class SaturatingFunction:
    """A weighted sum that levels off on one side or both."""

    direction: Array
    slope: float
    shift: float
    shape: Callable[[Array], Array]

    @classmethod
    def sample(cls, causes: int, rng: np.random.Generator) -> "SaturatingFunction":
        """Draw one of three shapes, how steep it is and where."""
        shape = (np.tanh, _hill, softplus)[rng.integers(3)]
        return cls(random_direction(causes, rng), rng.uniform(1.0, 3.0), rng.uniform(-1.0, 1.0), shape)

    def __call__(self, causes: Array) -> Array:
        """(N, P) -> (N,)."""
        return self.shape(self.slope * standardized(causes @ self.direction) + self.shift)


@dataclass(frozen=True)
class WeakAndStrong:
    """One function per cause, added up with gains that differ by up to a factor of twenty."""

    parts: tuple[Location, ...]
    gains: Array

    @classmethod
    def sample(cls, causes: int, rng: np.random.Generator) -> "WeakAndStrong":
        """Draw parts of the other kinds."""
        kinds = rng.choice(list(ONE_BY_ONE), causes)
        gains = np.exp(rng.uniform(math.log(0.05), 0.0, causes)) * rng.choice([-1.0, 1.0], causes)
        return cls(tuple(ONE_BY_ONE[kind](1, rng) for kind in kinds), gains)

    def __call__(self, causes: Array) -> Array:
        """(N, P) -> (N,)."""
        parts = [standardized(part(causes[:, [cause]])) for cause, part in enumerate(self.parts)]
        return np.column_stack(parts) @ self.gains


FunctionSampler = Callable[[int, np.random.Generator], Location]

ONE_BY_ONE: dict[str, FunctionSampler] = {
    "linear": linear,
    "long-fourier": long_fourier,
    "polynomial": Polynomial.sample,
    "steps": Steps.sample,
    "saturating": SaturatingFunction.sample,
}
FUNCTIONS: dict[str, FunctionSampler] = {
    **ONE_BY_ONE,
    "short-fourier": short_fourier,
    "tanh-network": tanh_network,
    "relu-network": relu_network,
    "trees": Trees.sample,
    "forest": Forest.sample,
    "products": Products.sample,
    "weak-and-strong": WeakAndStrong.sample,
}
