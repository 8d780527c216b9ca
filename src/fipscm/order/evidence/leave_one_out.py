"""Every leave-one-variable-out regression of a table from one inverse Gram matrix.

Shapes: N rows, D variables, K basis functions per variable.

Each variable owns a block of K basis functions whose first one is the variable itself, all centred. With M the inverse
of the ridged Gram matrix, the regression of variable j on the blocks of all others has the coefficients
-M[:, j] inv(M[j, j])[:, 0]: one inverse serves D regressions, and leaving a variable out for good is a downdate of M.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from fipscm import factorisation
from fipscm.arrays import Array

BUMP_COUNT = 8  # enough for a curve with a few bends; the Gram matrix grows with their square
BASIS = 1 + BUMP_COUNT
BLOCK_ENTRIES = 2**22
CACHED = 2**26  # entries of bumps, and of random features, that are kept: 256 MB each


def row_blocks(rows: int, width: int) -> list[slice]:
    """Slices of rows, each with at most BLOCK_ENTRIES entries in a matrix of that width."""
    size = max(1, BLOCK_ENTRIES // width)
    return [slice(start, min(start + size, rows)) for start in range(0, rows, size)]


def tensor_factor(matrix: Tensor) -> Tensor:
    """(F, F) -> (F, F), lower triangular, in the matrix's own precision; see `factorisation.lower_factor`."""
    found = torch.linalg.cholesky_ex(matrix)
    if not found.info:
        factor: Tensor = found.L
        return factor
    return torch.from_numpy(factorisation.lower_factor(matrix.double().numpy())).to(matrix.dtype)


def solved(matrices: Tensor, right: Tensor) -> Tensor:
    """X such that matrices (..., F, F) @ x is the right-hand side (..., F, M); the shortest where there are several."""
    found: Tensor = torch.linalg.solve_ex(matrices, right).result
    return found if found.isfinite().all() else torch.linalg.pinv(matrices) @ right


@dataclass(frozen=True)
class SmoothColumns:
    """Standardized columns and the Gaussian bumps that make a smooth function of each of them."""

    values: Tensor  # (N, D)
    log_std: Tensor  # (D,)
    knots: Tensor  # (D, BUMP_COUNT)
    widths: Tensor  # (D,)
    centres: Tensor  # (D, BUMP_COUNT), the mean of each bump
    cached: Tensor | None = None  # (N, D, BUMP_COUNT), in single precision, of tables that are not too large

    @classmethod
    def of(cls, table: Array) -> "SmoothColumns":
        """Standardize an (N, D) table and place the knots at quantiles of each column."""
        raw = torch.from_numpy(np.ascontiguousarray(table, dtype=np.float64))
        std = raw.std(dim=0, unbiased=False)
        values = (raw - raw.mean(dim=0)) / std
        # Outside these quantiles too few rows would hold a bump; its width makes it overlap with its neighbours.
        knots = torch.from_numpy(
            np.quantile(values.numpy(), np.linspace(0.03, 0.97, BUMP_COUNT), axis=0)
        ).T.contiguous()
        widths = (1.5 / BUMP_COUNT * (knots[:, -1] - knots[:, 0])).clamp_min(1e-3)
        uncentred = cls(values, std.log(), knots, widths, torch.zeros_like(knots))
        centres = torch.zeros_like(knots)
        for rows in uncentred.row_blocks():
            centres += uncentred.basis(rows)[:, :, 1:].sum(dim=0)
        columns = replace(uncentred, centres=centres / len(values))
        return replace(columns, cached=columns.bumps(slice(None)) if knots.numel() * len(values) <= CACHED else None)

    def row_blocks(self) -> list[slice]:
        """Slices of rows small enough to expand."""
        rows, variables = self.values.shape
        return row_blocks(rows, variables * BASIS)

    def basis(self, rows: slice) -> Tensor:
        """(rows, D, K): each value and its bumps, centred."""
        values = self.values[rows].unsqueeze(-1)
        bumps = torch.exp(-0.5 * ((values - self.knots) / self.widths.unsqueeze(-1)) ** 2) - self.centres
        return torch.cat([values, bumps], dim=-1)

    def bumps(self, rows: slice) -> Tensor:
        """(rows, D, BUMP_COUNT): the bumps alone, centred, in single precision: enough to add up residuals."""
        return self.basis(rows)[:, :, 1:].float() if self.cached is None else self.cached[rows]

    def fitted(self, weights: Tensor) -> Tensor:
        """(N, D): every basis function times its weights (D, K, D), summed."""
        smooth = weights[:, 1:].flatten(0, 1).float()
        # Lines may cancel to a part in a million, so they are added up in double precision.
        pieces = [
            self.values[rows] @ weights[:, 0] + (self.bumps(rows).flatten(1) @ smooth).double()
            for rows in self.row_blocks()
        ]
        return torch.cat(pieces)

    def keep(self, kept: Tensor) -> "SmoothColumns":
        """The same rows, fewer variables."""
        cached = None if self.cached is None else self.cached[:, kept]
        return SmoothColumns(
            self.values[:, kept], self.log_std[kept], self.knots[kept], self.widths[kept], self.centres[kept], cached
        )


