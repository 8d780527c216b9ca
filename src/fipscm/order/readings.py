"""In which ways a table is read: by which network, and in which view of its columns. Shapes: N rows, D variables.

The first network that ships was trained on additive noise. It reads the columns by their values and by their ranks,
which no monotone sensor can bend. The second one has seen tables of every kind, and joins where it does not take a
table for additive. Of all these readings the surest one counts: it is the one in which the table looks like those that
its network knows.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from fipscm.arrays import Array
from fipscm.order.encoder import WORLDS, EvidenceEncoder
from fipscm.order.evidence.views import VIEWS
from fipscm.order.fill import fill_linearly
from fipscm.order.paper.axial import AxialEncoder
from fipscm.order.paper.chunks import RowsReader
from fipscm.order.reader import EvidenceReader, Reader
from fipscm.order.removal import side_answers
from fipscm.order.weights import Encoder, mixed_encoder, shipped_encoder
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


def readings(values: Array, raw: bool, encoder: Encoder | None) -> list[Reading]:
    """In which ways rows (N, D) are read: by the encoder given, or else by those that ship."""
    return list(_by_one(encoder) if encoder is not None else _by_those_that_ship(values, raw))


def _by_one(encoder: Encoder) -> Iterator[Reading]:
    for view in VIEWS if isinstance(encoder, EvidenceEncoder) else ("values",):
        yield Reading(encoder, view)


def _by_those_that_ship(values: Array, raw: bool) -> Iterator[Reading]:
    yield from _by_one(shipped_encoder())
    _, world = first_look(values, raw)
    if world is not None and world[ADDITIVE].sum() < 0.5:
        yield from _by_one(mixed_encoder())


@torch.no_grad()
def first_look(values: Array, raw: bool = False, encoder: Encoder | None = None) -> tuple[Array | None, Array | None]:
    """What an encoder sees in rows (N, D) before any leaf is removed; None where it was not trained to.

    (D, D), the probability that a hidden variable causes both columns, and (len(WORLDS),), what the table is like.
    """
    confounded, world, _ = side_answers(Reading(encoder or mixed_encoder()).of(values, raw).logits())
    return confounded, world
