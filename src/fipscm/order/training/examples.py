"""Simulated training tables: batch k of a stage is a function of its seed alone, so that any run can resume.

Shapes: B tables, N rows, D variables.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fipscm.arrays import Adjacency, Mask
from fipscm.graph import leaves, relabel, remaining_after_leaf_removal
from fipscm.order.evidence.observations import Observations
from fipscm.order.evidence.table import EvidenceTable
from fipscm.order.evidence.view import Evidence
from fipscm.order.paper.axial import AxialConfig
from fipscm.order.paper.chunks import scaled
from fipscm.order.training.recipe import Stage
from fipscm.simulate.prior.p_in import training_scm
from fipscm.simulate.prior.training_table import draw_nodes, draw_rows, sample_training_table


@dataclass(frozen=True)
class Slab:
    """Evidence and answers of B tables that all have D variables left."""

    pair: Tensor
    node: Tensor
    scale: Tensor
    leaf: Tensor  # (B, D), 1 for leaves
    parent: Tensor  # (B, D, D) at [j, i], 1 where i is a parent of j
    confounded: Tensor  # (B, D, D), 1 where a hidden variable causes both
    raw: Tensor  # (B,), 1 where the columns' variances may be read: of every second table


@dataclass(frozen=True)
class Example:
    """What is left of a table, and the truth about it."""

    evidence: Evidence
    adjacency: Adjacency
    confounded: Mask


def training_batch(stage: Stage, seeds: Sequence[int]) -> list[Slab]:
    """Simulate a batch as the evidence that a network reads: one slab per number of variables left."""
    rng = np.random.default_rng(seeds)
    nodes = draw_nodes(stage.nodes, rng)
    counts = np.sort(rng.choice(nodes - 1, size=min(stage.prefixes, nodes - 1), replace=False))
    tables = [_examples(stage, nodes, counts, rng) for _ in range(tables_of(stage, nodes))]
    return [_slab(examples) for examples in zip(*tables, strict=True)]


@dataclass(frozen=True)
class RowsBatch:
    """B tables of one size as rows, and their graphs; the seed decides which leaves are removed."""

    rows: Tensor  # (B, N, D)
    graphs: list[Adjacency]
    seed: int


def rows_batch(stage: Stage, encoder: AxialConfig, seeds: Sequence[int]) -> RowsBatch:
    """Simulate a batch for the paper's encoder: tables of as many rows and of the scale it reads."""
    rng = np.random.default_rng(seeds)
    nodes = draw_nodes(stage.nodes, rng)
    scms = [training_scm(nodes, rng) for _ in range(stage.scms)]
    tables = [scaled(scm.sample_arrays(encoder.rows, rng)[0], encoder.scale) for scm in scms]
    rows = torch.from_numpy(np.stack(tables)).float()
    return RowsBatch(rows, [scm.adjacency for scm in scms], int(rng.integers(2**31)))


def batch_of_step(stage: Stage, step: int, seeds: Sequence[int]) -> tuple[int, bool]:
    """The batch to train on at a step, and whether in the other scale: a new one in every round, else one of the last.

    The new one comes at another place in each round, so that simulators who take steps in turn share the work.
    """
    newest, place = divmod(step, stage.passes)
    if place == newest % stage.passes:
        return newest, False
    rng, known = np.random.default_rng([*seeds, step]), newest + (place > newest % stage.passes)
    return int(rng.integers(max(0, newest - stage.pool), known)), bool(rng.integers(2))


def tables_of(stage: Stage, nodes: int) -> int:
    """How many tables of so many variables make a batch; at least two, one for each scale."""
    return max(2, min(stage.scms, stage.pairs // nodes**2))


def _examples(stage: Stage, nodes: int, counts: NDArray[np.int64], rng: np.random.Generator) -> list[Example]:
    """One simulated table with growing numbers of leaves removed."""
    most = min(stage.rows[1], max(stage.rows[0] + 1, stage.cells // nodes))
    drawn = sample_training_table(nodes, draw_rows(stage.rows[0], most, rng), rng, stage.families)
    adjacency, confounded = drawn.adjacency, drawn.confounded
    table = EvidenceTable.of(Observations.of(drawn.values, drawn.kinds))
    examples = []
    for count in np.diff(counts, prepend=0):
        kept = remaining_after_leaf_removal(adjacency, int(count), rng)
        adjacency, confounded = relabel(adjacency, kept), confounded[np.ix_(kept, kept)]
        table = table.keep(torch.from_numpy(kept))
        examples.append(Example(table.evidence(), adjacency, confounded))
    return examples


def _slab(examples: tuple[Example, ...]) -> Slab:
    return Slab(
        torch.stack([example.evidence.pair for example in examples]),
        torch.stack([example.evidence.node for example in examples]),
        torch.stack([example.evidence.scale for example in examples]),
        _float([leaves(example.adjacency) for example in examples]),
        _float([example.adjacency.T for example in examples]),
        _float([example.confounded for example in examples]),
        torch.arange(len(examples)).remainder(2).float(),
    )


def _float(arrays: list[Mask] | list[Adjacency]) -> Tensor:
    return torch.from_numpy(np.stack(arrays)).float().contiguous()
