"""The paper's transformer T(x, n). Shapes: D variables, Q nodes computed, B rows, P parent slots, W width."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from fipscm.arrays import Mask, Order
from fipscm.mechanism.network.layer import CausalLayer

BLOCK = 6  # nodes; smaller blocks have fewer empty slots, larger ones need fewer operations


@dataclass(frozen=True)
class TransformerConfig:
    """The paper's sizes: about half a million parameters."""

    width: int = 128
    heads: int = 8
    head_width: int = 32
    layers: int = 2
    hidden: int = 128


@dataclass(frozen=True)
class Block:
    """Some nodes and the columns they may read, packed to the left.

    Attributes:
        nodes: (Q,) the nodes to compute.
        index: (Q, P) the columns they read.
        present: (Q, P), false where a node has fewer than P parents.
    """

    nodes: Tensor
    index: Tensor
    present: Tensor

    @classmethod
    def of(cls, allowed: Mask, nodes: Order, device: str | torch.device) -> "Block":
        """Pack the rows of the mask (D, D) that belong to the nodes."""
        rows = allowed[nodes]
        slots = max(1, int(rows.sum(axis=1).max(initial=0)))
        index = np.argsort(~rows, axis=1, kind="stable")[:, :slots]
        present = np.take_along_axis(rows, index, axis=1)
        return cls(*(torch.as_tensor(part, device=device) for part in (nodes, index, present)))


@dataclass(frozen=True)
class Parents:
    """What each computed node may read, in blocks of nodes with about as many parents: the cost follows the edges.

    Attributes:
        blocks: all nodes, those with few parents first.
        place: (Q,) where each node asked for stands among the blocks.
    """

    blocks: tuple[Block, ...]
    place: Tensor

    @classmethod
    def of(
        cls, allowed: Mask, nodes: Sequence[int] | Order | None = None, device: str | torch.device = "cpu"
    ) -> "Parents":
        """Pack the mask (D, D), true where column j may cause row i.

        >>> [block.index.tolist() for block in Parents.of(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]]) > 0).blocks]
        [[[0], [0], [1]]]
        """
        chosen = np.arange(len(allowed)) if nodes is None else np.asarray(nodes, dtype=np.intp)
        by_parents = np.argsort(allowed[chosen].sum(axis=1), kind="stable")
        pieces = np.array_split(chosen[by_parents], max(1, len(chosen) // BLOCK))
        place = torch.as_tensor(np.argsort(by_parents), device=device)
        return cls(tuple(Block.of(allowed, piece, device) for piece in pieces), place)

    @property
    def slots(self) -> int:
        """How many values are read per row."""
        return sum(block.index.numel() for block in self.blocks)


class CausalTransformer(nn.Module):
    """T(x, n): embeds values and noises, mixes by causal attention, decodes each node on its own.

    The Jacobian is zero in x outside the parents and diagonal in n, exactly.
    """

    def __init__(self, variables: int, config: TransformerConfig, generator: torch.Generator) -> None:
        super().__init__()
        self.config = config
        self.value_embedding, self.noise_embedding, self.position, self.decoder = (
            nn.Parameter(torch.empty(variables, config.width)) for _ in range(4)
        )
        with torch.random.fork_rng(devices=[]):  # layers first draw weights from PyTorch's own generator
            self.layers = nn.ModuleList(
                CausalLayer(config.width, config.heads, config.head_width, config.hidden) for _ in range(config.layers)
            )
        self.float()  # whatever PyTorch's default is
        self._initialise(generator)

    def forward(self, x: Tensor, parents: Parents, noise: Tensor | None = None) -> Tensor:
        """(B, D) values and noises (zero unless given) -> (B, Q)."""
        pieces = [self._decoded(read(x, block), block, noise) for block in parents.blocks]
        return torch.cat(pieces)[parents.place].T

    def losses(self, x: Tensor, parents: Parents, target: Tensor) -> Tensor:
        """(B, D), (B, Q) -> (B, Q) squared errors; zero where the target is NaN.

        A prediction that is not finite stays visible.
        """
        return torch.where(target.isnan(), 0.0, self(x, parents) - target).square()

    def jacobian(self, x: Tensor, parents: Parents) -> Tensor:
        """(B, D) -> (B, Q, D) derivatives in x at zero noise.

        A node's output reads only its own slots, so one backward pass through them gives all entries at once.
        """
        pieces = []
        for block in parents.blocks:
            values = read(x, block).clone().requires_grad_()
            (slopes,) = torch.autograd.grad(self._decoded(values, block, None).sum(), values)
            pieces.append(_placed(slopes, block, x.shape[1]))
        return torch.cat(pieces, dim=1)[:, parents.place]

    def _decoded(self, values: Tensor, block: Block, noise: Tensor | None) -> Tensor:
        """(Q, B, P) values of each node's own parents -> (Q, B)."""
        return torch.einsum("qbw,qw->qb", self._states(values, block, noise), self.decoder[block.nodes])

    def _states(self, values: Tensor, block: Block, noise: Tensor | None) -> Tensor:
        """(Q, B, P) values of each node's own parents -> (Q, B, W): a node reads nothing else."""
        slope, offset = self.value_embedding[block.index], self.position[block.index]
        # Without noise the first queries are the same in every row: one row stands for all.
        state = self.position[block.nodes][:, None]
        if noise is not None:
            state = state + noise.T[block.nodes][:, :, None] * self.noise_embedding[block.nodes][:, None]
        for layer in self.layers:
            state = layer(state, values, slope, offset, block.present)
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


def read(x: Tensor, block: Block) -> Tensor:
    """(B, D) -> (Q, B, P), each node's own parents."""
    return x.T[block.index].transpose(1, 2)


def _placed(slots: Tensor, block: Block, variables: int) -> Tensor:
    """(Q, B, P) -> (B, Q, D), each slot in the column it reads."""
    present = (slots * block.present[:, None]).transpose(0, 1)
    empty = present.new_zeros(*present.shape[:2], variables)
    return empty.scatter_add_(2, block.index.expand(len(present), -1, -1), present)
