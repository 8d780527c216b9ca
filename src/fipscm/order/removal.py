"""From leaf logits to an order and a graph. Shapes: B tables, N rows, D variables.

Leaves are taken away one after the other (Algorithm 2 of the paper); when a leaf goes, its parents are read off among
the variables that remain. Several tables over the same variables vote on each leaf (Algorithm 3).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from fipscm.arrays import Array, Mask, Order
from fipscm.order.reader import Reader

Choice = Callable[[Tensor], int]


def hard_vote(logits: Tensor) -> int:
    """The variable that most tables hold for the most likely leaf; ties go to the higher mean probability."""
    votes = torch.bincount(logits.argmax(dim=1), minlength=logits.shape[1])
    return int((votes + logits.sigmoid().mean(dim=0) / 2).argmax())


def soft_vote(logits: Tensor) -> int:
    """The variable with the highest mean logit."""
    return int(logits.mean(dim=0).argmax())


def random_leaf(rng: np.random.Generator) -> Choice:
    """A choice that draws each variable as often as its odds of being a leaf say."""

    def choose(logits: Tensor) -> int:
        return int((logits.mean(dim=0) + torch.from_numpy(rng.gumbel(size=logits.shape[1]))).argmax())

    return choose


@dataclass(frozen=True)
class Removal:
    """An order, and for each variable the probability of each cause: edges[i, j] for i causes j."""

    order: Order
    edges: Array


@torch.no_grad()
def remove_leaves(reader: Reader, choose: Choice = soft_vote, before: Mask | None = None) -> Removal:
    """Take leaves away until one variable is left.

    A variable that must stand before a remaining one (`before[i, j]`: i before j) is not free to go, so whatever
    partial order `before` asks for holds in the answer.
    """
    variables = reader.shape[1]
    before = np.zeros((variables, variables), dtype=bool) if before is None else before
    remaining, removed = np.arange(variables), []
    edges = np.zeros((variables, variables))
    while len(remaining) > 1:
        logits = reader.logits()
        held = before[np.ix_(remaining, remaining)].any(axis=1)
        leaf = choose(logits.leaf.double().masked_fill(torch.from_numpy(held), -torch.inf))
        if logits.parent is not None:
            edges[remaining, remaining[leaf]] = logits.parent[:, leaf].double().sigmoid().mean(dim=0).numpy()
        edges[remaining[leaf], remaining[leaf]] = 0.0
        removed.append(remaining[leaf])
        remaining = np.delete(remaining, leaf)
        reader = reader.without(torch.full((reader.shape[0],), leaf))
    return Removal(np.array([*remaining, *removed[::-1]], dtype=np.intp), edges)
