"""The paper's encoder, AVICI's: attention over variables and over rows in turn.

Shapes: B tables, N rows, D variables, W width.
"""

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

from fipscm.errors import unknown_name
from fipscm.order.network.encoder import SCALES, SingleLayerNorm, SingleLinear


@dataclass(frozen=True)
class AxialConfig:
    """Size of the encoder and of the tables it is trained on; the defaults suit a processor without a GPU.

    Attributes:
        width: of a token; AVICI has 128.
        heads: of the attention; AVICI has 8.
        layers: pairs of attention over variables and over rows; AVICI has 8.
        widening: how much wider the hidden layer of a block is than a token.
        rows: of a training table; a longer table is cut into tables of about this size, which vote.
        scale: of the training tables: "standardized" columns, or "raw" ones, all divided by one common scale.
    """

    width: int = 32
    heads: int = 4
    layers: int = 2
    widening: int = 4
    rows: int = 200
    scale: str = "standardized"

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise unknown_name("scale", self.scale, SCALES)


class AxialEncoder(nn.Module):
    """From rows to one leaf logit per variable."""

    def __init__(self, config: AxialConfig):
        super().__init__()
        self.config = config
        self.embed = SingleLinear(1, config.width)
        self.blocks = nn.ModuleList(_Block(config) for _ in range(2 * config.layers))
        self.norm = SingleLayerNorm(config.width)
        self.leaf = SingleLinear(config.width, 1)

    def forward(self, rows: Tensor) -> Tensor:
        """(B, N, D) -> (B, D)."""
        tokens = self.embed(rows.unsqueeze(-1))
        for block in self.blocks:
            tokens = block(tokens).transpose(1, 2)
        # Blocks come in pairs, so the axes are back in place; the maximum over rows forgets their order.
        pooled: Tensor = self.norm(tokens).amax(dim=1)
        logits: Tensor = self.leaf(pooled)
        return logits.squeeze(-1)


class _Block(nn.Module):
    """Self-attention along the third axis of (B, *, T, W), then a wide layer; both residual, normalised first."""

    def __init__(self, config: AxialConfig):
        super().__init__()
        self.heads = config.heads
        self.attention_norm, self.wide_norm = SingleLayerNorm(config.width), SingleLayerNorm(config.width)
        self.projection = SingleLinear(config.width, 3 * config.width)
        self.mixed = SingleLinear(config.width, config.width)
        hidden = config.widening * config.width
        self.wide = nn.Sequential(SingleLinear(config.width, hidden), nn.ReLU(), SingleLinear(hidden, config.width))

    def forward(self, tokens: Tensor) -> Tensor:
        *lead, count, width = tokens.shape
        heads = self.projection(self.attention_norm(tokens)).view(*lead, count, 3, self.heads, width // self.heads)
        query, key, value = heads.movedim(-3, 0).transpose(-3, -2)
        attended = functional.scaled_dot_product_attention(query, key, value).transpose(-3, -2).reshape(tokens.shape)
        tokens = tokens + self.mixed(attended)
        answer: Tensor = tokens + self.wide(self.wide_norm(tokens))
        return answer
