"""The scale on which the noise of a column adds up best.

Shapes: D variables, K basis functions of each, Q quantiles of each.

A sensor that bends, or a unit such as decibels, makes noise that was added look like noise of another kind. Of every
column an increasing function is learned for which the regression on all others is likeliest with normal noise: the log
of its slope, on average over the column, less half the log of what the others leave unexplained. What is left over of
any function of a column is known from the inverse Gram matrix, so that no row is looked at. If the column is a leaf,
its residual on this scale is its noise, however it was bent.
"""

import torch
from torch import Tensor

from fipscm.order.evidence.leave_one_out import BASIS, Columns

STEPS = 12  # of Newton's method; it has converged to a per mille after eight
NEARLY_FLAT = 0.6  # a step takes at most this share of any slope away


def unbending(columns: Columns, left_over: Tensor) -> Tensor:
    """(D, K), increasing functions of the columns in their own bases, with a mean log slope of zero.

    left_over: (D, K, K), the mean products of a column's basis functions, less what all others explain of them.
    """
    slopes = _slopes(columns)
    function = torch.zeros(len(slopes), BASIS, dtype=torch.float64)
    function[:, 0] = left_over[:, 0, 0].rsqrt()  # the column itself
    for _ in range(STEPS):
        relative = slopes / (slopes @ function.unsqueeze(-1))  # (D, Q, K)
        gradient = (left_over @ function.unsqueeze(-1)).squeeze(-1) - relative.mean(dim=1)
        curvature = left_over + relative.transpose(1, 2) @ relative / slopes.shape[1]
        step = torch.linalg.solve(curvature, gradient)
        steepest = (relative @ step.unsqueeze(-1)).amax(dim=(1, 2))
        function = function - step * (NEARLY_FLAT / steepest.clamp_min(NEARLY_FLAT)).unsqueeze(-1)
    mean_log_slope = (slopes @ function.unsqueeze(-1)).log().mean(dim=(1, 2))
    return function * (-mean_log_slope).exp().unsqueeze(-1)


def _slopes(columns: Columns) -> Tensor:
    """(D, Q, K), the slope of each basis function at quantiles of its column."""
    places, knots, widths = columns.places.unsqueeze(-1), columns.knots.unsqueeze(1), columns.widths.view(-1, 1, 1)
    distance = (places - knots) / widths
    bumps = -distance / widths * torch.exp(-0.5 * distance.square())
    return torch.cat([torch.ones_like(places), bumps], dim=-1)
