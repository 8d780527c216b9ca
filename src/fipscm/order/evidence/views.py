"""Evidence in two views: the columns' values, and the normal scores of their ranks. Shapes: N rows, D variables.

What a monotone sensor does to a column, the normal scores do not see; what scales and shapes say, the values show. Both
come from the same machinery, and the network reads them side by side.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import torch
from scipy import stats
from torch import Tensor

from fipscm.arrays import Array
from fipscm.order.evidence.cells import complete
from fipscm.order.evidence.pairs import PAIR_CONTRASTS, pair_contrasts
from fipscm.order.evidence.plan import ONE_VIEW, WIDE_VIEW
from fipscm.order.evidence.table import Evidence, EvidenceTable
from fipscm.robust import tame_rows

RELIABILITY = (
    "share of missing cells",
    "share of wild cells",
    "share of distinct values",
    "entropy of j",
    "log condition",
)
WHICH = ("by ranks",)  # tells the network which view it reads


@dataclass(frozen=True)
class Statistics:
    """Names of all statistics that a network reads."""

    pair: tuple[str, ...]
    node: tuple[str, ...]
    scale: tuple[str, ...]


# Of each view alike. The statistics of the values keep their names, so that a network trained on them alone can go on.
STATISTICS = {
    "values": Statistics(ONE_VIEW.pair, ONE_VIEW.node, ONE_VIEW.scale),
    "views": Statistics((*WIDE_VIEW.pair, *PAIR_CONTRASTS), (*WIDE_VIEW.node, *RELIABILITY, *WHICH), WIDE_VIEW.scale),
}


@dataclass(frozen=True)
class ViewsTable:
    """A table in both views, of which some columns remain."""

    views: tuple[EvidenceTable, EvidenceTable]
    contrasts: Tensor  # (2, D, D, statistics)
    cells: Tensor  # (D, 4), the reliability of each column by itself

    @classmethod
    def of(cls, table: Array) -> Self:
        """Read the (N, D) rows of a whole table; cells may be missing (NaN).

        Values are those of the rows without wild cells, or else of wild cells moved to the edge of their columns. Ranks
        do not mind wild cells and are those of all rows, so that no monotone sensor changes them.
        """
        whole, tame = complete(table), complete(table[tame_rows(table)])
        views = EvidenceTable.of(tame.values, WIDE_VIEW), EvidenceTable.of(normal_scores(whole.filled), WIDE_VIEW)
        contrasts = torch.stack([pair_contrasts(view.columns, len(view.columns.values)) for view in views])
        distinct = [len(np.unique(column)) / len(column) for column in tame.values.T]
        cells = np.column_stack([whole.missing, 10 * whole.wild, distinct, _entropies(tame.values)])
        return cls(views, contrasts, torch.from_numpy(cells).float())

    @property
    def kept(self) -> Tensor:
        """(D,), the remaining columns of the whole table."""
        return self.views[0].kept

    def keep(self, positions: Tensor) -> Self:
        """Return the table with some of the remaining variables, given by their positions among them."""
        return replace(
            self,
            views=(self.views[0].keep(positions), self.views[1].keep(positions)),
            contrasts=self.contrasts[:, positions][:, :, positions],
            cells=self.cells[positions],
        )

    def without(self, position: int) -> Self:
        """Return the table without one of the remaining variables."""
        everything = torch.arange(len(self.kept))
        return self.keep(everything[everything != position])

    def evidence(self) -> Evidence:
        """Compute the evidence on the remaining variables, pair (2, D, D, ...) and node (2, D, ...) in both views."""
        found = [view.evidence() for view in self.views]
        pair = torch.cat([torch.stack([view.pair for view in found]), self.contrasts], dim=-1)
        columns = torch.cat([self.cells, self._log_condition.expand(len(self.kept), 1)], dim=-1)
        node = [_with(torch.cat([view.node, columns], dim=-1), which) for which, view in enumerate(found)]
        return Evidence(pair, torch.stack(node), found[0].scale)

    @cached_property
    def _log_condition(self) -> Tensor:
        eigenvalues: Tensor = torch.linalg.eigvalsh(self.views[0].linear.gram[:, 0, :, 0])
        log_condition: Tensor = (eigenvalues[-1] / eigenvalues[0].clamp_min(1e-12)).log() / 10
        return log_condition.float()


def _with(node: Tensor, which: int) -> Tensor:
    """(D, statistics) -> one more of them, the same for all."""
    return torch.cat([node, node.new_full((len(node), 1), which)], dim=-1)


def normal_scores(table: Array) -> Array:
    """(N, D) -> (N, D): each column's ranks as quantiles of the normal law; equal values share their mean rank.

    >>> normal_scores(np.array([[3.0], [100.0], [-1.0]])).round(2).ravel().tolist()
    [0.0, 0.97, -0.97]
    """
    return np.asarray(stats.norm.ppf((stats.rankdata(table, axis=0) - 0.5) / len(table)))


def _entropies(table: Array) -> Array:
    """(D,) differential entropies of standardized columns by spacings (Vasicek, 1976), below the normal law's."""
    rows = len(table)
    ordered = np.sort((table - table.mean(axis=0)) / table.std(axis=0), axis=0)
    step = max(1, round(rows**0.5))
    gaps = np.maximum(ordered[2 * step :] - ordered[: -2 * step], 1e-3)
    entropy = np.log(gaps * rows / (2 * step)).mean(axis=0)
    return np.asarray((1 + math.log(2 * math.pi)) / 2 - entropy)
