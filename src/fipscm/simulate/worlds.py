"""Worlds that break one assumption each, drawn from the same priors. Shapes: N rows, D visible columns, P parents."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fipscm.arrays import Adjacency, Array, Mask
from fipscm.errors import GraphError
from fipscm.scm.base import SCM
from fipscm.scm.standard import StandardSCM
from fipscm.simulate import sample_scm
from fipscm.simulate.alterations import (
    Bump,
    Multiplied,
    Rescaled,
    Reshaped,
    altered,
    bend,
    bounded_factor,
    kink,
    standardize,
)

PLAIN, MISSING = "plain", "missing"
OUTLIER_SHARE = 0.05
MISSING_SHARE = 0.1
ERROR_SIZE = 0.3  # of a column's standard deviation


@dataclass(frozen=True)
class World:
    """A table and the truth about it.

    Attributes:
        table: (N, D) the rows a method may see; NaN where a cell is missing.
        adjacency: (D, D) the true graph of the visible columns.
        scm: what answers counterfactuals, None where the visible columns alone have no such truth.
        noise: (N, D) what the noise added to each cell, in column units, None where it is not additive.
        confounded: (D, D) symmetric, true for two columns with a hidden cause in common, None where nothing is hidden.
        clean: (N, D) the rows before some cells were recorded wrongly, None where none was.
    """

    table: pd.DataFrame
    adjacency: Adjacency
    scm: SCM | None
    noise: Array | None
    confounded: Mask | None = None
    clean: pd.DataFrame | None = None


Variant = Callable[[str, int, str, str, int, np.random.Generator], World]


def plain_world(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """The collection as it is."""
    return _observed(sample_scm(name, nodes, rng, preset, family), rows, rng)


def non_additive_world(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """Post-nonlinear: every value, noise included, is bent before anyone sees it."""
    scm = sample_scm(name, nodes, rng, preset, family)
    scm = altered(scm, lambda inner, parents, noise: Reshaped(inner, bend(inner(parents, noise))), rng)
    return World(scm.sample(rows, rng), scm.adjacency, scm, noise=None)


def hidden_confounder_world(
    name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator
) -> World:
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
    confounded = np.outer(weights, weights) != 0
    np.fill_diagonal(confounded, False)
    return World(table, scm.adjacency, scm=None, noise=None, confounded=confounded)


def mixed_world(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
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


def outliers_world(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """One row in twenty has one cell 5 to 10 standard deviations from its column's mean; the truth stays clean."""
    world = plain_world(name, nodes, preset, family, rows, rng)
    hit = rng.choice(rows, round(OUTLIER_SHARE * rows), replace=False)
    column = rng.integers(nodes, size=len(hit))
    distance = rng.uniform(5, 10, len(hit)) * rng.choice([-1, 1], len(hit))
    values = world.table.to_numpy(copy=True)
    mean, std = values.mean(axis=0), values.std(axis=0)
    values[hit, column] = mean[column] + distance * std[column]
    return replace(world, table=pd.DataFrame(values, columns=world.table.columns), clean=world.table)


def iscm_world(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """Internally standardized (Ormaniec et al. 2024): each node is standardized before its children read it.

    As in their experiments, Fourier functions keep their length scales; on unit variances they come closer to linear.
    """
    scm = sample_scm(name, nodes, rng, preset, family)
    scm = altered(scm, lambda inner, parents, noise: Reshaped(inner, standardize(inner(parents, noise))), rng)
    return _observed(scm, rows, rng)


def post_nonlinear_world(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """Every value, noise included, is stretched on one side of its mean and squeezed on the other."""
    scm = sample_scm(name, nodes, rng, preset, family)
    scm = altered(scm, lambda inner, parents, noise: Reshaped(inner, kink(inner(parents, noise), rng)), rng)
    return World(scm.sample(rows, rng), scm.adjacency, scm, noise=None)


def location_scale_world(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """The noise of every effect is loud where its causes are near their means, and quiet elsewhere."""
    scm = sample_scm(name, nodes, rng, preset, family)
    scm = altered(
        scm,
        lambda inner, parents, _: Rescaled(inner, Bump.sample(parents, rng)) if parents.shape[1] else inner,
        rng,
    )
    return _observed(scm, rows, rng)


def multiplicative_world(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """Every effect is what its causes make it, times a random factor between 0.1 and 1.9."""
    scm = sample_scm(name, nodes, rng, preset, family)
    scm = altered(
        scm,
        lambda inner, parents, noise: Multiplied(inner, bounded_factor(noise)) if parents.shape[1] else inner,
        rng,
    )
    return World(scm.sample(rows, rng), scm.adjacency, scm, noise=None)


def discrete_world(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """Every third column is recorded in whole standard deviations, at most two from its mean; the truth stays fine."""
    world = plain_world(name, nodes, preset, family, rows, rng)
    values = world.table.to_numpy(copy=True)
    coarse = values[:, ::3]
    mean, std = coarse.mean(axis=0), coarse.std(axis=0)
    values[:, ::3] = mean + std * np.clip(np.round((coarse - mean) / std), -2, 2)
    return replace(world, table=pd.DataFrame(values, columns=world.table.columns))


def missing_world(name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator) -> World:
    """One cell in ten is missing, whatever its row and column."""
    world = plain_world(name, nodes, preset, family, rows, rng)
    return replace(world, table=world.table.mask(rng.random((rows, nodes)) < MISSING_SHARE))


def measurement_error_world(
    name: str, nodes: int, preset: str, family: str, rows: int, rng: np.random.Generator
) -> World:
    """Every cell is recorded with a normal error that no effect sees; the truth stays clean."""
    world = plain_world(name, nodes, preset, family, rows, rng)
    error = ERROR_SIZE * world.table.std(ddof=0).to_numpy() * rng.standard_normal((rows, nodes))
    return replace(world, table=world.table + error)


VARIANTS: dict[str, Variant] = {
    PLAIN: plain_world,
    "non-additive": non_additive_world,
    "hidden-confounder": hidden_confounder_world,
    "mixed": mixed_world,
    "outliers": outliers_world,
    "iscm": iscm_world,
    "post-nonlinear": post_nonlinear_world,
    "location-scale": location_scale_world,
    "multiplicative": multiplicative_world,
    "discrete": discrete_world,
    MISSING: missing_world,
    "measurement-error": measurement_error_world,
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
