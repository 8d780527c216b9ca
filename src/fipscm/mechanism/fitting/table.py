"""The table that an SCM is learned from, and which of its rows tell about which column. Shapes: N rows, D variables."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import torch

from fipscm.arrays import Array, Mask, Order
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.regression.usable import tame_location, unusable_rows
from fipscm.mechanism.responding import Blocks
from fipscm.robust import wild_cells
from fipscm.usual import usual_rows

MOST_RESIDUALS = 10_000  # rows whose residuals are taken: curves, networks and noises need no more of them


@dataclass(frozen=True)
class Kinds:
    """(D,) what each column is, and the columns of each category."""

    names: tuple[str, ...]
    blocks: Blocks = ()

    @classmethod
    def of(cls, names: Sequence[str] | None, blocks: Blocks, variables: int) -> "Kinds":
        """All continuous unless given."""
        return cls(("continuous",) * variables if names is None else tuple(names), blocks)

    @classmethod
    def of_model(cls, model: LearnedSCM) -> "Kinds":
        """As the responses of a model tell them."""
        kinds = {"thresholds": "ordinal", "gumbel": "binary", "count": "count"}
        return cls(tuple(kinds.get(response.kind, "continuous") for response in model.responses), model.blocks)

    @property
    def linked(self) -> Mask:
        """(D,), true for columns that are not continuous."""
        return np.array([name != "continuous" for name in self.names])


@dataclass(frozen=True)
class FitTable:
    """Rows in random order, in their own units and standardized as z.

    Attributes:
        names: of the columns.
        order: (D,) column positions, causes first.
        rows: (N, D) in the columns' units.
        intervened: (N, D), cells that were set from outside.
        wild: (N, D), cells far from all others of their column.
        z: (N, D) standardized rows.
        centre: (D,) what z is centred at.
        scale: (D,) a unit of z.
        kinds: what the columns are.
    """

    names: tuple[Any, ...]
    order: Order
    rows: Array
    intervened: Mask
    wild: Mask
    z: Array
    centre: Array
    scale: Array
    kinds: Kinds

    @classmethod
    def of(
        cls, frame: pd.DataFrame, order: Order, intervened: Mask | None, kinds: Kinds, generator: torch.Generator
    ) -> "FitTable":
        """Shuffle and standardize a table (N, D)."""
        names, rows = tuple(frame.columns), frame.to_numpy()
        intervened = np.zeros(rows.shape, dtype=bool) if intervened is None else intervened
        shuffled = torch.randperm(len(rows), generator=generator).numpy()
        rows, intervened = rows[shuffled], intervened[shuffled]
        wild = wild_cells(rows) & ~kinds.linked  # no level or count is wild
        centre, scale = tame_location(rows, wild)
        return cls(names, order, rows, intervened, wild, (rows - centre) / scale, centre, scale, kinds)

    def unusable(self, *causes: Mask) -> Mask:
        """(N, D), as `unusable_rows`, and the unusual rows."""
        return unusable_rows(self.intervened, self.wild, *causes) | self.unusual[:, None]

    @cached_property
    def unusual(self) -> Mask:
        """(N,), the rows in which nothing was set and the columns do not go together as elsewhere."""
        # A level that few rows have is far from what a line makes of it, and no less right.
        return np.asarray(~usual_rows(self.rows, ~self.kinds.linked) & ~self.intervened.any(axis=1))
