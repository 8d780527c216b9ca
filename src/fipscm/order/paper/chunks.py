"""The paper's way from rows to an order: chunks of the table vote on each leaf (Algorithm 3).

Shapes: B tables, N rows, D remaining variables.
"""

from typing import Self

import torch
from torch import Tensor

from fipscm.arrays import Array, Order
from fipscm.errors import OrderError
from fipscm.order.network.encoder import Logits
from fipscm.order.paper.axial import AxialEncoder
from fipscm.order.removal import remove_leaves

TOKENS_AT_ONCE = 2**18  # a few hundred MB inside the encoder at its default width


class RowsReader:
    """Tables as rows, for the paper's encoder."""

    def __init__(self, encoder: AxialEncoder, rows: Tensor):
        self.encoder, self.rows = encoder, rows

    @classmethod
    def of(cls, encoder: AxialEncoder, values: Array, raw: bool) -> Self:
        """Scale a table as in training, and cut it into tables of the size of training."""
        asked, trained = "raw" if raw else "standardized", encoder.config.scale
        if asked != trained:
            raise OrderError(f"These weights were trained on {trained} tables only: ask with scale='{trained}'.")
        return cls(encoder, _chunks(scaled(values, trained), encoder.config.rows))

    @property
    def shape(self) -> tuple[int, int]:
        """B and D."""
        return self.rows.shape[0], self.rows.shape[2]

    def logits(self) -> Logits:
        """Leaf logits; this encoder says nothing about parents."""
        _, rows, variables = self.rows.shape
        parts = torch.split(self.rows, max(1, TOKENS_AT_ONCE // (rows * variables)))
        return Logits(torch.cat([self.encoder(part) for part in parts]), None)

    def without(self, leaf: Tensor) -> Self:
        """Remove one column from each table."""
        tables, variables = self.shape
        kept = torch.arange(variables).expand(tables, -1)
        kept = kept[kept != leaf.unsqueeze(1)].view(tables, 1, variables - 1)
        return type(self)(self.encoder, self.rows.gather(2, kept.expand(-1, self.rows.shape[1], -1)))


def scaled(values: Array, scale: str) -> Array:
    """Centre the columns; divide each by its own deviation ("standardized"), or all by one common scale ("raw")."""
    centred: Array = values - values.mean(axis=0)
    return centred / (centred.std(axis=0) if scale == "standardized" else float(centred.std()))


def order_by_chunks(encoder: AxialEncoder, table: Array) -> Order:
    """Algorithm 3: cut a table, scaled as in training, into tables of the size of training, and let them vote."""
    return remove_leaves(RowsReader(encoder, _chunks(table, encoder.config.rows))).order


def _chunks(table: Array, size: int) -> Tensor:
    """(N, D) -> (B, N / B, D): as many tables as have at least `size` rows; fewer than B rows are left out."""
    count = max(1, len(table) // size)
    rows = table[: len(table) // count * count].reshape(count, -1, table.shape[1])
    return torch.from_numpy(rows).float()
