"""Tables as encoders read them while leaves are removed: one interface for all encoders.

Shapes: B tables, N rows, D remaining variables.
"""

from collections.abc import Sequence
from typing import Protocol, Self

import torch
from torch import Tensor

from fipscm.order.evidence.observations import Observations
from fipscm.order.evidence.table import EvidenceTable
from fipscm.order.network.encoder import EvidenceEncoder, Logits


class Reader(Protocol):
    """B tables over the same number of remaining variables, and the network that reads them."""

    @property
    def shape(self) -> tuple[int, int]:
        """B and D."""
        ...

    def logits(self) -> Logits:
        """Leaf logits (B, D), and parent logits (B, D, D) from an encoder that has them."""
        ...

    def without(self, leaf: Tensor) -> Self:
        """The same tables, each without one variable; leaf: (B,) positions among the remaining ones."""
        ...


class EvidenceReader:
    """Tables as evidence: statistics of their variables and pairs."""

    def __init__(self, encoder: EvidenceEncoder, tables: Sequence[EvidenceTable], raw: bool):
        self.encoder, self.tables, self.raw = encoder, tables, raw

    @classmethod
    def of(cls, encoder: EvidenceEncoder, tables: Sequence[Observations], raw: bool) -> Self:
        """Tables with the same number of columns."""
        return cls(encoder, [EvidenceTable.of(table) for table in tables], raw)

    @property
    def shape(self) -> tuple[int, int]:
        """B and D."""
        return len(self.tables), len(self.tables[0].kept)

    def logits(self) -> Logits:
        """Compute the evidence on what remains and read it."""
        found = [table.evidence() for table in self.tables]
        pair, node, scale = (torch.stack([getattr(e, part) for e in found]) for part in ("pair", "node", "scale"))
        answer: Logits = self.encoder(
            pair, node, scale, torch.full((len(found),), float(self.raw), dtype=torch.float32)
        )
        return answer

    def without(self, leaf: Tensor) -> Self:
        """Remove one variable from each table."""
        shrunk = [table.without(int(position)) for table, position in zip(self.tables, leaf, strict=True)]
        return type(self)(self.encoder, shrunk, self.raw)
