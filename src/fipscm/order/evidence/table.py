"""Evidence of who is a leaf: statistics of every pair and every variable, over all rows. Shapes: N rows, D variables.

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
from fipscm.order.evidence.leave_one_out import BASIS, Columns, LeaveOneOut, gram, single_fit
from fipscm.order.evidence.moments import WITH_LINEAR, Moments, Pairing

RESIDUALS = ("linear", "additive", "interaction")
# (transform of j's column, transform of i's column)
AMONG_VALUES = (("tanh", "value"), ("square", "value"), ("square", "square"))
WITH_VALUES = (*AMONG_VALUES, ("value", "tanh"), ("value", "square"), ("size", "size"))
WITHIN = (("value", "value"), ("tanh", "value"), ("square", "square"))
# "need" is how much of the fit of j is lost without i, in units of its residual variance; "likelihood ratio" compares
# the two causal directions of the pair alone (Hyvarinen and Smith, 2013).
FITS = (
    "correlation",
    "squared correlation",
    "partial correlation",
    "certainty of the partial correlation",
    "share of j that i explains",
    "need of j for i",
    "size of i in the fit of j",
    "likelihood ratio",
)
PAIR_STATISTICS = (
    *FITS,
    *(f"values: {f}, {g}" for f, g in AMONG_VALUES),
    *(f"{kind}: {f}, {g} of values" for kind in RESIDUALS for f, g in WITH_VALUES),
    *(f"{kind}: {f}, {g} of residuals" for kind in RESIDUALS for f, g in WITHIN),
    *(f"{kind}: {f}, {g} of the rest" for kind in RESIDUALS for f, g in WITH_LINEAR),
)
PAIRINGS = (
    *(Pairing("values", f, g, "values") for f, g in AMONG_VALUES),
    *(Pairing(kind, f, g, "values") for kind in RESIDUALS for f, g in WITH_VALUES),
    *(Pairing(kind, f, g, kind) for kind in RESIDUALS for f, g in WITHIN),
)
NODE_STATISTICS = (
    *(f"log variance of the {kind} residual" for kind in RESIDUALS),
    *(f"{kind}: {what}" for kind in ("values", *RESIDUALS) for what in ("kurtosis", "skewness", "size")),
    "log rows",
    "log variables",
)
SCALE_STATISTICS = (
    "log std",
    *(f"log std of the {kind} residual below the largest" for kind in RESIDUALS),
    *(f"certainty of that for the {kind} residual" for kind in RESIDUALS),
)


@dataclass(frozen=True)
class Evidence:
    """What the network reads of a set of variables; pair[j, i] compares the residual of j with variable i."""

    pair: Tensor  # (D, D, len(PAIR_STATISTICS))
    node: Tensor  # (D, len(NODE_STATISTICS))
    scale: Tensor  # (D, len(SCALE_STATISTICS)), read of raw tables only


@dataclass(frozen=True)
class EvidenceTable:
    """A table of which some columns remain: its Gram matrix is computed once, then sliced and downdated."""

    kept: Tensor  # (D,), the remaining columns of the whole table
    columns: Columns
    linear: LeaveOneOut
    additive: LeaveOneOut
    alone: Tensor
    interactions: InteractionResiduals

    @classmethod
    def of(cls, table: Array) -> Self:
        """Read the (N, D) rows of a whole table."""
        rows, variables = table.shape
        columns = Columns.of(table)
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

    def without(self, position: int) -> Self:
        """Return the table without one of the remaining variables."""
        everything = torch.arange(len(self.kept))
        return self.keep(everything[everything != position])

    def evidence(self) -> Evidence:
        """Compute the evidence on the remaining variables."""
        rows, variables = self.columns.values.shape
        weights = self.additive.residual_weights()
        additive = torch.cat(
            [self.columns.basis(block).flatten(1) @ weights.flatten(0, 1) for block in self.columns.row_blocks()]
        )
        needs = rows * self.additive.drop_losses(weights) / self.additive.residual_variances(weights).unsqueeze(1)
        residuals = {
            "linear": self.columns.values @ self.linear.residual_weights().squeeze(1),
            "additive": additive,
            "interaction": self.interactions.of(additive, needs, self.kept),
        }
        variances = torch.stack([residual.square().mean(dim=0) for residual in residuals.values()]).clamp_min(1e-12)
        moments = Moments({"values": self.columns.values, **residuals}, PAIRINGS)
        pair = torch.cat([self._fits(needs, self.additive.sizes(weights), moments), _tests(moments, rows)])
        pair = pair.masked_fill(torch.eye(variables, dtype=torch.bool), 0.0)
        # Logarithms are divided so that all inputs of the network are of the order of one.
        node = [
            *variances.log() / 4,
            *(shape for source in moments.names for shape in moments.shape(source)),
            *torch.tensor([[math.log(rows) / 4], [math.log(variables) / 2]], dtype=torch.float64).expand(2, variables),
        ]
        return Evidence(
            pair.permute(1, 2, 0).float().contiguous(),
            torch.stack(node, dim=-1).float(),
            _scales(self.columns.log_std, variances, rows).float(),
        )

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


def certainty(correlation: Tensor, rows: int) -> Tensor:
    """How many standard errors a correlation is from zero: linear up to about one, logarithmic beyond."""
    return (math.sqrt(rows) * correlation).asinh() / 2


def _tests(moments: Moments, rows: int) -> Tensor:
    correlations = [
        *(moments.correlation(pairing) for pairing in PAIRINGS),
        *(rest for kind in RESIDUALS for rest in moments.with_rest(kind)),
    ]
    return certainty(torch.stack(correlations), rows)


def _scales(log_std: Tensor, variances: Tensor, rows: int) -> Tensor:
    """(D, S): how the columns' own scales compare.

    With noises of one size, leaves have the largest residuals: a leaf's residual is its whole noise, while part of any
    other variable's noise is explained by its effects.
    """
    below = log_std + variances.log() / 2
    below = below - below.amax(dim=1, keepdim=True)
    return torch.stack([(log_std - log_std.mean()) / 2, *below, *certainty(below, rows)], dim=-1)
