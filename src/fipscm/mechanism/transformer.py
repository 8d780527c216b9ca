"""The paper's transformer T(x, n). Shapes: D variables, Q nodes computed, B rows, P parent slots, W width."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from fipscm.graph import Mask, Order
from fipscm.nn.encoder import CausalLayer


@dataclass(frozen=True)
class TransformerConfig:
    """The paper's sizes: about half a million parameters."""

    width: int = 128
    heads: int = 8
    head_width: int = 32
    layers: int = 2
    hidden: int = 128


@dataclass(frozen=True)
class Parents:
    """Whom each computed node may read, packed to the left so that sparse graphs cost little.

    Attributes:
        nodes: (Q,) the nodes to compute.
        index: (Q, P) the columns they read.
        present: (Q, P), false where a slot only fills the row up.
    """

    nodes: Tensor
    index: Tensor
    present: Tensor

    @classmethod
    def of(
        cls, allowed: Mask, nodes: Sequence[int] | Order | None = None, device: str | torch.device = "cpu"
    ) -> "Parents":
        """Pack the mask (D, D), true where column j may cause row i.

        >>> Parents.of(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]]) > 0).index.tolist()
        [[0], [0], [1]]
        """
        chosen = np.arange(len(allowed)) if nodes is None else np.asarray(nodes, dtype=np.intp)
        rows = allowed[chosen]
        slots = max(1, int(rows.sum(axis=1).max(initial=0)))
        index = np.argsort(~rows, axis=1, kind="stable")[:, :slots]
        present = np.take_along_axis(rows, index, axis=1)
        return cls(*(torch.as_tensor(part, device=device) for part in (chosen, index, present)))


class CausalTransformer(nn.Module):
    """T(x, n): embeds values and noises, mixes by causal attention, decodes each node on its own.

    The Jacobian is zero in x outside the parents and diagonal in n, exactly.
    """

    def __init__(self, variables: int, config: TransformerConfig, generator: torch.Generator) -> None:
        super().__init__()
        self.config = config
        sizes = (variables, config.width)
        self.value_embedding = nn.Parameter(torch.empty(sizes))
        self.noise_embedding = nn.Parameter(torch.empty(sizes))
        self.position = nn.Parameter(torch.empty(sizes))
        self.layers = nn.ModuleList(
            CausalLayer(config.width, config.heads, config.head_width, config.hidden) for _ in range(config.layers)
        )
        self.decoder = nn.Parameter(torch.empty(sizes))
        self._initialise(generator)

    def forward(self, x: Tensor, parents: Parents, noise: Tensor | None = None) -> Tensor:
        """(B, D) values and noises (zero unless given) -> (B, Q)."""
        return self.of_parents(x.T[parents.index].transpose(1, 2), parents, noise).T

    def of_parents(self, values: Tensor, parents: Parents, noise: Tensor | None = None) -> Tensor:
        """(Q, B, P) values of each node's own parents -> (Q, B): a node reads nothing else."""
        return torch.einsum("qbw,qw->qb", self.features(values, parents, noise), self.decoder[parents.nodes])

    def jacobian(self, x: Tensor, parents: Parents) -> Tensor:
        """(B, D) -> (B, Q, D) derivatives in x at zero noise.

        A node's output reads only its own slots, so one backward pass through them gives all entries at once.
        """
        values = x.T[parents.index].transpose(1, 2).clone().requires_grad_()
        (slopes,) = torch.autograd.grad(self.of_parents(values, parents).sum(), values)
        slopes = slopes.permute(1, 0, 2) * parents.present
        return slopes.new_zeros(len(x), len(parents.nodes), x.shape[1]).scatter_add_(
            2, parents.index.expand(len(x), -1, -1), slopes
        )

    def features(self, values: Tensor, parents: Parents, noise: Tensor | None = None) -> Tensor:
        """(Q, B, P) values of each node's own parents -> (Q, B, W), what the decoder reads."""
        slope, offset = self.value_embedding[parents.index], self.position[parents.index]
        # Without noise the first queries are the same in every row: one row stands for all.
        state = self.position[parents.nodes][:, None]
        if noise is not None:
            state = state + noise.T[parents.nodes][:, :, None] * self.noise_embedding[parents.nodes][:, None]
        for layer in self.layers:
            state = layer(state, values, slope, offset, parents.present)
        return state

    def _initialise(self, generator: torch.Generator) -> None:
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if parameter.dim() == 2:
                    fan_in = parameter.shape[1] if name.startswith("layers") else 1
                    parameter.normal_(std=fan_in**-0.5, generator=generator)
                elif name.endswith("bias"):
                    parameter.zero_()
                else:
                    parameter.fill_(1.0)
            self.decoder.mul_(self.config.width**-0.5)
