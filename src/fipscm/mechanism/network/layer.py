"""The causal encoder layer. Shapes: Q nodes, B rows, P parent slots, H heads, K head width, W width.

The nodes' values enter as `x_j slope_j + offset_j`, one number per row and slot. Keys and values are therefore affine
in that number, with coefficients that all rows share: no projection of width W by W is ever applied to a row's values.
"""

import torch
from torch import Tensor, nn

from fipscm.mechanism.network.attention import causal_attention


class CausalLayer(nn.Module):
    """h(CA(N W_Q, X W_K) X W_V W_O + N), with h = LN o (I + MLP) o LN."""

    def __init__(self, width: int, heads: int, head_width: int, hidden: int) -> None:
        super().__init__()
        self.heads, self.head_width = heads, head_width
        self.query = nn.Linear(width, heads * head_width, bias=False)
        self.key = nn.Linear(width, heads * head_width, bias=False)
        self.value = nn.Linear(width, heads * head_width, bias=False)
        self.output = nn.Linear(heads * head_width, width, bias=False)
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))

    def forward(self, state: Tensor, values: Tensor, slope: Tensor, offset: Tensor, present: Tensor) -> Tensor:
        """Update the nodes' states from their parents' values.

        Args:
            state: (Q, B, W), or (Q, 1, W) when all rows share it, as before the first layer.
            values: (Q, B, P), the values of each node's parents.
            slope: (Q, P, W) and
            offset: (Q, P, W), which embed those values.
            present: (Q, P), false where a node has fewer than P parents.
        """
        embedding = torch.cat([slope, offset], dim=1)
        in_slope, in_offset = self._scores(state, self._by_head(self.key(embedding))).chunk(2, dim=-1)
        weights = causal_attention(torch.addcmul(in_offset, in_slope, values[:, :, None]), present[:, None, None])
        mixture = torch.cat([weights * values[:, :, None], weights], dim=-1)
        state = self.first_norm(state + self._mix(mixture, self._by_head(self.value(embedding))))
        return self.second_norm(state + self.mlp(state))  # type: ignore[no-any-return]

    def _scores(self, state: Tensor, keys: Tensor) -> Tensor:
        """(Q, B, W) states and (Q, 2P, H, K) keys -> (Q, B, H, 2P) inner products over the square root of K."""
        keys = keys * self.head_width**-0.5
        if self._few(keys):
            table = torch.einsum("hkw,qphk->qwhp", self._by_head(self.query.weight.T, 1).permute(1, 2, 0), keys)
            products = torch.bmm(state, table.flatten(2))
            return products.view(*products.shape[:2], *table.shape[2:])
        return torch.einsum("qbhk,qphk->qbhp", self._by_head(self.query(state)), keys)

    def _mix(self, mixture: Tensor, values: Tensor) -> Tensor:
        """(Q, B, H, 2P) weights and (Q, 2P, H, K) values -> (Q, B, W)."""
        if self._few(values):
            table = torch.einsum("qphk,whk->qhpw", values, self._by_head(self.output.weight))
            return torch.bmm(mixture.flatten(2), table.flatten(1, 2))
        mixed: Tensor = self.output(torch.einsum("qbhp,qphk->qbhk", mixture, values).flatten(2))
        return mixed

    def _few(self, slots: Tensor) -> bool:
        """Tell whether folding the projection into the slots' tables costs less than applying it to every row."""
        width = self.query.in_features
        return slots.shape[1] * (width - self.head_width) < width * self.head_width

    def _by_head(self, tensor: Tensor, dim: int = -1) -> Tensor:
        split: Tensor = tensor.unflatten(dim, (self.heads, self.head_width))  # type: ignore[no-untyped-call]
        return split
