"""Causal attention: weights of a row sum to at most one, and are zero for a root. Shapes: P slots, ... any."""

from typing import Any

import torch
from torch import Tensor


class _CausalAttention(torch.autograd.Function):
    """Its gradient is written by hand: automatic differentiation would store five tensors of this size, not one."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, allowed: Tensor) -> Tensor:
        weights = scores.masked_fill(~allowed, -torch.inf)
        # exp(scores) / max(1, sum) does not change when both are divided by exp(top), and then nothing overflows.
        top = weights.amax(dim=-1, keepdim=True).clamp_(min=0)
        weights.sub_(top).exp_()
        total, one = weights.sum(dim=-1, keepdim=True), torch.exp(-top)
        weights.div_(torch.maximum(total, one))
        ctx.save_for_backward(weights, total > one)
        return weights

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        weights, saturated = ctx.saved_tensors
        gradient = gradients[0] * weights
        share = gradient.sum(dim=-1, keepdim=True).mul_(saturated)
        return gradient.sub_(weights * share), None


def causal_attention(scores: Tensor, allowed: Tensor) -> Tensor:
    """Normalise exp(scores) so that each row over the last axis sums to at most one.

    It solves the entropic optimal transport problem in which the mass of a row is at most one, not exactly one.

    Args:
        scores: (..., P), already divided by the temperature.
        allowed: (..., P), true where the slot may be attended to; a row with none gets exactly zero.

    >>> allowed = torch.tensor([[True, True], [True, True], [False, False]])
    >>> causal_attention(torch.tensor([[0.0, 0.0], [-1e9, 0.0], [5.0, 5.0]]), allowed)
    tensor([[0.5000, 0.5000],
            [0.0000, 1.0000],
            [0.0000, 0.0000]])
    """
    weights: Tensor = _CausalAttention.apply(scores, allowed)  # type: ignore[no-untyped-call]
    return weights
