"""All that the order network reads of a table. Shapes: N rows, D variables.

A table is read in two views: the columns' values, and the normal scores of their ranks, which no monotone
transformation changes. Beside them stand contrasts of two columns, dependences of binned columns, and what each column
is. Rows with outliers are left out.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import torch
from scipy import stats
from torch import Tensor

from fipscm.arrays import Array
from fipscm.order.evidence import statistics
from fipscm.order.evidence.contingency import CONTINGENCY, Contingency
from fipscm.order.evidence.contrasts import CONTRASTS, pair_contrasts
from fipscm.order.evidence.observations import Observations
from fipscm.order.evidence.view import Evidence, View
from fipscm.usual import usual_rows

VIEWS = ("values", "ranks")
KIND_FLAGS = ("count", "ordinal", "binary", "categorical")  # a continuous column has none of them
CELL_STATISTICS = ("share of missing cells", "share of distinct values", "log distinct values", "negative entropy")
TABLE_STATISTICS = ("share of excluded rows", "log rows", "log variables", "log condition")


class Statistics(NamedTuple):
    """Names of all statistics that the network reads."""

    pair: tuple[str, ...]
    node: tuple[str, ...]
    scale: tuple[str, ...]


def _in_both(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{name}, by {view}" for view in VIEWS for name in names)


STATISTICS = Statistics(
    (*_in_both(statistics.PAIR_STATISTICS), *_in_both(CONTRASTS), *CONTINGENCY),
    (*_in_both(statistics.NODE_STATISTICS), *CELL_STATISTICS, *KIND_FLAGS, *TABLE_STATISTICS),
    statistics.SCALE_STATISTICS,
)


@dataclass(frozen=True)
class EvidenceTable:
    """A table of which some columns remain."""

    views: tuple[View, View]
    pairs: Tensor  # (D, D, statistics) of two columns alone
    contingency: Contingency
    cells: Tensor  # (D, statistics) of each column by itself
    excluded: float  # share of the rows

    @classmethod
    def of(cls, observations: Observations) -> Self:
        """Read a whole table."""
        usual = usual_rows(observations.numbers)
        rows = observations.take(usual)
        views = View.of(rows.numbers), View.of(normal_scores(rows.numbers))
        pairs = [pair_contrasts(view.columns, view.alone) for view in views]
        distinct = np.array([len(np.unique(column)) for column in rows.numbers.T])
        flags = [[kind == flag for flag in KIND_FLAGS] for kind in rows.kinds]
        cells = np.column_stack(
            [rows.missing, distinct / len(rows.numbers), np.log(distinct) / 4, _negative_entropies(rows.numbers), flags]
        )
        return cls(
            views,
            torch.cat(pairs, dim=-1),
            Contingency.of(rows.bins),
            torch.from_numpy(cells).float(),
            1 - float(usual.mean()),
        )

    @property
    def kept(self) -> Tensor:
        """(D,), the remaining columns of the whole table."""
        return self.views[0].kept

    def keep(self, positions: Tensor) -> Self:
        """Return the table with some of the remaining variables, given by their positions among them."""
        return replace(
            self,
            views=(self.views[0].keep(positions), self.views[1].keep(positions)),
            pairs=self.pairs[positions][:, positions],
            contingency=self.contingency.keep(positions),
            cells=self.cells[positions],
        )

    def without(self, position: int) -> Self:
        """Return the table without one of the remaining variables."""
        everything = torch.arange(len(self.kept))
        return self.keep(everything[everything != position])

    def evidence(self) -> Evidence:
        """Compute the evidence on the remaining variables."""
        found = [view.evidence() for view in self.views]
        pair = torch.cat([*(view.pair for view in found), self.pairs, self.contingency.statistics()], dim=-1)
        node = torch.cat([*(view.node for view in found), self.cells, self._whole.expand(len(self.kept), -1)], dim=-1)
        return Evidence(pair, node, found[0].scale)

    @cached_property
    def _whole(self) -> Tensor:
        """(statistics,), the same for all variables."""
        eigenvalues: Tensor = torch.linalg.eigvalsh(self.views[0].linear.gram[:, 0, :, 0])
        condition = float(eigenvalues[-1] / eigenvalues[0].clamp_min(1e-12))
        rows, variables = self.views[0].columns.values.shape
        logs = math.log(rows) / 4, math.log(variables) / 2, math.log(condition) / 10
        return torch.tensor([self.excluded, *logs], dtype=torch.float32)


def normal_scores(table: Array) -> Array:
    """(N, D) -> (N, D): each column's ranks as quantiles of the normal law; equal values share their mean rank.

    >>> normal_scores(np.array([[3.0], [100.0], [-1.0]])).round(2).ravel().tolist()
    [0.0, 0.97, -0.97]
    """
    return np.asarray(stats.norm.ppf((stats.rankdata(table, axis=0) - 0.5) / len(table)))


def _negative_entropies(table: Array) -> Array:
    """(D,) differential entropies of standardized columns by spacings (Vasicek, 1976), below the normal law's."""
    rows = len(table)
    ordered = np.sort((table - table.mean(axis=0)) / table.std(axis=0), axis=0)
    step = max(1, round(rows**0.5))
    gaps = np.maximum(ordered[2 * step :] - ordered[: -2 * step], 1e-3)
    entropy = np.log(gaps * rows / (2 * step)).mean(axis=0)
    return np.asarray((1 + math.log(2 * math.pi)) / 2 - entropy)
