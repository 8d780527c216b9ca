"""The loss of one step of leaf removal. Shapes: B tables, D variables."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from fipscm.order.network.encoder import Logits


class TaskLoss(NamedTuple):
    """Mean cross entropies of one step."""

    leaf: Tensor
    parent: Tensor


def task_loss(logits: Logits, leaf: Tensor, parent: Tensor) -> TaskLoss:
    """Compare the logits of one step with the answers: leaf (B, D) and parent (B, D, D) hold 0 or 1.

    When an order is inferred, only the parents of leaves are read. The parents of other variables count half:
    predicting them helps to tell who is a leaf.
    """
    leaf_loss = functional.binary_cross_entropy_with_logits(logits.leaf, leaf)
    if logits.parent is None:
        return TaskLoss(leaf_loss, torch.zeros((), dtype=torch.float32))
    pairs = functional.binary_cross_entropy_with_logits(logits.parent, parent, reduction="none")
    pairs = (pairs.sum(dim=2) - pairs.diagonal(dim1=1, dim2=2)) / max(pairs.shape[1] - 1, 1)
    inner = 1 - leaf
    parent_loss = (pairs * leaf).sum() / leaf.sum() + 0.5 * (pairs * inner).sum() / inner.sum().clamp_min(1)
    return TaskLoss(leaf_loss, parent_loss)


def confounder_loss(logits: Logits, confounded: Tensor) -> Tensor:
    """Mean cross entropy of hidden common causes (B, D, D)."""
    if logits.confounded is None:
        return torch.zeros((), dtype=torch.float32)
    pairs = functional.binary_cross_entropy_with_logits(logits.confounded, confounded, reduction="none")
    return pairs[:, ~torch.eye(pairs.shape[1], dtype=torch.bool)].mean()


def top_hits(leaf_logits: Tensor, leaf: Tensor) -> Tensor:
    """(B,): 1 where the most likely leaf is one."""
    return leaf.gather(1, leaf_logits.argmax(dim=1, keepdim=True)).squeeze(1)
