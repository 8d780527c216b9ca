"""Worlds that break one assumption each, drawn from the same priors. Shapes: N rows, D visible columns, P parents."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fipscm.arrays import Adjacency, Array
from fipscm.errors import GraphError
from fipscm.scm.base import SCM
from fipscm.scm.standard import NodeFunction, StandardSCM
from fipscm.simulate import sample_scm
from fipscm.simulate.mechanisms import Transform

PLAIN = "plain"
POPULATION = 20_000
OUTLIER_SHARE = 0.05


@dataclass(frozen=True)
class World:
    """A table and the truth about it.

    Attributes:
        table: (N, D) the rows a method may see.
        adjacency: (D, D) the true graph of the visible columns.
        scm: what answers counterfactuals, None where the visible columns alone have no such truth.
        noise: (N, D) what the noise added to each cell, in column units, None where it is not additive.
    """

    table: pd.DataFrame
    adjacency: Adjacency
    scm: SCM | None
    noise: Array | None


Variant = Callable[[str, int, str, str, int, np.random.Generator], World]


def plain(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """The collection as it is."""
    return _observed(sample_scm(name, nodes, rng, preset, family), rows, rng)


def non_additive(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """Post-nonlinear: every value, noise included, is bent before anyone sees it."""
    scm = _reshaped(sample_scm(name, nodes, rng, preset, family), _bend, rng)
    return World(scm.sample(rows, rng), scm.adjacency, scm, noise=None)


def hidden_confounder(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """A root that nobody sees moves a quarter of the columns, at least two, one to two times as much as their noise."""
    if nodes < 2:
        raise GraphError(f"A confounder needs two variables to confuse, not {nodes}: ask for at least two.")
    scm = sample_scm(name, nodes, rng, preset, family)
    noise = scm.noise.sample(rows, rng)
    effects = rng.choice(nodes, max(2, nodes // 4), replace=False)
    weights = np.zeros(nodes)
    weights[effects] = rng.uniform(1, 2, len(effects)) * rng.choice([-1, 1], len(effects))
    # To enter where the noise enters is to be one more parent of the node.
    hidden = rng.standard_normal((rows, 1)) * weights * noise.std(axis=0)
    table = pd.DataFrame(scm.noise_to_sample(noise + hidden), columns=list(scm.names))
    return World(table, scm.adjacency, scm=None, noise=None)


def mixed(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """Each node is linear or Fourier by a coin; graph and noise are those of the named collection."""
    seed, side = rng.integers(2**63), name.partition("-")[2]
    # Every prior draws its graph first, so that one seed gives both kinds of function the same graph.
    named, linear, fourier = (
        sample_scm(kind, nodes, np.random.default_rng(seed), preset, family)
        for kind in (name, f"lin-{side}", f"rff-{side}")
    )
    pairs = zip(linear.functions, fourier.functions, strict=True)
    functions = tuple(pair[coin] for pair, coin in zip(pairs, rng.integers(2, size=nodes), strict=True))
    return _observed(replace(named, functions=functions), rows, rng)


def outliers(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """One row in twenty has one cell 5 to 10 standard deviations from its column's mean; the truth stays clean."""
    world = plain(name, nodes, preset, family, rows, rng)
    hit = rng.choice(rows, round(OUTLIER_SHARE * rows), replace=False)
    column = rng.integers(nodes, size=len(hit))
    distance = rng.uniform(5, 10, len(hit)) * rng.choice([-1, 1], len(hit))
    values = world.table.to_numpy(copy=True)
    mean, std = values.mean(axis=0), values.std(axis=0)
    values[hit, column] = mean[column] + distance * std[column]
    return replace(world, table=pd.DataFrame(values, columns=world.table.columns))


def iscm(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """Internally standardized (Ormaniec et al. 2024): each node is standardized before its children read it.

    As in their experiments, Fourier functions keep their length scales; on unit variances they come closer to linear.
    """
    return _observed(_reshaped(sample_scm(name, nodes, rng, preset, family), _standardize, rng), rows, rng)


VARIANTS: dict[str, Variant] = {
    PLAIN: plain,
    "non-additive": non_additive,
    "hidden-confounder": hidden_confounder,
    "mixed": mixed,
    "outliers": outliers,
    "iscm": iscm,
}


def additive_noise(scm: StandardSCM, table: pd.DataFrame) -> Array:
    """(N, D) what the noise added to each cell: its value less what its parents alone would have made it."""
    values = table.to_numpy()
    still = [
        function(values[:, scm.adjacency[:, node] == 1], np.zeros(len(values)))
        for node, function in enumerate(scm.functions)
    ]
    return values - np.column_stack(still)


def _observed(scm: StandardSCM, rows: int, rng: np.random.Generator) -> World:
    table = scm.sample(rows, rng)
    return World(table, scm.adjacency, scm, additive_noise(scm, table))


@dataclass(frozen=True)
class _Reshaped:
    """A node function whose value passes through a monotone transform."""

    inner: NodeFunction
    outer: Transform

    def __call__(self, parents: Array, noise: Array) -> Array:
        return self.outer.forward(self.inner(parents, noise))

    def invert(self, parents: Array, values: Array) -> Array:
        return self.inner.invert(parents, self.outer.backward(values))


def _reshaped(scm: StandardSCM, shape: Callable[[Array], Transform], rng: np.random.Generator) -> StandardSCM:
    """Pass each node's value through the transform that fits its population, causes first."""
    noise = scm.noise.sample(POPULATION, rng)
    population = np.zeros_like(noise)
    functions = list(scm.functions)
    for node in scm.order:
        raw = functions[node](population[:, scm.adjacency[:, node] == 1], noise[:, node])
        outer = shape(raw)
        functions[node] = _Reshaped(functions[node], outer)
        population[:, node] = outer.forward(raw)
    return replace(scm, functions=tuple(functions))


def _standardize(population: Array) -> Transform:
    mean, std = population.mean(), population.std()
    return Transform(lambda raw: (raw - mean) / std, lambda value: mean + std * value)


def _bend(population: Array) -> Transform:
    """Slope one at the mean, falling to a quarter at two standard deviations."""
    mean, std = population.mean(), population.std()
    return Transform(
        lambda raw: mean + std * np.arcsinh(2 * (raw - mean) / std) / 2,
        lambda value: mean + std * np.sinh(2 * (value - mean) / std) / 2,
    )
