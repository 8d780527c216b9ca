"""Tables as encoders read them while leaves are removed: one interface for all encoders.

Shapes: B tables, N rows, D remaining variables.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, Self

import torch
from torch import Tensor, nn

from fipscm.arrays import Array
from fipscm.order.evidence.table import Evidence, EvidenceTable
from fipscm.order.evidence.views import ViewsTable, of_one_view
from fipscm.order.network.encoder import EvidenceEncoder, Logits
from fipscm.order.network.views_encoder import ViewsEncoder


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


BOTH = "both"  # views at once

# By what an encoder reads.
TABLES: dict[str, type[EvidenceTable] | type[ViewsTable]] = {"values": EvidenceTable, "views": ViewsTable}


class EvidenceReader:
    """Tables as evidence: statistics of their variables and pairs."""

    def __init__(
        self, encoder: EvidenceEncoder | ViewsEncoder, tables: Sequence[EvidenceTable | ViewsTable], raw: bool
    ):
        self.encoder, self.tables, self.raw = encoder, tables, raw

    @classmethod
    def of(cls, encoder: EvidenceEncoder | ViewsEncoder, rows: Array, raw: bool) -> Self:
        """rows: (B, N, D)."""
        return cls(encoder, [TABLES[encoder.config.evidence].of(table) for table in rows], raw)

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


class Voice(NamedTuple):
    """A network, the view that it reads, "values", "ranks" or "both", and what its log odds count."""

    encoder: nn.Module
    view: str
    share: float

    def read(self, evidence: Evidence, raw: bool) -> Logits:
        """The answer to the evidence (2, D, ...) on both views of one table."""
        seen = evidence if self.view == BOTH else of_one_view(evidence, self.view)
        parts = (part.unsqueeze(0) for part in (seen.pair, seen.node, seen.scale))
        answer: Logits = self.encoder(*parts, torch.full((1,), float(raw), dtype=torch.float32))
        return answer


class VoicesReader:
    """One table as several networks read the same evidence; they answer by the weighted mean of their log odds.

    What is told besides leaves and parents is told by the last one. Shares add up to one.
    """

    def __init__(self, voices: Sequence[Voice], table: ViewsTable, raw: bool):
        self.voices, self.table, self.raw = voices, table, raw

    @property
    def shape(self) -> tuple[int, int]:
        """B and D."""
        return 1, len(self.table.kept)

    def logits(self) -> Logits:
        """Compute the evidence on what remains, once, and let all read it."""
        evidence = self.table.evidence()
        answers = [voice.read(evidence, self.raw) for voice in self.voices]
        shares = [voice.share for voice in self.voices]
        leaf = _weighted([answer.leaf for answer in answers], shares)
        parents = [answer.parent for answer in answers if answer.parent is not None]
        return answers[-1]._replace(leaf=leaf, parent=_weighted(parents, shares))

    def without(self, leaf: Tensor) -> Self:
        """Remove one variable."""
        return type(self)(self.voices, self.table.without(int(leaf)), self.raw)


def _weighted(parts: Sequence[Tensor], shares: Sequence[float]) -> Tensor:
    return torch.stack([share * part for share, part in zip(shares, parts, strict=True)]).sum(dim=0)


class HalvesReader:
    """The same variables in two tables, each with half of the say; only the second need tell more than the order."""

    def __init__(self, first: Reader, second: Reader):
        self.first, self.second = first, second

    @property
    def shape(self) -> tuple[int, int]:
        """B and D."""
        return self.first.shape

    def logits(self) -> Logits:
        """Average what both say of leaves and parents."""
        one, two = self.first.logits(), self.second.logits()
        parent = None if one.parent is None or two.parent is None else (one.parent + two.parent) / 2
        return two._replace(leaf=(one.leaf + two.leaf) / 2, parent=parent)

    def without(self, leaf: Tensor) -> Self:
        """Remove one variable from each table."""
        return type(self)(self.first.without(leaf), self.second.without(leaf))
