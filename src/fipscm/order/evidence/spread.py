"""Residuals freed of their scale. Shapes: N rows, D variables.

Where noise has a scale that its causes drive, the residual of a leaf still depends on them. Divided by what the other
variables say about its size, it is the noise again, up to a factor.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from fipscm.order.evidence.leave_one_out import Columns, LeaveOneOut

LEAST = 0.15  # of the mean size: a scale that comes close to zero would make a few rows huge


def scaled_residuals(
    residuals: Tensor, columns: Columns, additive: LeaveOneOut, without_interactions: Callable[[Tensor], Tensor]
) -> Tensor:
    """(N, D) residuals, each divided by a fit of its size on all other variables: an additive one, and interactions.

    The last argument takes (N, D) what the additive fit left over to what interactions leave of it.
    """
    sizes = residuals.abs()
    means = sizes.mean(dim=0)
    left_over = sizes - means - columns.fitted(additive.on_the_others(columns.products(sizes - means)))
    fitted = sizes - without_interactions(left_over)
    return residuals / torch.maximum(fitted, LEAST * means).clamp_min(1e-12)