def gram(columns: SmoothColumns) -> Tensor:
    """(D, K, D, K): the mean product of any two basis functions, accumulated over blocks of rows."""
    variables = columns.values.shape[1]
    total = torch.zeros(variables * BASIS, variables * BASIS, dtype=torch.float64)
    for rows in columns.row_blocks():
        block = columns.basis(rows).flatten(1)
        total += block.T @ block
    return (total / len(columns.values)).view(variables, BASIS, variables, BASIS)


@dataclass(frozen=True)
class LeaveOneOut:
    """The regressions of every variable on all the others: Gram matrix (D, K, D, K) and its ridged inverse."""

    gram: Tensor
    inverse: Tensor

    @classmethod
    def of(cls, products: Tensor, ridge: Tensor) -> "LeaveOneOut":
        """Invert once. ridge: (K,), the penalty of each basis function."""
        size = products.shape[0] * products.shape[1]
        penalised = products.reshape(size, size) + torch.diag(ridge.repeat(products.shape[0]))
        return cls(products, torch.cholesky_inverse(tensor_factor(penalised)).view(products.shape))

    def keep(self, kept: Tensor) -> "LeaveOneOut":
        """Leave the other variables out for good: slice the Gram matrix, downdate the inverse."""
        gone = torch.ones(len(self.gram), dtype=torch.bool)
        gone[kept] = False
        removed = gone.nonzero().squeeze(1)
        inverse = self.inverse[kept][:, :, kept]
        if len(removed):
            basis = self.gram.shape[1]
            across = self.inverse[kept][:, :, removed].reshape(len(kept) * basis, -1)
            within = self.inverse[removed][:, :, removed].reshape(len(removed) * basis, -1)
            inverse = inverse - (across @ solved(within, across.T)).view(inverse.shape)
        return LeaveOneOut(self.gram[kept][:, :, kept], inverse)

    def residual_weights(self) -> Tensor:
        """(D, K, D): basis functions times column j of this are the residuals of variable j on all others."""
        return torch.einsum("akjl,jl->akj", self.inverse, self._own_inverse()[:, :, 0])

    def residual_variances(self, weights: Tensor) -> Tensor:
        """(D,): the mean square of the residuals that `weights` give."""
        flat = weights.flatten(0, 1)
        products = self.gram.reshape(len(flat), len(flat))
        return (flat * (products @ flat)).sum(dim=0).clamp_min(1e-12)

    def drop_losses(self, weights: Tensor) -> Tensor:
        """(D, D) at [j, i]: how much worse j is explained once the block of i is dropped as well."""
        blocks = self.inverse.permute(0, 2, 1, 3)  # (i, j, K, K)
        within = torch.diagonal(blocks, dim1=0, dim2=1).permute(2, 0, 1).unsqueeze(1)  # (i, 1, K, K)
        variance = within - blocks @ self._own_inverse() @ blocks.transpose(-1, -2)
        own = torch.eye(len(blocks), dtype=torch.bool)  # no variable explains itself: this entry is not used
        variance[own] = torch.eye(variance.shape[-1], dtype=torch.float64)
        coefficients = weights.permute(0, 2, 1).unsqueeze(-1)  # (i, j, K, 1)
        losses = (coefficients * solved(variance, coefficients)).sum(dim=(-2, -1)).T
        found: Tensor = losses.fill_diagonal_(0.0).clamp_min(0.0)
        return found

    def sizes(self, weights: Tensor) -> Tensor:
        """(D, D) at [j, i]: the standard deviation of the function of i in the fit of j."""
        own = torch.diagonal(self.gram, dim1=0, dim2=2).permute(2, 0, 1)
        return torch.einsum("ikj,ikl,ilj->ji", weights, own, weights).clamp_min(0.0).sqrt()

    def _own_inverse(self) -> Tensor:
        own = torch.diagonal(self.inverse, dim1=0, dim2=2).permute(2, 0, 1)
        return solved(own, torch.eye(own.shape[-1], dtype=own.dtype).expand_as(own))


def single_fit(products: Tensor, ridge: Tensor) -> Tensor:
    """(D, D) at [j, i]: the share of the variance of j that a smooth function of i alone explains."""
    own = torch.diagonal(products, dim1=0, dim2=2).permute(2, 0, 1)  # (i, K, K)
    targets = products[:, :, :, 0]  # (i, K, j)
    fitted = solved(own + torch.diag(ridge), targets)
    explained = 2 * (fitted * targets).sum(dim=1) - torch.einsum("ikj,ikl,ilj->ij", fitted, own, fitted)
    shares: Tensor = explained.T.clone().fill_diagonal_(0.0)
    return shares
