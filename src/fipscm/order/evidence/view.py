"""Evidence of who is a leaf in one view of a table: statistics of every pair and every variable.

Shapes: N rows, D variables.

In an additive-noise SCM a leaf's residual on all other variables is its noise, independent of all of them; any other
variable's residual depends on some of them. So residuals (linear, additive, with interactions) are compared with the
other variables. Once j is a leaf, i is its parent exactly when the regression of j on all others gets worse without i.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

import torch
from torch import Tensor

from fipscm.arrays import Array
from fipscm.order.evidence.interactions import InteractionResiduals
from fipscm.order.evidence.leave_one_out import BASIS, LeaveOneOut, SmoothColumns, gram, single_fit
from fipscm.order.evidence.moments import Moments, Pairing
from fipscm.order.evidence.statistics import PAIRINGS, RESIDUALS


@dataclass(frozen=True)
class Evidence:
    """What the network reads of a set of variables; pair[j, i] compares the residual of j with variable i."""

    pair: Tensor  # (D, D, statistics)
    node: Tensor  # (D, statistics)
    scale: Tensor  # (D, statistics), for tables whose units mean something


@dataclass(frozen=True)
class View:
    """Columns, of which some remain: their Gram matrix is computed once, then sliced and downdated."""

    kept: Tensor  # (D,), the remaining columns of the whole table
    columns: SmoothColumns
    linear: LeaveOneOut
    additive: LeaveOneOut
    alone: Tensor
    interactions: InteractionResiduals

    @classmethod
    def of(cls, table: Array) -> Self:
        """Read the (N, D) rows of a whole table."""
        rows, variables = table.shape
        columns = SmoothColumns.of(table)
        products = gram(columns)
        # A linear SCM may leave one part in a million unexplained, so the ridge is tiny unless rows are few.
        linear = torch.tensor([1e-8 + 0.01 * min(1.0, variables / rows) ** 4], dtype=torch.float64)
        smooth = torch.cat([linear, torch.full((BASIS - 1,), 1e-4 + 1 / rows, dtype=torch.float64)])
        return cls(
            torch.arange(variables),
            columns,
            LeaveOneOut.of(products[:, :1, :, :1], linear),
            LeaveOneOut.of(products, smooth),
            single_fit(products, smooth),
            InteractionResiduals(columns.values),
        )

    def keep(self, positions: Tensor) -> Self:
        """Return the table with some of the remaining variables, given by their positions among them."""
        return replace(
            self,
            kept=self.kept[positions],
            columns=self.columns.keep(positions),
            linear=self.linear.keep(positions),
            additive=self.additive.keep(positions),
            alone=self.alone[positions][:, positions],
        )

    def evidence(self) -> Evidence:
        """Compute the evidence on the remaining variables."""
        rows, variables = self.columns.values.shape
        weights = self.additive.residual_weights()
        needs = rows * self.additive.drop_losses(weights) / self.additive.residual_variances(weights).unsqueeze(1)
        residuals = self._residuals(weights, needs)
        variances = {kind: found.square().mean(dim=0).clamp_min(1e-12) for kind, found in residuals.items()}
        moments = Moments({"values": self.columns.values, **residuals}, PAIRINGS)
        pair = torch.cat([self._fits(needs, self.additive.sizes(weights), moments), self._tests(moments, rows)])
        pair = pair.masked_fill(torch.eye(variables, dtype=torch.bool), 0.0)
        node = [
            *(variance.log() / 4 for variance in variances.values()),
            *(shape for source in moments.names for shape in moments.shape(source)),
        ]
        comparable = torch.stack([variances[kind] for kind in RESIDUALS])
        return Evidence(
            pair.permute(1, 2, 0).float().contiguous(),
            torch.stack(node, dim=-1).float(),
            _scales(self.columns.log_std, comparable, rows).float(),
        )

    def _residuals(self, weights: Tensor, needs: Tensor) -> dict[str, Tensor]:
        """(N, D) each, by kind."""
        additive = self.columns.fitted(weights)
        return {
            "linear": self.columns.values @ self.linear.residual_weights().squeeze(1),
            "additive": additive,
            "interaction": self.interactions.of(additive, needs, self.kept),
        }

    def _fits(self, needs: Tensor, sizes: Tensor, moments: Moments) -> Tensor:
        rows = len(self.columns.values)
        correlation = self.linear.gram[:, 0, :, 0]
        precision = self.linear.inverse[:, 0, :, 0]
        partial = -precision / torch.outer(precision.diagonal(), precision.diagonal()).sqrt()
        bent = moments.correlation(Pairing("values", "tanh", "value", "values"))
        fits = [
            correlation,
            correlation.square(),
            partial,
            certainty(partial, rows),
            self.alone,
            needs.sqrt().asinh() / 2,
            sizes.asinh(),
            certainty(correlation * (bent - bent.T), rows),
        ]
        return torch.stack(fits)

    def _tests(self, moments: Moments, rows: int) -> Tensor:
        correlations = [
            *(moments.correlation(pairing) for pairing in PAIRINGS),
            *(rest for kind in RESIDUALS for rest in moments.with_rest(kind)),
        ]
        return certainty(torch.stack(correlations), rows)


def certainty(correlation: Tensor, rows: int) -> Tensor:
    """How many standard errors a correlation is from zero: linear up to about one, logarithmic beyond."""
    return (math.sqrt(rows) * correlation).asinh() / 2


def _scales(log_std: Tensor, variances: Tensor, rows: int) -> Tensor:
    """(D, S): how the columns' own scales compare.

    With noises of one size, leaves have the largest residuals: a leaf's residual is its whole noise, while part of any
    other variable's noise is explained by its effects.
    """
    below = log_std + variances.log() / 2
    below = below - below.amax(dim=1, keepdim=True)
    return torch.stack([(log_std - log_std.mean()) / 2, *below, *certainty(below, rows)], dim=-1)
