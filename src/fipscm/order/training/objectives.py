"""What each encoder is trained on: its batches, the loss of a batch, and the figures for the log."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fipscm.order.network.encoder import EvidenceConfig, EvidenceEncoder
from fipscm.order.paper.axial import AxialConfig, AxialEncoder
from fipscm.order.paper.chunks import RowsReader
from fipscm.order.paper.ordering_error import single_step_error
from fipscm.order.training.examples import RowsBatch, Slab, rows_batch, training_batch
from fipscm.order.training.loss import confounder_loss, task_loss, top_hits
from fipscm.order.training.recipe import Stage
from fipscm.order.weights import EncoderConfig

CONFOUNDER_WEIGHT = 0.3  # of what is told besides the order: it may help the order, and must not outweigh it


class EvidenceObjective(nn.Module):
    """The loss of a batch as one forward pass, so that it can be distributed."""

    def __init__(self, encoder: EvidenceEncoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, batch: list[Slab]) -> tuple[Tensor, Tensor]:
        """Return the loss, and the figures for the log."""
        rows = []
        for slab in batch:
            logits = self.encoder(slab.pair, slab.node, slab.scale, slab.raw)
            losses = *task_loss(logits, slab.leaf, slab.parent), confounder_loss(logits, slab.confounded)
            hits = top_hits(logits.leaf, slab.leaf)
            rows.append(torch.stack([*losses, hits[slab.raw == 0].mean(), hits[slab.raw == 1].mean()]))
        figures = torch.stack(rows).mean(dim=0)
        leaf, parent, confounded = figures[:3]
        return leaf + parent + CONFOUNDER_WEIGHT * confounded, figures.detach()


class PaperObjective(nn.Module):
    """The paper's loss at one random step of leaf removal, as one forward pass."""

    def __init__(self, encoder: AxialEncoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, batch: RowsBatch) -> tuple[Tensor, Tensor]:
        """Return the loss, and the figures for the log."""
        reader, rng = RowsReader(self.encoder, batch.rows), np.random.default_rng(batch.seed)
        loss = single_step_error(reader, batch.graphs, rng).mean()
        return loss, loss.detach().view(1)


@dataclass(frozen=True)
class Course:
    """How one kind of encoder is trained.

    Attributes:
        batch: simulates the batch of some seeds, for a stage and this encoder.
        objective: from the encoder to a module that returns the loss of a batch and its figures.
        figures: their names.
    """

    batch: Callable[[Stage, Any, Sequence[int]], Any]
    objective: Callable[[Any], nn.Module]
    figures: tuple[str, ...]


def _evidence_batch(stage: Stage, encoder: EvidenceConfig, seeds: Sequence[int]) -> list[Slab]:
    return training_batch(stage, seeds)


COURSES: dict[type[EncoderConfig], Course] = {
    EvidenceConfig: Course(
        _evidence_batch,
        EvidenceObjective,
        ("leaf loss", "parent loss", "confounder loss", "top-1 leaf, standardized", "top-1 leaf, raw"),
    ),
    AxialConfig: Course(rows_batch, PaperObjective, ("leaf loss",)),
}
