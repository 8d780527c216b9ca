"""In which ways a table is read: by which networks, and in which view of its columns. Shapes: N rows, D variables.

The first network that ships was trained on additive noise, and reads the values of the columns. A second network has
seen noise of every kind. Where it does not take a table for additive, it decides together with the first one, which has
the smaller say: two networks that were trained on other tables make other mistakes. Where values look bent, the first
one reads the columns by their ranks, as no monotone sensor can bend them. Two columns alone are read by the first
network: of measured pairs it orders more right, and two columns tell little about what their noise is like.

Tables with levels or counts are read by a network that was trained on more of these and by one that has seen shapes of
any smooth form, with the same say; two columns alone, again, by the first of them. Another network, given by the user,
reads one view or both; where it can read either, the one in which it is surer of its leaves counts: there the table
looks like those that it knows. Where cells are missing, all rows, filled in, and the whole ones are read side by side.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import torch

from fipscm.arrays import Array, Mask
from fipscm.order.evidence.views import VIEWS, ViewsTable
from fipscm.order.network.encoder import WORLDS, EvidenceEncoder
from fipscm.order.network.reader import BOTH, EvidenceReader, HalvesReader, Reader, Voice, VoicesReader
from fipscm.order.paper.axial import AxialEncoder
from fipscm.order.paper.chunks import RowsReader
from fipscm.order.removal import side_answers
from fipscm.order.rows.fill import fill_linearly
from fipscm.order.weights import Encoder, mixed_encoder, shipped_encoder, smooth_encoder, wide_encoder
from fipscm.robust import all_vary, tame_rows

SAY = 0.4  # what the first network's log odds count where noise does not look additive
PAIR = 2  # columns
# Whole rows, where cells are missing: to tell what a table is like, and to read its order off them as well.
ENOUGH_TO_TELL, ENOUGH_TO_READ = 500, 300
ADDITIVE, BENT = [WORLDS.index(world) for world in ("linear-gaussian", "additive")], WORLDS.index("post-nonlinear")


@dataclass(frozen=True)
class Reading:
    """A network and the view that it is shown; a network that reads both views at once makes them itself."""

    encoder: Encoder
    view: str = "values"

    def of(self, values: Array, raw: bool) -> Reader:
        """(N, D) rows; an encoder that reads both views bears wild cells itself."""
        complete = fill_linearly(values)
        if isinstance(self.encoder, AxialEncoder):
            return RowsReader.of(self.encoder, complete, raw)
        if isinstance(self.encoder, EvidenceEncoder):
            return EvidenceReader.of(self.encoder, VIEWS[self.view](complete[tame_rows(complete)])[None], raw)
        return EvidenceReader.of(self.encoder, complete[None], raw)


@dataclass(frozen=True)
class Together:
    """Networks that read the same evidence, and decide by the weighted mean of their log odds.

    Attributes:
        voices: the networks.
        view: what a reader is told of it; "values" where nothing speaks of values that are bent.
    """

    voices: tuple[Voice, ...]
    view: str = BOTH

    def of(self, values: Array, raw: bool) -> Reader:
        """(N, D) rows."""
        return VoicesReader(self.voices, ViewsTable.of(fill_linearly(values)), raw)


def read(way: Reading | Together, values: Array, raw: bool) -> Reader:
    """Rows (N, D) as a way of reading sees them; where cells are missing, the whole rows have half of the say.

    What is filled in is linear where the truth may be curved, and whole rows alone are few: their mistakes differ.
    """
    rows = whole_rows(values, ENOUGH_TO_READ)
    everything = way.of(values, raw)
    if rows.all() or isinstance(everything, RowsReader):
        return everything
    return HalvesReader(everything, way.of(values[rows], raw))


def whole_rows(values: Array, enough: int) -> Mask:
    """(N,), the rows (N, D) without a missing cell; all of them where these are not enough, or leave out too much."""
    whole = np.asarray(~np.isnan(values).any(axis=1))
    return whole if whole.sum() >= enough and all_vary(values[whole]) else np.ones_like(whole)


def shipped_reading(values: Array, raw: bool) -> Reading | Together:
    """How the networks that ship for continuous columns read rows (N, D)."""
    _, world = first_look(values, raw)
    if values.shape[1] <= PAIR or world is None or is_additive(world):
        return Reading(shipped_encoder())
    view = "ranks" if world[BENT] > 0.5 else "values"
    return Together((Voice(shipped_encoder(), view, SAY), Voice(wide_encoder(), BOTH, 1 - SAY)))


def reading_for(kinds: Collection[str]) -> Together | None:
    """How columns of these kinds are read; None for continuous ones alone, where the rows decide."""
    if set(kinds) <= {"continuous"}:
        return None
    if len(kinds) <= PAIR:
        return Together((Voice(mixed_encoder(), BOTH, 1.0),), view="values")
    return Together((Voice(smooth_encoder(), BOTH, 0.5), Voice(mixed_encoder(), BOTH, 0.5)), view="values")


def ways_of(network: Encoder | Together) -> list[Reading | Together]:
    """The ways in which one encoder can read a table, of which some read both views at once, or several together."""
    if isinstance(network, Together):
        return [network]
    return [Reading(network, view) for view in (VIEWS if isinstance(network, EvidenceEncoder) else ("values",))]


def is_additive(world: Array) -> bool:
    """Tell from what a table is like, (len(WORLDS),), whether its noise is probably additive."""
    return bool(world[ADDITIVE].sum() > 0.5)


@torch.no_grad()
def first_look(values: Array, raw: bool = False, encoder: Encoder | None = None) -> tuple[Array | None, Array | None]:
    """What an encoder sees in rows (N, D) before any leaf is removed; None where it was not trained to.

    (D, D), the probability that a hidden variable causes both columns, and (len(WORLDS),), what the table is like.
    Where enough rows are whole, it looks at these: what is filled in for missing cells is noise of another kind.
    """
    seen = Reading(encoder or wide_encoder()).of(values[whole_rows(values, ENOUGH_TO_TELL)], raw)
    confounded, world, _ = side_answers(seen.logits())
    return confounded, world
