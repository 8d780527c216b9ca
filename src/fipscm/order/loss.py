"""What the order model is trained on: the differentiable topological ordering error. Shapes: B tables, D variables."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from fipscm.graph import Adjacency, leaves, relabel, remaining_after_leaf_removal, remove_node
from fipscm.order.model import Logits
from fipscm.order.view import View


def leaf_error(logits: Tensor, leaf: Tensor) -> Tensor:
    """BN of the paper, per table: (B, D) logits and answers -> (B,)."""
    return functional.binary_cross_entropy_with_logits(logits, leaf, reduction="none").sum(dim=1)


def ordering_error(
    view: View, adjacencies: list[Adjacency], rng: np.random.Generator, most_steps: int | None = None
) -> Tensor:
    """d-TOE, Algorithm 1: (B,) errors summed over the steps of leaf removal.

    The leaf that is removed is the model's own if it is right, else a random one. With `most_steps` only that many
    random steps count and keep their gradient, so that memory grows with them and not with the number of variables.
    The last variable is a leaf whatever the data say: its step is left out.
    """
    tables, variables = view.shape
    steps = variables - 1
    counted = set(rng.choice(steps, size=min(most_steps or steps, steps), replace=False).tolist())
    total = torch.zeros(tables)
    for step in range(steps):
        with torch.set_grad_enabled(torch.is_grad_enabled() and step in counted):
            logits = view.logits().leaf
        answers = np.stack([leaves(adjacency) for adjacency in adjacencies])
        if step in counted:
            total = total + leaf_error(logits, torch.from_numpy(answers).float())
        guesses = logits.argmax(dim=1).tolist()
        removed = [
            guess if answer[guess] else int(rng.choice(np.flatnonzero(answer)))
            for guess, answer in zip(guesses, answers, strict=True)
        ]
        view = view.without(torch.tensor(removed))
        adjacencies = [remove_node(graph, leaf) for graph, leaf in zip(adjacencies, removed, strict=True)]
    return total


def single_step_error(view: View, adjacencies: list[Adjacency], rng: np.random.Generator) -> Tensor:
    """The teacher-forced form: (B,) errors at one random step, after random leaves were removed.

    What is left when leaves are removed is again an SCM, so this is an unbiased estimate of the error per step, at the
    price of one pass, of a d-TOE that removes random leaves.
    """
    removals = int(rng.integers(view.shape[1] - 1))
    for _ in range(removals):
        steps = [remaining_after_leaf_removal(graph, 1, rng) for graph in adjacencies]
        gone = [int(np.setdiff1d(np.arange(len(kept) + 1), kept)[0]) for kept in steps]
        view = view.without(torch.tensor(gone))
        adjacencies = [relabel(graph, kept) for graph, kept in zip(adjacencies, steps, strict=True)]
    answers = torch.from_numpy(np.stack([leaves(graph) for graph in adjacencies])).float()
    return leaf_error(view.logits().leaf, answers)


class TaskLoss(NamedTuple):
    """Mean cross entropies of one step: who is a leaf, and who are its parents."""

    leaf: Tensor
    parent: Tensor


def task_loss(logits: Logits, leaf: Tensor, parent: Tensor) -> TaskLoss:
    """Compare the logits of one step with the answers: leaf (B, D) and parent (B, D, D) hold 0 or 1.

    Only the parents of leaves are asked for when an order is inferred, and they are the ones the evidence shows;
    the others count half, because knowing them helps to tell who is a leaf.
    """
    leaf_loss = functional.binary_cross_entropy_with_logits(logits.leaf, leaf)
    if logits.parent is None:
        return TaskLoss(leaf_loss, torch.zeros(()))
    pairs = functional.binary_cross_entropy_with_logits(logits.parent, parent, reduction="none")
    pairs = (pairs.sum(dim=2) - pairs.diagonal(dim1=1, dim2=2)) / max(pairs.shape[1] - 1, 1)
    inner = 1 - leaf
    parent_loss = (pairs * leaf).sum() / leaf.sum() + 0.5 * (pairs * inner).sum() / inner.sum().clamp_min(1)
    return TaskLoss(leaf_loss, parent_loss)


def top_hits(leaf_logits: Tensor, leaf: Tensor) -> Tensor:
    """(B,): 1 where the most likely leaf is one."""
    return leaf.gather(1, leaf_logits.argmax(dim=1, keepdim=True)).squeeze(1)
