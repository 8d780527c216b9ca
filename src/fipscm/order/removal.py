"""From leaf logits to an order and a graph. Shapes: B tables, N rows, D variables.

Leaves are removed one after the other (Algorithm 2 of the paper), each with the probabilities of its parents among the
variables that remain. Several tables over the same variables vote on each leaf (Algorithm 3).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from fipscm.arrays import Array, Mask, Order
from fipscm.order.network.encoder import Logits
from fipscm.order.network.reader import Reader

Choice = Callable[[Tensor], int]
OnRemoval = Callable[[int, int], None]  # leaves removed, leaves to remove in all


def hard_vote(logits: Tensor) -> int:
    """The variable that is the most likely leaf in most tables; ties go to the higher mean probability."""
    votes = torch.bincount(logits.argmax(dim=1), minlength=logits.shape[1])
    return int((votes + logits.sigmoid().mean(dim=0) / 2).argmax())


def random_leaf(rng: np.random.Generator) -> Choice:
    """A choice that draws each variable with a probability proportional to its odds of being a leaf."""

    def choose(logits: Tensor) -> int:
        return int((logits.mean(dim=0) + torch.from_numpy(rng.gumbel(size=logits.shape[1]))).argmax())

    return choose


@dataclass(frozen=True)
class Removal:
    """An order, and what the encoder says besides; None where it says nothing."""

    order: Order
    edges: Array | None  # (D, D) at [i, j]: the probability that i causes j
    confounded: Array | None = None  # (D, D): the probability that a hidden variable causes both


@torch.no_grad()
def remove_leaves(
    reader: Reader,
    choose: Choice = hard_vote,
    before: Mask | None = None,
    effects: Array | None = None,
    on_step: OnRemoval | None = None,
    at_once: float = 0.0,
) -> Removal:
    """Remove leaves until one variable is left: one in each step, or a share `at_once` of those that are left.

    A variable that must stand before a remaining one (`before[i, j]`: i before j) cannot be removed yet, so the answer
    respects every partial order. A variable that experiments show to affect a remaining one is no leaf:
    `effects[i, j]`, the log odds of i affecting j, lowers the log odds of i being a leaf.
    """
    variables = reader.shape[1]
    before = np.zeros((variables, variables), dtype=bool) if before is None else before
    effects = np.zeros((variables, variables)) if effects is None else effects
    remaining, removed = np.arange(variables), list[np.intp]()
    edges: Array | None = np.zeros((variables, variables))
    whole: Logits | None = None
    while len(remaining) > 1:
        if on_step is not None:
            on_step(len(removed), variables - 1)
        logits = reader.logits()
        whole = whole or logits
        for _ in range(max(1, int(at_once * (len(remaining) - 1)))):
            held = before[np.ix_(remaining, remaining)].any(axis=1)
            affects = effects[np.ix_(remaining, remaining)].max(axis=1)
            odds = logits.leaf.double() - torch.from_numpy(affects)
            leaf = choose(odds.masked_fill(torch.from_numpy(held), -torch.inf))
            if logits.parent is None:
                edges = None
            elif edges is not None:
                edges[remaining, remaining[leaf]] = logits.parent[:, leaf].double().sigmoid().mean(dim=0).numpy()
                edges[remaining[leaf], remaining[leaf]] = 0.0
            removed.append(remaining[leaf])
            remaining = np.delete(remaining, leaf)
            reader, logits = reader.without(torch.full((reader.shape[0],), leaf)), logits.without(leaf)
    order = np.array([*remaining, *removed[::-1]], dtype=np.intp)
    return Removal(order, edges, None if whole is None else shared_causes(whole))


def shared_causes(logits: Logits) -> Array | None:
    """(D, D), the probability that a hidden variable causes both; None from an encoder that cannot tell."""
    if logits.confounded is None:
        return None
    return logits.confounded.double().sigmoid().mean(dim=0).fill_diagonal_(0.0).numpy()
