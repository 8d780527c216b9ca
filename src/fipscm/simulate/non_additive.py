"""Random SCMs whose noise is not added: it is scaled by the causes, bent, multiplied, or lost near a ceiling.

Every value rises with its noise, so that each row has exact counterfactuals. All columns have variance one, whatever
their place in the order, and amounts stay positive. Shapes: N rows, P parents.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from fipscm.arrays import Array
from fipscm.errors import unknown_name
from fipscm.scm.base import SCM
from fipscm.scm.standard import NodeFunction, StandardSCM
from fipscm.simulate.alterations import Multiplied, Reshaped, altered
from fipscm.simulate.graphs import erdos_renyi
from fipscm.simulate.mechanisms import Equation, Location, NoiseSpread, Transform, softplus
from fipscm.simulate.metadatasets import CounterfactualTest
from fipscm.simulate.noises import Noise

EDGES_PER_NODE = 1.5
QUIETEST, LOUDEST = 0.4, 0.8  # standard deviations of the noises; what the causes contribute has one of 1
MeanCurve = Callable[[Array], Array]
MEAN_CURVES: tuple[MeanCurve, ...] = (lambda z: z, np.tanh, lambda z: np.sin(1.5 * z), lambda z: softplus(2 * z))
# Flat below and straight above; steeper to both sides; steeper to the right.
MONOTONE_BENDS = (
    Transform(lambda u: softplus(2 * u), lambda x: x / 2 + np.log(-np.expm1(-x)) / 2),
    Transform(lambda u: u + u * np.abs(u) / 2, lambda x: np.sign(x) * (np.sqrt(1 + 2 * np.abs(x)) - 1)),
    Transform(lambda u: np.exp(u / 2), lambda x: 2 * np.log(x)),
)
FACTOR = Transform(lambda u: np.exp(0.7 * u), lambda x: np.log(x) / 0.7)


@dataclass(frozen=True)
class Curved:
    """A weighted sum of curves of the standardized causes, brought to mean zero and a given standard deviation.

    Attributes:
        curves: one for each cause.
        weights: (P,).
        mean: (P,) of the causes.
        std: (P,) of the causes.
        centre: of the sum.
        factor: from the sum to the height wanted.
    """

    curves: tuple[MeanCurve, ...]
    weights: Array
    mean: Array
    std: Array
    centre: float = 0.0
    factor: float = 1.0

    @classmethod
    def sample(cls, parents: Array, rng: np.random.Generator, height: float = 1.0) -> Location:
        """Draw curves and weights for a population of causes; without causes it is zero."""
        count = parents.shape[1]
        if count == 0:
            return lambda rows: np.zeros(len(rows))
        curves = tuple(MEAN_CURVES[kind] for kind in rng.integers(len(MEAN_CURVES), size=count))
        weights = rng.uniform(0.5, 1.5, count) * rng.choice([-1.0, 1.0], count)
        sums = cls(curves, weights, parents.mean(axis=0), parents.std(axis=0))
        total = sums(parents)
        return cls(curves, weights, sums.mean, sums.std, float(total.mean()), height / float(total.std()))

    def __call__(self, parents: Array) -> Array:
        """(N, P) -> (N,)."""
        standard = (parents - self.mean) / self.std
        terms = [weight * curve(z) for weight, curve, z in zip(self.weights, self.curves, standard.T, strict=True)]
        return np.asarray((np.sum(terms, axis=0) - self.centre) * self.factor)


@dataclass(frozen=True)
class Saturating:
    """A value between zero and a ceiling: near either end neither causes nor noise move it much."""

    drive: Location
    ceiling: Location

    def __call__(self, parents: Array, noise: Array) -> Array:
        """(N, P), (N,) -> (N,)."""
        return np.asarray(self.ceiling(parents) * expit(self.drive(parents) + noise))

    def invert(self, parents: Array, values: Array) -> Array:
        """(N, P), (N,) -> (N,)."""
        return np.asarray(logit(values / self.ceiling(parents)) - self.drive(parents))


def location_scale(parents: Array, rng: np.random.Generator) -> NodeFunction:
    """The causes move the value, and make its noise louder or quieter."""
    if parents.shape[1] == 0:
        return Equation(Curved.sample(parents, rng))
    return Equation(Curved.sample(parents, rng), NoiseSpread(Curved.sample(parents, rng, height=2.0)))


def post_nonlinear(parents: Array, rng: np.random.Generator) -> NodeFunction:
    """The sum of what the causes contribute and the noise is bent."""
    return Reshaped(Equation(Curved.sample(parents, rng)), MONOTONE_BENDS[rng.integers(len(MONOTONE_BENDS))])


def multiplicative(parents: Array, rng: np.random.Generator) -> NodeFunction:
    """The causes set a positive level, and the noise is a factor."""
    level = Curved.sample(parents, rng, height=2.0)
    return Multiplied(Equation(lambda rows: 0.2 + softplus(level(rows))), FACTOR)


def saturating(parents: Array, rng: np.random.Generator) -> NodeFunction:
    """The causes set the ceiling, and drive the value towards it or away from it."""
    drive, room = Curved.sample(parents, rng, height=1.5), Curved.sample(parents, rng, height=0.5)
    return Saturating(drive, lambda rows: 1.2 + np.tanh(room(rows)))


NON_ADDITIVE: dict[str, Callable[[Array, np.random.Generator], NodeFunction]] = {
    "noise-location-scale": location_scale,
    "noise-post-nonlinear": post_nonlinear,
    "noise-multiplicative": multiplicative,
    "noise-saturating": saturating,
}


def non_additive_scm(name: str, nodes: int, rng: np.random.Generator) -> StandardSCM:
    """Draw an SCM; the name is one of NON_ADDITIVE.

    >>> non_additive_scm("noise-multiplicative", 5, np.random.default_rng(0)).sample(3, np.random.default_rng(1)).shape
    (3, 5)
    """
    if name not in NON_ADDITIVE:
        raise unknown_name("SCM with noise that is not additive", name, NON_ADDITIVE)

    def change(_: NodeFunction, parents: Array, noise: Array) -> NodeFunction:
        function = NON_ADDITIVE[name](parents, rng)
        std = float(function(parents, noise).std())
        return Reshaped(function, Transform(lambda raw: raw / std, lambda value: value * std))

    adjacency = erdos_renyi(nodes, rng, edges_per_node=EDGES_PER_NODE)
    noise = Noise.of("normal", rng.uniform(QUIETEST, LOUDEST, nodes))
    placeholders = (Equation(lambda rows: np.zeros(len(rows))),) * nodes
    return altered(StandardSCM.build(adjacency, noise, placeholders), change, rng)


def typical_tests(
    scm: SCM, observed: pd.DataFrame, rng: np.random.Generator, rows: int = 100
) -> Iterator[CounterfactualTest]:
    """Yield D tests on fresh rows: a random variable that has effects is set to a value that one of its rows has.

    A value uniform between the ends would nearly always lie among the few largest of a skewed column.
    """
    causes = np.flatnonzero(scm.adjacency.any(axis=1))
    for _ in scm.names:
        target = scm.names[rng.choice(causes) if len(causes) else rng.integers(len(scm.names))]
        do = {target: float(rng.choice(observed[target].to_numpy()))}
        factual, noise = scm.sample_arrays(rows, rng)
        truth, columns = scm.do(do).noise_to_sample(noise), list(scm.names)
        yield CounterfactualTest(pd.DataFrame(factual, columns=columns), do, pd.DataFrame(truth, columns=columns))
