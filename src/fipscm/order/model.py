"""The order model: the one network that ships, and how it reads a table. Shapes: N rows, D variables.

The same network reads every table: two columns or many, of any kinds, standardized or raw. A network that a user
trained with `fipscm pretrain` takes its place where its weights are given.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

import torch

from fipscm.arrays import Array
from fipscm.order.network.reader import EvidenceReader, Reader
from fipscm.order.paper.axial import AxialEncoder
from fipscm.order.paper.chunks import RowsReader
from fipscm.order.removal import side_answers
from fipscm.order.weights import WEIGHTS, Encoder, load_encoder
from fipscm.usual import usual_rows


@dataclass(frozen=True)
class OrderModel:
    """A network that names leaves, and what it is shown of a table."""

    encoder: Encoder

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The model of a weights file."""
        return cls(load_encoder(path))

    def read(self, values: Array, raw: bool) -> Reader:
        """Rows (N, D) without missing cells, as the network sees them; rows with outliers are left out.

        The paper's encoder sees all rows, as in the paper.
        """
        if isinstance(self.encoder, AxialEncoder):
            return RowsReader.of(self.encoder, values, raw)
        return EvidenceReader.of(self.encoder, values[usual_rows(values)][None], raw)

    @torch.no_grad()
    def confounded(self, values: Array, raw: bool = False) -> Array | None:
        """(D, D), the probability that a hidden variable causes both columns of rows (N, D); None if it cannot tell."""
        return side_answers(self.read(values, raw).logits())[0]


@lru_cache(maxsize=1)
def shipped_model() -> OrderModel:
    """The order model that comes with the package, read from its file once."""
    return OrderModel.load(WEIGHTS)
