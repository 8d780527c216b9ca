"""Simulated training tables: batch k is a function of the seed and k alone, so that any run can resume.

Shapes: B tables, N rows, D variables.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fipscm.arrays import Adjacency, Mask
from fipscm.errors import unknown_name
from fipscm.graph import leaves, relabel, remaining_after_leaf_removal
from fipscm.order.evidence.table import Evidence
from fipscm.order.network.encoder import WORLDS
from fipscm.order.network.reader import TABLES
from fipscm.order.paper.axial import AxialConfig
from fipscm.order.paper.chunks import scaled
from fipscm.order.training.p_in import training_scm
from fipscm.order.training.prior import FAMILIES, TrainingTable, sample_training_table


@dataclass(frozen=True)
class TaskConfig:
    """From what and how large the training tables are, and how many make a batch.

    Attributes:
        seed: of the whole stream.
        nodes: ranges of the number of variables, one drawn per batch with its weight.
        rows: smallest and largest number of rows, on the scale of logarithms; the paper's encoder has a fixed one.
        cells: most cells of a table, so that a large table does not take the time of many small ones.
        scms: most tables per batch.
        pairs: most pairs of variables in all tables of a batch, so that every batch takes about the same time.
        prior: "p-in" for the paper's additive noise, "wide" for tables as varied as real ones.
        prefixes: from each table, so many numbers of leaves are removed; the paper's encoder has one per batch.
        passes: how often a batch is seen on average: simulating a table takes longer than learning from it.
        pool: how many of the last batches may be seen again.
    """

    seed: int = 0
    nodes: tuple[tuple[int, int, float], ...] = ((3, 10, 0.2), (11, 20, 0.5), (21, 50, 0.27), (51, 100, 0.03))
    rows: tuple[int, int] = (100, 10_000)
    cells: int = 120_000
    scms: int = 4
    pairs: int = 100_000
    prefixes: int = 4
    prior: str = "p-in"
    passes: int = 1
    pool: int = 800


SAMPLERS: dict[str, Callable[[int, int, np.random.Generator], TrainingTable]] = {
    "p-in": FAMILIES["p-in"],
    "wide": lambda nodes, rows, rng: sample_training_table(nodes, rows, rng, dict.fromkeys(FAMILIES, 1.0)),
}
# A run starts on small tables: many of them in little time, with the same kinds of mechanisms and noises.
CURRICULUM = {
    "small": TaskConfig(nodes=((3, 10, 0.3), (11, 20, 0.7)), rows=(100, 2000)),
    "mixed": TaskConfig(),
    "wide": TaskConfig(
        nodes=((2, 5, 0.15), (6, 10, 0.35), (11, 20, 0.32), (21, 50, 0.15), (51, 100, 0.03)),
        rows=(30, 10_000),
        scms=16,
        pairs=2_500,
        prior="wide",
        passes=8,
    ),
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
    confounded: Tensor  # (B, D, D), 1 where a hidden variable causes both
    world: Tensor  # (B,), place in WORLDS
    raw: Tensor  # (B,), 1 where the columns' variances may be read: of every second table


@dataclass(frozen=True)
class Example:
    """What is left of a table, and the truth about it."""

    evidence: Evidence
    adjacency: Adjacency
    confounded: Mask
    world: str


def training_batch(config: TaskConfig, index: int, evidence: str = "values") -> list[Slab]:
    """Simulate batch number `index` as the evidence that a network reads: one slab per number of variables left."""
    rng = np.random.default_rng([config.seed, index])
    nodes = draw_nodes(config, rng)
    counts = np.sort(rng.choice(nodes - 1, size=min(config.prefixes, nodes - 1), replace=False))
    tables = [_examples(config, nodes, counts, evidence, rng) for _ in range(tables_of(config, nodes))]
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


def batch_of_step(config: TaskConfig, step: int) -> tuple[int, bool]:
    """The batch to train on at a step, and whether in the other scale: now and then a new one, else one of the last.

    >>> [batch_of_step(TaskConfig(passes=3), step) for step in (0, 3, 6)]
    [(0, False), (1, False), (2, False)]
    """
    newest, since = divmod(step, config.passes)
    if not since:
        return newest, False
    rng = np.random.default_rng([config.seed, step])
    return int(rng.integers(max(0, newest - config.pool), newest + 1)), bool(rng.integers(2))


def tables_of(config: TaskConfig, nodes: int) -> int:
    """How many tables of so many variables make a batch; at least two, one for each scale.

    >>> [tables_of(TaskConfig(scms=12, pairs=2_500), nodes) for nodes in (2, 20, 100)]
    [12, 6, 2]
    """
    return max(2, min(config.scms, config.pairs // nodes**2))


def draw_nodes(config: TaskConfig, rng: np.random.Generator) -> int:
    """Draw the number of variables of the tables of a batch."""
    weights = np.array([weight for _, _, weight in config.nodes])
    low, high, _ = config.nodes[rng.choice(len(weights), p=weights / weights.sum())]
    return int(rng.integers(low, high + 1))


def draw_rows(config: TaskConfig, nodes: int, rng: np.random.Generator) -> int:
    """Draw the number of rows of a table: the larger of two draws, because few rows have little to teach."""
    most = min(config.rows[1], max(config.rows[0] + 1, config.cells // nodes))
    return round(math.exp(rng.uniform(math.log(config.rows[0]), math.log(most), 2).max()))


def _examples(
    config: TaskConfig, nodes: int, counts: NDArray[np.int64], evidence: str, rng: np.random.Generator
) -> list[Example]:
    """One simulated table with growing numbers of leaves removed."""
    drawn = SAMPLERS[config.prior](nodes, draw_rows(config, nodes, rng), rng)
    table, adjacency, confounded = TABLES[evidence].of(drawn.values), drawn.adjacency, drawn.confounded
    examples = []
    for count in np.diff(counts, prepend=0):
        kept = remaining_after_leaf_removal(adjacency, int(count), rng)
        adjacency, confounded = relabel(adjacency, kept), confounded[np.ix_(kept, kept)]
        table = table.keep(torch.from_numpy(kept))
        examples.append(Example(table.evidence(), adjacency, confounded, WORLDS[0]))
    return examples


def _slab(examples: tuple[Example, ...]) -> Slab:
    return Slab(
        torch.stack([example.evidence.pair for example in examples]),
        torch.stack([example.evidence.node for example in examples]),
        torch.stack([example.evidence.scale for example in examples]),
        _float([leaves(example.adjacency) for example in examples]),
        _float([example.adjacency.T for example in examples]),
        _float([example.confounded for example in examples]),
        torch.tensor([WORLDS.index(example.world) for example in examples]),
        torch.arange(len(examples)).remainder(2).float(),
    )


def _float(arrays: list[Mask] | list[Adjacency]) -> Tensor:
    return torch.from_numpy(np.stack(arrays)).float().contiguous()
