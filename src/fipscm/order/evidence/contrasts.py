"""What two columns alone say about their direction. Shapes: N rows, D variables, K basis functions per variable.

These statistics do not change when other variables are removed, so they are computed once per table. Contrasts are
positive at [j, i] where the rows favour that i causes j, for whatever reason: a line with noise that is not normal, a
mean and a scale that are smooth functions of the cause, a smaller error of regression in units of the range (Blobaum et
al., 2018).
"""

import math

import torch
from torch import Tensor

from fipscm.order.evidence.leave_one_out import SmoothColumns, solved

CONTRASTS = (
    "entropy contrast of a line",
    "location-scale contrast",
    "log scale of j given i",
    "regression error contrast",
)
MOMENT_RIDGE = 1e-3
LEAST_CONDITIONAL_VARIANCE = 1e-3  # of a conditional variance, in units of the column's
# The approximation of differential entropy by two moments of Hyvarinen (1998).
_K1, _K2, _GAMMA = 79.047, 7.4129, 0.37457


def pair_contrasts(columns: SmoothColumns, alone: Tensor) -> Tensor:
    """(D, D, CONTRASTS), zero on the diagonal; alone: (D, D) the share of j that a smooth function of i explains."""
    values, rows = columns.values, len(columns.values)
    line, scale = _entropy_contrast(values.float()), _mean_log_scale(columns)
    error = (1 - alone).clamp_min(LEAST_CONDITIONAL_VARIANCE).log() - 2 * (
        values.amax(dim=0) - values.amin(dim=0)
    ).log()[:, None]
    found = [_tamed(line, rows), _tamed((scale.T - scale) / 2, rows), scale, (error.T - error) / 2]
    return _without_diagonal(torch.stack(found, dim=-1)).float()


def _without_diagonal(found: Tensor) -> Tensor:
    return found.masked_fill(torch.eye(len(found), dtype=torch.bool).unsqueeze(-1), 0.0)


def _tamed(contrast: Tensor, rows: int) -> Tensor:
    return (math.sqrt(rows) * contrast).asinh() / 2


def _entropy_contrast(values: Tensor) -> Tensor:
    """(D, D) at [j, i]: H(j) + H(residual of i on j) - H(i) - H(residual of j on i), for lines."""
    correlation = (values.T @ values / len(values)).clamp(-0.999, 0.999)
    single = _entropy(values)
    residual = torch.empty_like(correlation)  # at [j, i]: of j on i
    for j in range(values.shape[1]):
        left = values[:, [j]] - correlation[j] * values
        residual[j] = _entropy(left / (1 - correlation[j].square()).sqrt().clamp_min(1e-3))
    forth = single.unsqueeze(0) + residual  # i first, then j given i
    return (forth.T - forth).double()


def _entropy(unit: Tensor) -> Tensor:
    """Differential entropy of columns (N, D) of variance one."""
    log_cosh = (unit.abs() + torch.log1p(torch.exp(-2 * unit.abs())) - math.log(2)).mean(dim=0)
    bell = (unit * torch.exp(-unit.square() / 2)).mean(dim=0)
    normal = (1 + math.log(2 * math.pi)) / 2
    return normal - _K1 * (log_cosh - _GAMMA).square() - _K2 * bell.square()


def _mean_log_scale(columns: SmoothColumns) -> Tensor:
    """(D, D) at [j, i]: the mean log variance of j given i, both moments smooth functions of i.

    Under normal noise this is minus twice the log-likelihood of j given i, up to a constant.
    """
    variables = columns.values.shape[1]
    found = torch.zeros(variables, variables, dtype=torch.float64)
    targets = torch.cat([columns.values, columns.values.clamp(-4, 4).square()], dim=1).float()
    means = targets.mean(dim=0)
    for i in range(variables):
        basis = columns.keep(torch.tensor([i])).basis(slice(None)).squeeze(1).float()
        gram = basis.T @ basis / len(basis)
        gram.diagonal().add_(MOMENT_RIDGE + 1 / len(basis))
        moments = basis.T @ (targets - means) / len(basis)
        first, second = (basis @ solved(gram, moments) + means).chunk(2, dim=1)
        found[:, i] = (second - first.square()).clamp_min(LEAST_CONDITIONAL_VARIANCE).log().mean(dim=0).double()
    return found
