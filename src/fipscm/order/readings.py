"""In which ways a table is read: by which networks, and in which view of its columns. Shapes: N rows, D variables.

The first network that ships was trained on additive noise. It reads the columns by their values and by their ranks,
which no monotone sensor can bend, and the reading that is surer of its leaves counts: there the table looks like those
that the network knows. A second network has seen noise of every kind. Where rows do not look linear, and it does not
take them for additive, the two decide together, by the mean of their log odds.
"""

from dataclasses import dataclass

import torch

from fipscm.arrays import Array
from fipscm.order.encoder import WORLDS, EvidenceEncoder
from fipscm.order.evidence.views import VIEWS
from fipscm.order.fill import fill_linearly
from fipscm.order.paper.axial import AxialEncoder
from fipscm.order.paper.chunks import RowsReader
from fipscm.order.reader import EvidenceReader, JointReader, Reader
from fipscm.order.removal import side_answers
from fipscm.order.weights import Encoder, shipped_encoder, wide_encoder
from fipscm.robust import tame_rows

ADDITIVE = [WORLDS.index(world) for world in ("linear-gaussian", "additive")]


@dataclass(frozen=True)
class Reading:
    """A network and the view that it is shown; a network that reads both views at once is shown the values."""

    encoder: Encoder
    view: str = "values"

    def of(self, values: Array, raw: bool) -> Reader:
        """(N, D) rows; an encoder that reads both views bears missing and wild cells itself."""
        if isinstance(self.encoder, AxialEncoder):
            return RowsReader.of(self.encoder, fill_linearly(values), raw)
        if isinstance(self.encoder, EvidenceEncoder):
            complete = fill_linearly(values)
            return EvidenceReader.of(self.encoder, VIEWS[self.view](complete[tame_rows(complete)])[None], raw)
        return EvidenceReader.of(self.encoder, values[None], raw)


@dataclass(frozen=True)
class Together:
    """Two readings that decide by the mean of their log odds."""

    first: Reading
    second: Reading

    def of(self, values: Array, raw: bool) -> Reader:
        """(N, D) rows."""
        return JointReader(self.first.of(values, raw), self.second.of(values, raw))


def readings(encoder: Encoder | None) -> list[Reading]:
    """The ways of which the surest counts: those of the encoder given, or else of the first one that ships."""
    encoder = encoder or shipped_encoder()
    return [Reading(encoder, view) for view in (VIEWS if isinstance(encoder, EvidenceEncoder) else ("values",))]


def second_reading(values: Array, raw: bool) -> Reading | None:
    """That of the network of the wide prior, unless it takes the rows (N, D) for additive."""
    _, world = first_look(values, raw)
    return None if world is not None and world[ADDITIVE].sum() > 0.5 else Reading(wide_encoder())


@torch.no_grad()
def first_look(values: Array, raw: bool = False, encoder: Encoder | None = None) -> tuple[Array | None, Array | None]:
    """What an encoder sees in rows (N, D) before any leaf is removed; None where it was not trained to.

    (D, D), the probability that a hidden variable causes both columns, and (len(WORLDS),), what the table is like.
    """
    confounded, world, _ = side_answers(Reading(encoder or wide_encoder()).of(values, raw).logits())
    return confounded, world
