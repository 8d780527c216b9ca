"""Simulated training tables: batch k is a function of the seed and k alone, so that any run can resume.

Shapes: B tables, N rows, D variables. The prior is P_IN in both presets, half of the time with other noises. The
graphs, Laplace noise and parameter ranges of P_OUT never appear.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fipscm.arrays import Adjacency, Array
from fipscm.errors import unknown_name
from fipscm.graph import leaves, relabel, remaining_after_leaf_removal
from fipscm.order.evidence.table import Evidence, EvidenceTable
from fipscm.order.paper.axial import AxialConfig
from fipscm.order.paper.chunks import scaled
from fipscm.scm.standard import StandardSCM
from fipscm.simulate import PRIORS, Noise
from fipscm.simulate.mechanisms import Equation

OTHER_NOISES = ("normal", "uniform", "t3", "t5", "exponential", "gumbel", "two-bumps")


@dataclass(frozen=True)
class TaskConfig:
    """How large the training tables are, and how many make a batch.

    Attributes:
        seed: of the whole stream.
        nodes: ranges of the number of variables, one drawn per batch with its weight.
        rows: smallest and largest number of rows, drawn log-uniformly per table; the paper's encoder has a fixed one.
        cells: most cells of a table, so that a large table does not take the time of many small ones.
        scms: tables per batch.
        prefixes: from each table, so many numbers of leaves are removed; the paper's encoder has one per batch.
    """

    seed: int = 0
    nodes: tuple[tuple[int, int, float], ...] = ((3, 10, 0.2), (11, 20, 0.5), (21, 50, 0.27), (51, 100, 0.03))
    rows: tuple[int, int] = (100, 10_000)
    cells: int = 120_000
    scms: int = 4
    prefixes: int = 4


# A run starts on small tables: many of them in little time, with the same kinds of mechanisms and noises.
CURRICULUM = {
    "small": TaskConfig(nodes=((3, 10, 0.3), (11, 20, 0.7)), rows=(100, 2000)),
    "mixed": TaskConfig(),
}


def curriculum(name: str, seed: int) -> TaskConfig:
    """Look up a stage of the training."""
    if name not in CURRICULUM:
        raise unknown_name("stage of the training", name, CURRICULUM)
    return replace(CURRICULUM[name], seed=seed)


@dataclass(frozen=True)
class Slab:
    """Evidence and answers of B tables that all have D variables left."""

    pair: Tensor
    node: Tensor
    scale: Tensor
    leaf: Tensor  # (B, D), 1 for leaves
    parent: Tensor  # (B, D, D) at [j, i], 1 where i is a parent of j


Example = tuple[Evidence, Adjacency]  # what is left of a table, and the graph over it


def training_batch(config: TaskConfig, index: int) -> list[Slab]:
    """Simulate batch number `index`: one slab per number of variables left."""
    rng = np.random.default_rng([config.seed, index])
    nodes = draw_nodes(config, rng)
    counts = np.sort(rng.choice(nodes - 1, size=min(config.prefixes, nodes - 1), replace=False))
    tables = [_examples(config, nodes, counts, rng) for _ in range(config.scms)]
    return [_slab(examples) for examples in zip(*tables, strict=True)]


@dataclass(frozen=True)
class RowsBatch:
    """B tables of one size as rows, and their graphs; the seed decides which leaves are removed."""

    rows: Tensor  # (B, N, D)
    graphs: list[Adjacency]
    seed: int


def rows_batch(config: TaskConfig, encoder: AxialConfig, index: int) -> RowsBatch:
    """Simulate batch number `index` for the paper's encoder: tables of as many rows and of the scale it reads."""
    rng = np.random.default_rng([config.seed, index])
    nodes = draw_nodes(config, rng)
    scms = [training_scm(nodes, rng) for _ in range(config.scms)]
    tables = [scaled(scm.sample_arrays(encoder.rows, rng)[0], encoder.scale) for scm in scms]
    rows = torch.from_numpy(np.stack(tables)).float()
    return RowsBatch(rows, [scm.adjacency for scm in scms], int(rng.integers(2**31)))


