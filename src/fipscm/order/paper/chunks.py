"""The paper's way from rows to an order: chunks of the table vote on each leaf (Algorithm 3).

Shapes: B tables, N rows, D remaining variables.
"""

from typing import Self

import torch
from torch import Tensor

from fipscm.arrays import Array, Order
from fipscm.order.encoder import Logits
from fipscm.order.paper.axial import AxialEncoder
from fipscm.order.removal import Choice, hard_vote, remove_leaves


class RowsReader:
    """Tables as rows, for the paper's encoder."""

    def __init__(self, encoder: AxialEncoder, rows: Tensor):
        self.encoder, self.rows = encoder, rows

    @property
    def shape(self) -> tuple[int, int]:
        """B and D."""
        return self.rows.shape[0], self.rows.shape[2]

    def logits(self) -> Logits:
        """Leaf logits; this encoder says nothing about parents."""
        return Logits(self.encoder(self.rows), None)

    def without(self, leaf: Tensor) -> Self:
        """Take one column away from each table."""
        tables, variables = self.shape
        kept = torch.arange(variables).expand(tables, -1)
        kept = kept[kept != leaf.unsqueeze(1)].view(tables, 1, variables - 1)
        return type(self)(self.encoder, self.rows.gather(2, kept.expand(-1, self.rows.shape[1], -1)))


def order_by_chunks(encoder: AxialEncoder, table: Array, chunk_rows: int = 200, vote: Choice = hard_vote) -> Order:
    """Algorithm 3: cut a table, scaled as in training, into tables of the size of training, and let them vote."""
    chunks = max(1, len(table) // chunk_rows)
    rows = table[: chunks * chunk_rows].reshape(chunks, -1, table.shape[1])
    return remove_leaves(RowsReader(encoder, torch.from_numpy(rows).float()), vote).order
