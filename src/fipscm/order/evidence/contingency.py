"""Dependence of binned columns, alone and given a third column. Shapes: N rows, D variables, M bins of all of them.

For categories this is what there is: a common effect makes its causes dependent, a common cause or a mediator explains
a dependence away. Measured are G2 = 2 N times the (conditional) mutual information, and how far sqrt(2 G2) is beyond
what independence would give, which is standard normal under independence (Fisher).
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

CONTINGENCY = (
    "dependence of the bins",
    "share of the bins that is shared",
    "dependence of the bins, least given a third",
    "most that j adds to a dependence of i",
    "most that j takes from a dependence of i",
)
MOST_MULTIPLICATIONS = 4e9  # of all tables of three columns: about half a second
FEWEST_COUNTED = 500  # whatever the number of columns


@dataclass(frozen=True)
class Contingency:
    """Dependences of the columns that remain: shared and alone (D, D), given (D, D, D) with the third column last."""

    shared: Tensor
    alone: Tensor
    given: Tensor

    @classmethod
    def of(cls, bins: NDArray[np.intp]) -> Self:
        """Count the rows (N, D) in all cells of two and of three columns; of large tables some of the rows."""
        sizes = bins.max(axis=0) + 1
        total, columns = int(sizes.sum()), len(sizes)
        most = max(FEWEST_COUNTED, int(MOST_MULTIPLICATIONS / (total**2 * columns)))
        bins = bins[np.linspace(0, len(bins) - 1, most).astype(np.intp)] if len(bins) > most else bins
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        owner = torch.zeros(total, columns, dtype=torch.float32)
        owner[torch.arange(total), torch.from_numpy(np.repeat(np.arange(columns), sizes))] = 1.0
        present = torch.zeros(len(bins), total, dtype=torch.float32)
        present.scatter_(1, torch.from_numpy(bins + starts), 1.0)
        g2, freedom = _g2(present, owner)
        given, freedoms = torch.zeros(2, columns, columns, columns, dtype=torch.float32)
        for level in range(total):
            within, third = present[present[:, level] > 0], int(owner[level].argmax())
            if len(within):
                one_g2, one_freedom = _g2(within, owner)
                given[:, :, third] += one_g2
                freedoms[:, :, third] += one_freedom
        shared = (1 - torch.exp(-g2 / len(bins))).clamp_min(0.0).sqrt()
        return cls(shared, _beyond_chance(g2, freedom), _beyond_chance(given, freedoms))

    def keep(self, kept: Tensor) -> Self:
        """The same of fewer columns."""
        return type(self)(self.shared[kept][:, kept], self.alone[kept][:, kept], self.given[kept][:, kept][:, :, kept])

    def statistics(self) -> Tensor:
        """(D, D, CONTINGENCY) at [j, i]."""
        columns = len(self.alone)
        own = torch.eye(columns, dtype=torch.bool)
        # No column is a third one to itself, and none depends on itself.
        void = own.unsqueeze(0) | own.unsqueeze(1) | own.unsqueeze(2)
        least = self.given.masked_fill(void, torch.inf).amin(dim=2)
        least = torch.where(least.isfinite(), least, self.alone)
        change = (self.given - self.alone.unsqueeze(2)).masked_fill(void, 0.0)  # at [i, k, j]: what j does to i and k
        adds, takes = change.amax(dim=1).clamp_min(0.0).T, (-change).amax(dim=1).clamp_min(0.0).T
        found = torch.stack([_tamed(self.alone), self.shared, *map(_tamed, (least, adds, takes))], dim=-1)
        return found.masked_fill(own.unsqueeze(-1), 0.0)


def _g2(present: Tensor, owner: Tensor) -> tuple[Tensor, Tensor]:
    """(N, M) which bins each row is in, (M, D) whose bins -> (D, D) G2 and its degrees of freedom."""
    counts = present.T @ present
    single = counts.diagonal()
    joint = owner.T @ torch.xlogy(counts, counts) @ owner
    margin = owner.T @ torch.xlogy(single, single)
    rows = float(len(present))
    g2 = 2 * (joint - margin.unsqueeze(0) - margin.unsqueeze(1) + rows * np.log(rows))
    spare = owner.T @ (single > 0).float() - 1
    return g2.clamp_min(0.0), torch.outer(spare, spare)


def _beyond_chance(g2: Tensor, freedom: Tensor) -> Tensor:
    return (2 * g2).sqrt() - (2 * freedom - 1).clamp_min(0.0).sqrt()


def _tamed(x: Tensor) -> Tensor:
    """Linear up to about one, logarithmic beyond."""
    return x.asinh() / 2
