"""The network that tells leaves from the rest by their evidence. Shapes: B tables, D variables, W width, H heads.

It alternates between pairs and variables: pairs read their two variables, variables read their pairs and each other.
Everything is equivariant to the order of the columns.
"""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from fipscm.order.evidence.table import STATISTICS

# Of a table: raw columns are compared by their variances, standardized ones are not.
SCALES = ("raw", "standardized")
# Weights are float32 whatever PyTorch's default type is.
SingleLinear = partial(nn.Linear, dtype=torch.float32)
SingleLayerNorm = partial(nn.LayerNorm, dtype=torch.float32)


class Logits(NamedTuple):
    """Who is a leaf, and which variables are its parents."""

    leaf: Tensor  # (B, D)
    parent: Tensor | None  # (B, D, D) at [j, i]: i is a parent of j; None from an encoder that cannot tell
    confounded: Tensor | None = None  # (B, D, D), symmetric: a hidden variable causes both

    def without(self, variable: int) -> "Logits":
        """Who is a leaf, and whose parents are which, among the other variables."""
        kept = [place for place in range(self.leaf.shape[1]) if place != variable]
        parent = None if self.parent is None else self.parent[:, kept][:, :, kept]
        return Logits(self.leaf[:, kept], parent)


@dataclass(frozen=True)
class EvidenceConfig:
    """Size of the evidence encoder."""

    width: int = 64
    rounds: int = 6
    heads: int = 4
    dropout: float = 0.0  # of what each step of a round adds, in training


class EvidenceEncoder(nn.Module):
    """From pair and node statistics to leaf and parent logits, and hidden common causes."""

    def __init__(self, config: EvidenceConfig):
        super().__init__()
        self.config = config
        width = config.width
        self.embed_pair = mlp(len(STATISTICS.pair), width)
        self.embed_node = mlp(len(STATISTICS.node) + len(STATISTICS.scale) + 1, width)
        self.rounds = nn.ModuleList(_Round(width, config.heads, config.dropout) for _ in range(config.rounds))
        self.leaf = nn.Sequential(SingleLayerNorm(width), SingleLinear(width, 1))
        self.parent = nn.Sequential(SingleLayerNorm(2 * width), mlp(2 * width, 1, hidden=width))
        self.confounded = nn.Sequential(SingleLayerNorm(2 * width), mlp(2 * width, 1, hidden=width))

    def forward(self, pair: Tensor, node: Tensor, scale: Tensor, raw: Tensor) -> Logits:
        """Read pair (B, D, D, ...), node and scale (B, D, ...); raw (B,) is 1 for a raw table, else 0."""
        flag = raw.view(-1, 1, 1).expand(-1, node.shape[1], 1)
        pairs, nodes = self.embed_pair(pair), self.embed_node(torch.cat([node, scale * flag, flag], dim=-1))
        for update in self.rounds:
            pairs, nodes = update(pairs, nodes)
        both = torch.cat([pairs, pairs.transpose(1, 2)], dim=-1)
        shared = self.confounded(both).squeeze(-1)
        return Logits(
            self.leaf(nodes).squeeze(-1), self.parent(both).squeeze(-1), (shared + shared.transpose(1, 2)) / 2
        )


class _Round(nn.Module):
    """One exchange between pairs and variables."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads = heads
        self.drop = nn.Dropout(dropout)
        self.pair_norm, self.node_norm, self.query_norm, self.last_norm = (SingleLayerNorm(width) for _ in range(4))
        self.from_pairs = SingleLinear(width, 4 * width)
        self.from_nodes = SingleLinear(width, 4 * width)
        self.to_pair = SingleLinear(2 * width, width)
        self.to_node = mlp(5 * width, width)
        self.projection = SingleLinear(width, 3 * width)
        self.bias = SingleLinear(width, heads)
        self.mixed = SingleLinear(width, width)
        self.last = mlp(width, width)

    def forward(self, pairs: Tensor, nodes: Tensor) -> tuple[Tensor, Tensor]:
        """(B, D, D, W), (B, D, W) -> the same."""
        forth, back = self.from_pairs(self.pair_norm(pairs)).chunk(2, dim=-1)
        effect, cause = self.from_nodes(self.node_norm(nodes)).chunk(2, dim=-1)
        hidden = forth + back.transpose(1, 2) + effect.unsqueeze(2) + cause.unsqueeze(1)
        pairs = pairs + self.drop(self.to_pair(functional.gelu(hidden)))
        nodes = nodes + self.drop(self.to_node(torch.cat([nodes, *_summaries(pairs)], dim=-1)))
        nodes = nodes + self.drop(self._attend(pairs, self.query_norm(nodes)))
        return pairs, nodes + self.drop(self.last(self.last_norm(nodes)))

    def _attend(self, pairs: Tensor, nodes: Tensor) -> Tensor:
        batch, variables, width = nodes.shape
        heads = self.projection(nodes).view(batch, variables, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = heads
        bias = self.bias(pairs).permute(0, 3, 1, 2)
        attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        mixed: Tensor = self.mixed(attended.transpose(1, 2).reshape(batch, variables, width))
        return mixed


def _summaries(pairs: Tensor) -> list[Tensor]:
    """(B, D, D, W) -> mean and maximum over the other variables, in both directions: four times (B, D, W)."""
    variables = pairs.shape[1]
    own = torch.eye(variables, dtype=torch.bool, device=pairs.device).unsqueeze(-1)
    others = pairs.masked_fill(own, 0.0)
    least = pairs.masked_fill(own, torch.finfo(pairs.dtype).min)
    return [summary for dim in (2, 1) for summary in (others.sum(dim) / (variables - 1), least.amax(dim))]


def mlp(inputs: int, outputs: int, hidden: int | None = None) -> nn.Sequential:
    """Two layers."""
    hidden = hidden or 2 * outputs
    return nn.Sequential(SingleLinear(inputs, hidden), nn.GELU(), SingleLinear(hidden, outputs))
