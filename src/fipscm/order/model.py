"""The order model: the one network that ships, and how it reads a table.

The same network reads every table: two columns or many, of any kinds, standardized or raw. A network that a user
trained with `fipscm pretrain` takes its place where its weights are given.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

import torch

from fipscm.arrays import Array
from fipscm.order.evidence.observations import Observations
from fipscm.order.network.reader import EvidenceReader, Reader
from fipscm.order.paper.axial import AxialEncoder
from fipscm.order.paper.chunks import RowsReader
from fipscm.order.removal import shared_causes
from fipscm.order.weights import WEIGHTS, Encoder, load_encoder


@dataclass(frozen=True)
class OrderModel:
    """A network that names leaves, and what it is shown of a table."""

    encoder: Encoder

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The model of a weights file."""
        return cls(load_encoder(path))

    def read(self, observations: Observations, raw: bool) -> Reader:
        """Rows of a table as the network sees them: statistics of all of them, or the rows in the paper's encoder."""
        if isinstance(self.encoder, AxialEncoder):
            return RowsReader.of(self.encoder, observations.numbers, raw)
        return EvidenceReader.of(self.encoder, [observations], raw)

    @torch.no_grad()
    def confounded(self, observations: Observations, raw: bool = False) -> Array | None:
        """(D, D), the probability that a hidden variable causes both columns; None if the network cannot tell."""
        return shared_causes(self.read(observations, raw).logits())


@lru_cache(maxsize=1)
def shipped_model() -> OrderModel:
    """The order model that comes with the package, read from its file once."""
    return OrderModel.load(WEIGHTS)
