"""Change the node functions of an SCM, each in the light of the values it would see. Shapes: N rows, P parents."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fipscm.arrays import Array
from fipscm.scm.standard import NodeFunction, StandardSCM
from fipscm.simulate.mechanisms import Location, Transform

ALTERED_ROWS = 20_000
# From a node function and its population of parents (N, P) and noises (N,) to the function that takes its place.
NodeChange = Callable[[NodeFunction, Array, Array], NodeFunction]


def altered(scm: StandardSCM, change: NodeChange, rng: np.random.Generator) -> StandardSCM:
    """Change every node function, causes first, so that each sees the parents as they are after the change."""
    noise = scm.noise.sample(ALTERED_ROWS, rng)
    population = np.zeros_like(noise)
    functions = list(scm.functions)
    for node in scm.order:
        parents = population[:, scm.adjacency[:, node] == 1]
        functions[node] = change(functions[node], parents, noise[:, node])
        population[:, node] = functions[node](parents, noise[:, node])
    return replace(scm, functions=tuple(functions))


@dataclass(frozen=True)
class Reshaped:
    """A node function whose value passes through a monotone transform."""

    inner: NodeFunction
    outer: Transform

    def __call__(self, parents: Array, noise: Array) -> Array:
        """(N, P), (N,) -> (N,)."""
        return self.outer.forward(self.inner(parents, noise))

    def invert(self, parents: Array, values: Array) -> Array:
        """(N, P), (N,) -> (N,)."""
        return self.inner.invert(parents, self.outer.backward(values))


@dataclass(frozen=True)
class Rescaled:
    """A node function whose noise is multiplied by a positive function of the parents."""

    inner: NodeFunction
    scale: Location

    def __call__(self, parents: Array, noise: Array) -> Array:
        """(N, P), (N,) -> (N,)."""
        return self.inner(parents, self.scale(parents) * noise)

    def invert(self, parents: Array, values: Array) -> Array:
        """(N, P), (N,) -> (N,)."""
        return self.inner.invert(parents, values) / self.scale(parents)


@dataclass(frozen=True)
class Multiplied:
    """What the parents alone would make of a node, times a positive function of the noise."""

    inner: NodeFunction
    factor: Transform

    def __call__(self, parents: Array, noise: Array) -> Array:
        """(N, P), (N,) -> (N,)."""
        return self._still(parents) * self.factor.forward(noise)

    def invert(self, parents: Array, values: Array) -> Array:
        """(N, P), (N,) -> (N,)."""
        return self.factor.backward(values / self._still(parents))

    def _still(self, parents: Array) -> Array:
        return self.inner(parents, np.zeros(len(parents)))


def standardize(population: Array) -> Transform:
    """Mean zero and variance one in the population."""
    mean, std = population.mean(), population.std()
    return Transform(lambda raw: (raw - mean) / std, lambda value: mean + std * value)


def bend(population: Array) -> Transform:
    """Slope one at the mean, falling to a quarter at two standard deviations."""
    mean, std = population.mean(), population.std()
    return Transform(
        lambda raw: mean + std * np.arcsinh(2 * (raw - mean) / std) / 2,
        lambda value: mean + std * np.sinh(2 * (value - mean) / std) / 2,
    )


def kink(population: Array, rng: np.random.Generator) -> Transform:
    """Steep on one side of the mean and as flat on the other."""
    mean, slope = population.mean(), rng.uniform(1.5, 3.0) ** rng.choice([-1, 1])
    return Transform(
        lambda raw: mean + np.where(raw > mean, slope, 1 / slope) * (raw - mean),
        lambda value: mean + np.where(value > mean, 1 / slope, slope) * (value - mean),
    )


@dataclass(frozen=True)
class Bump:
    """A noise scale of 2 where a weighted sum of the parents is at its mean, falling to 0.3 away from it."""

    direction: Array
    mean: float
    std: float

    @classmethod
    def sample(cls, parents: Array, rng: np.random.Generator) -> "Bump":
        """Draw the signs; every parent of the population counts the same."""
        direction = rng.choice([-1.0, 1.0], parents.shape[1]) / parents.std(axis=0)
        total = parents @ direction
        return cls(direction, float(total.mean()), float(total.std()))

    def __call__(self, parents: Array) -> Array:
        """(N, P) -> (N,)."""
        distance = (parents @ self.direction - self.mean) / self.std
        return np.asarray(0.3 + 1.7 * np.exp(-(distance**2)))


def bounded_factor(noise: Array) -> Transform:
    """Between 0.1 and 1.9, one where the noise is zero; its units are those of the population of noises."""
    std = noise.std()

    def factor(raw: Array) -> Array:
        return np.asarray(1 + 0.9 * raw / np.hypot(std, raw))

    def inverse(value: Array) -> Array:
        share = (value - 1) / 0.9
        return np.asarray(std * share / np.sqrt(1 - share**2))

    return Transform(factor, inverse)