def draw_nodes(config: TaskConfig, rng: np.random.Generator) -> int:
    """Draw the number of variables of the tables of a batch."""
    weights = np.array([weight for _, _, weight in config.nodes])
    low, high, _ = config.nodes[rng.choice(len(weights), p=weights / weights.sum())]
    return int(rng.integers(low, high + 1))


def draw_rows(config: TaskConfig, nodes: int, rng: np.random.Generator) -> int:
    """Draw the number of rows of a table."""
    most = min(config.rows[1], max(config.rows[0] + 1, config.cells // nodes))
    return round(math.exp(rng.uniform(math.log(config.rows[0]), math.log(most))))


def _examples(config: TaskConfig, nodes: int, counts: NDArray[np.int64], rng: np.random.Generator) -> list[Example]:
    """One simulated table with growing numbers of leaves removed."""
    rows = draw_rows(config, nodes, rng)
    scm = training_scm(nodes, rng)
    values, _ = scm.sample_arrays(rows, rng)
    table, adjacency = EvidenceTable.of(values), scm.adjacency
    examples = []
    for count in np.diff(counts, prepend=0):
        kept = remaining_after_leaf_removal(adjacency, int(count), rng)
        adjacency = relabel(adjacency, kept)
        table = table.keep(torch.from_numpy(kept))
        examples.append((table.evidence(), adjacency))
    return examples


def _slab(examples: tuple[Example, ...]) -> Slab:
    evidence, graphs = zip(*examples, strict=True)
    return Slab(
        torch.stack([found.pair for found in evidence]),
        torch.stack([found.node for found in evidence]),
        torch.stack([found.scale for found in evidence]),
        torch.from_numpy(np.stack([leaves(graph) for graph in graphs])).float(),
        torch.from_numpy(np.stack([graph.T for graph in graphs])).float(),
    )


def training_scm(nodes: int, rng: np.random.Generator) -> StandardSCM:
    """Draw from P_IN, either preset, linear or not; half of the time with other noises."""
    preset, name = rng.choice(["avici", "released"]), rng.choice(["lin-in", "rff-in"])
    scm = PRIORS[preset][name].sample(nodes, rng)
    return _with_other_noise(scm, rng) if rng.random() < 0.5 else scm


def _with_other_noise(scm: StandardSCM, rng: np.random.Generator) -> StandardSCM:
    """Replace the noise law (one for all or one each); in 40 % of the tables the scale depends on the parents."""
    nodes = len(scm.names)
    laws = tuple(rng.choice(OTHER_NOISES, nodes if rng.random() < 0.3 else 1).tolist())
    scale = rng.uniform(0.2, 2.0, nodes if rng.random() < 0.5 else 1) * np.ones(nodes)
    functions = scm.functions
    if rng.random() < 0.4:
        functions = tuple(
            replace(function, scale=Modulation.sample(int(scm.adjacency[:, node].sum()), rng))
            for node, function in enumerate(functions)
            if isinstance(function, Equation)
        )
    return replace(scm, noise=Noise.of(laws, scale), functions=functions)


@dataclass(frozen=True)
class Modulation:
    """A noise scale that depends on the parents: exp(depth * sin(<direction, parents> + phase))."""

    direction: Array
    phase: float
    depth: float

    @classmethod
    def sample(cls, parents: int, rng: np.random.Generator) -> "Modulation":
        """Draw the direction and the rate at which the scale changes, and by how much."""
        direction = rng.standard_normal(parents) * math.exp(rng.uniform(math.log(0.03), math.log(0.5)))
        return cls(direction, rng.uniform(0, 2 * math.pi), rng.uniform(0.0, 1.0))

    def __call__(self, parents: Array) -> Array:
        """(N, P) -> (N,)."""
        return np.exp(self.depth * np.sin(parents @ self.direction + self.phase))
