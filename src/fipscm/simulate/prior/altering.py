"""P_IN with other functions, noise that is not additive, and causes that nobody sees.

Shapes: N rows, D variables, P parents. Graphs and scales of P_IN stay; what changes are the functions of all nodes, and
how the noise of a node enters it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.scm.standard import NodeFunction, StandardSCM
from fipscm.simulate.ingredients.columns import LARGEST_DEVIATION
from fipscm.simulate.ingredients.functions import FUNCTIONS, standardized
from fipscm.simulate.ingredients.monotone_maps import MonotoneMap
from fipscm.simulate.ingredients.noise_models import LocationScaleNoise, MultiplicativeNoise, sample_transformation
from fipscm.simulate.mechanisms import Equation, Location
from fipscm.simulate.noises import NOISES

# From a node function, its parents (N, P) and its noise (N,) to the values (N,).
Alteration = Callable[[NodeFunction, Array, Array, np.random.Generator], Array]
HIDDEN_LAWS = ("normal", "uniform", "exponential", "t5", "two-bumps")
CURVED_FUNCTIONS = tuple(name for name in FUNCTIONS if name != "linear")  # P_IN has lines of its own
GAINS, BIASES = (1.0, 20.0), (-3.0, 3.0)  # of a function, in units of the noise: as wide as P_IN has them


@dataclass(frozen=True)
class Gained:
    """A function of standardized causes as one of any causes, with a mean and a standard deviation of its own."""

    inner: Location
    gain: float
    bias: float

    def __call__(self, parents: Array) -> Array:
        """(N, P) -> (N,)."""
        inputs = np.column_stack([standardized(parent) for parent in parents.T])
        return self.bias + self.gain * standardized(self.inner(inputs))


def with_other_functions(scm: StandardSCM, rng: np.random.Generator) -> StandardSCM:
    """The same graph and noise, but other kinds of functions: one for all nodes, or one for each."""
    kinds = rng.choice(CURVED_FUNCTIONS, len(scm.functions) if rng.random() < 0.5 else 1)
    functions = list(scm.functions)
    for node, kind in enumerate(np.resize(kinds, len(functions))):
        function, causes = functions[node], int(scm.adjacency[:, node].sum())
        if isinstance(function, Equation) and causes:
            gain, bias = math.exp(rng.uniform(*np.log(GAINS))), rng.uniform(*BIASES)
            functions[node] = replace(function, location=Gained(FUNCTIONS[kind](causes, rng), gain, bias))
    return replace(scm, functions=tuple(functions))


def _additive(function: NodeFunction, parents: Array, noise: Array, rng: np.random.Generator) -> Array:
    return function(parents, noise)


def _location_scale(function: NodeFunction, parents: Array, noise: Array, rng: np.random.Generator) -> Array:
    if not parents.shape[1]:
        return function(parents, noise)
    inputs = np.column_stack([standardized(parent) for parent in parents.T])
    return function(parents, noise * LocationScaleNoise.sample(parents.shape[1], rng).spread(inputs))


def _multiplicative(function: NodeFunction, parents: Array, noise: Array, rng: np.random.Generator) -> Array:
    if not parents.shape[1]:
        return function(parents, noise)
    noise_model = MultiplicativeNoise.sample(parents.shape[1], rng)
    return function(parents, np.zeros_like(noise)) * noise_model.factor(noise_model.depth * standardized(noise))


def _post_nonlinear(function: NodeFunction, parents: Array, noise: Array, rng: np.random.Generator) -> Array:
    plain, transformation = function(parents, noise), sample_transformation(rng)
    return np.asarray(plain.mean() + plain.std() * standardized(transformation(standardized(plain))))


ALTERATIONS: dict[str, Alteration] = {
    "additive": _additive,
    "location-scale": _location_scale,
    "multiplicative": _multiplicative,
    "post-nonlinear": _post_nonlinear,
}


def sample_altered(scm: StandardSCM, noise: Array, noise_model: str, rng: np.random.Generator) -> Array:
    """(N, D) noises -> (N, D) values; the noise of all nodes, or of most, enters in another way than P_IN has it."""
    share = 1.0 if rng.random() < 0.6 else rng.uniform(0.5, 1.0)
    values = np.zeros_like(noise)
    for node in scm.order:
        parents = values[:, scm.adjacency[:, node] == 1]
        alter = ALTERATIONS[noise_model if rng.random() < share else "additive"]
        values[:, node] = _tamed(alter(scm.functions[node], parents, noise[:, node], rng))
    return values


def with_any_law(noise: Array, rng: np.random.Generator) -> Array:
    """(N, D) noises -> the same with other laws, each with the standard deviation that it had."""
    reshaped = np.column_stack([standardized(MonotoneMap.sample(rng)(standardized(column))) for column in noise.T])
    return np.asarray(noise.mean(axis=0) + noise.std(axis=0) * reshaped)


def hidden_push(noise: Array, rng: np.random.Generator) -> tuple[Array, Mask]:
    """(N, D) noises -> the same with what a hidden root adds to some of them, and (D,) to which."""
    rows, nodes = noise.shape
    moved = np.isin(np.arange(nodes), rng.choice(nodes, int(rng.integers(2, max(3, nodes // 3 + 1))), replace=False))
    weights = moved * rng.uniform(0.5, 3.0, nodes) * rng.choice([-1.0, 1.0], nodes)
    root = NOISES[str(rng.choice(HIDDEN_LAWS))](rng, (rows, 1))
    return noise + root * weights * noise.std(axis=0), moved


def _tamed(values: Array) -> Array:
    """(N,), outliers moved in."""
    reach = LARGEST_DEVIATION * values.std()
    return np.clip(values, values.mean() - reach, values.mean() + reach)
