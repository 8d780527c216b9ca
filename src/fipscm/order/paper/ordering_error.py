"""The differentiable topological ordering error (d-TOE, Algorithm 1). Shapes: B tables, D variables."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from fipscm.arrays import Adjacency
from fipscm.graph import leaves, relabel, remaining_after_leaf_removal, remove_node
from fipscm.order.network.reader import Reader


def leaf_error(logits: Tensor, leaf: Tensor) -> Tensor:
    """The paper's BN, the cross entropy summed over the variables of a table: (B, D) logits and answers -> (B,)."""
    return functional.binary_cross_entropy_with_logits(logits, leaf, reduction="none").sum(dim=1)


def ordering_error(
    reader: Reader, adjacencies: list[Adjacency], rng: np.random.Generator, most_steps: int | None = None
) -> Tensor:
    """d-TOE, Algorithm 1: (B,) errors summed over the steps of leaf removal.

    The leaf that is removed is the model's own if it is right, else a random one. With `most_steps` (the paper's d_max)
    only that many random steps count and keep their gradient, so that memory grows with them and not with the number of
    variables. The last remaining variable is always a leaf: its step does not count.
    """
    tables, variables = reader.shape
    steps = variables - 1
    counted = set(rng.choice(steps, size=min(most_steps or steps, steps), replace=False).tolist())
    total = torch.zeros(tables, dtype=torch.float32)
    for step in range(steps):
        with torch.set_grad_enabled(torch.is_grad_enabled() and step in counted):
            logits = reader.logits().leaf
        answers = np.stack([leaves(adjacency) for adjacency in adjacencies])
        if step in counted:
            total = total + leaf_error(logits, torch.from_numpy(answers).float())
        guesses = logits.argmax(dim=1).tolist()
        removed = [
            guess if answer[guess] else int(rng.choice(np.flatnonzero(answer)))
            for guess, answer in zip(guesses, answers, strict=True)
        ]
        reader = reader.without(torch.tensor(removed))
        adjacencies = [remove_node(graph, leaf) for graph, leaf in zip(adjacencies, removed, strict=True)]
    return total


def single_step_error(reader: Reader, adjacencies: list[Adjacency], rng: np.random.Generator) -> Tensor:
    """The teacher-forced form: (B,) errors at one random step, after random leaves were removed.

    What is left when leaves are removed is again an SCM, so this is an unbiased estimate of the error per step, at the
    price of one pass, of a d-TOE that removes random leaves.
    """
    removals = int(rng.integers(reader.shape[1] - 1))
    for _ in range(removals):
        steps = [remaining_after_leaf_removal(graph, 1, rng) for graph in adjacencies]
        gone = [int(np.setdiff1d(np.arange(len(kept) + 1), kept)[0]) for kept in steps]
        reader = reader.without(torch.tensor(gone))
        adjacencies = [relabel(graph, kept) for graph, kept in zip(adjacencies, steps, strict=True)]
    answers = torch.from_numpy(np.stack([leaves(graph) for graph in adjacencies])).float()
    return leaf_error(reader.logits().leaf, answers)
