"""A network that reads a table in both views at once. Shapes: B tables, V = 2 views, D variables, W width.

One network reads either view, the columns' values and the normal scores of their ranks; after each round the two
exchange what they know. Each variable is judged by the view that can be trusted: the one in which the network is surer
of its leaves, corrected by what it has learned about views. It begins as a network that was trained on values alone,
and says of each view of a table what that one would say.
"""

from typing import Any

import torch
from torch import Tensor, nn

from fipscm.order.network.encoder import (
    WORLDS,
    EvidenceConfig,
    EvidenceEncoder,
    LayerNorm,
    Linear,
    Logits,
    both_ways,
    mlp,
)

COUNT = 2  # of views


class ViewsEncoder(nn.Module):
    """From statistics of both views to leaf and parent logits, hidden common causes and what the table is like."""

    def __init__(self, config: EvidenceConfig):
        super().__init__()
        self.config = config
        width = config.width
        self.reader = EvidenceEncoder(config)
        self.exchanges = nn.ModuleList(_Exchange(width) for _ in range(config.rounds))
        self.sureness = nn.Parameter(torch.ones((), dtype=torch.float32))
        self.trust = nn.Sequential(LayerNorm(width), _silent(width, 1))
        self.confounded = nn.Sequential(LayerNorm(2 * COUNT * width), mlp(2 * COUNT * width, 1, hidden=width))
        self.world = nn.Sequential(LayerNorm(2 * COUNT * width), mlp(2 * COUNT * width, len(WORLDS), hidden=width))

    def forward(self, pair: Tensor, node: Tensor, scale: Tensor, raw: Tensor) -> Logits:
        """Read pair (B, V, D, D, ...), node (B, V, D, ...), scale (B, D, ...); raw (B,) is 1 for raw tables."""
        each = (x.repeat_interleave(COUNT, dim=0) for x in (scale, raw))
        pairs, nodes = self.reader.embed(pair.flatten(0, 1), node.flatten(0, 1), *each)
        for update, exchange in zip(self.reader.rounds, self.exchanges, strict=True):
            pairs, nodes = exchange(*update(pairs, nodes))
        leaf, parent = map(_by_view, self.reader.answer(pairs, nodes))
        surest = leaf.amax(dim=2, keepdim=True)
        trust = (self.sureness * surest + _by_view(self.trust(nodes).squeeze(-1))).softmax(dim=1)
        shared = self.confounded(_side_by_side(both_ways(pairs))).squeeze(-1)
        summary = torch.cat([nodes.mean(dim=1), nodes.amax(dim=1)], dim=-1)
        return Logits(
            (trust * leaf).sum(dim=1),
            (trust.unsqueeze(-1) * parent).sum(dim=1),
            (shared + shared.transpose(1, 2)) / 2,
            self.world(_side_by_side(summary)),
        )

    def learn_from(self, other: "EvidenceEncoder | ViewsEncoder") -> None:
        """Begin as a network that reads one view, or as a smaller one; see `EvidenceEncoder.learn_from`."""
        if isinstance(other, EvidenceEncoder):
            self.reader.learn_from(other)
            return
        self.reader.learn_from(other.reader)
        # Exchanges after the other one's rounds stay silent.
        known = {name: part for name, part in other.state_dict().items() if not name.startswith("reader.")}
        self.load_state_dict(self.state_dict() | known)

    def description(self) -> dict[str, Any]:
        """What is needed to build the same network again."""
        return self.reader.description()


class _Exchange(nn.Module):
    """Each view hears of the other; untrained, it hears nothing."""

    def __init__(self, width: int):
        super().__init__()
        self.pairs, self.nodes = _silent(width, width), _silent(width, width)

    def forward(self, pairs: Tensor, nodes: Tensor) -> tuple[Tensor, Tensor]:
        """(B V, D, D, W), (B V, D, W) -> the same."""
        return pairs + self.pairs(_other_view(pairs)), nodes + self.nodes(_other_view(nodes))


def _silent(inputs: int, outputs: int) -> nn.Linear:
    """A linear map that is zero until it is trained."""
    layer = Linear(inputs, outputs, bias=False)
    nn.init.zeros_(layer.weight)
    return layer


def _by_view(x: Tensor) -> Tensor:
    """(B V, ...) -> (B, V, ...)."""
    return x.view(-1, COUNT, *x.shape[1:])


def _other_view(x: Tensor) -> Tensor:
    """(B V, ...) -> (B V, ...), the views of each table swapped."""
    return _by_view(x).flip(1).flatten(0, 1)


def _side_by_side(x: Tensor) -> Tensor:
    """(B V, ..., W) -> (B, ..., V W)."""
    return torch.cat(_by_view(x).unbind(dim=1), dim=-1)
