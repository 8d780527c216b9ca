"""A flow of one spline per node, whose parameters the causal transformer reads from the node's causes.

Neural spline flows: Durkan et al. 2019, https://arxiv.org/abs/1906.04032. The noise of a value y is n = spline(u) with
u = (y - shift) / spread. Shift, spread and the spline's knots depend on the causes; all are bounded. The spline is
increasing, goes from [-BOUND, BOUND] to itself and is the identity beyond: neither it nor its inverse is ever infinite.

Shapes: V variables, Q nodes computed, B rows, W width, K bins.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from zuko.transforms import MonotonicRQSTransform

from fipscm.mechanism.network.transformer import CausalTransformer, Parents, TransformerConfig, read

_BINS = 8
BOUND = 5.0  # standard deviations; one normal noise in two million lies beyond
FLATTEST = 1e-3  # slope of a spline at a knot, and share of the widest bin that the narrowest has at least
_WIDEST = 6.0  # logarithm of the largest spread
_FARTHEST = 4.0  # standard deviations; where the normal density of a noise ends and its tail begins


@dataclass(frozen=True)
class Flow:
    """Increasing maps between values and standard normal noises, one per row and node: all parts (..., any).

    Attributes:
        shift: where the middle of the spline lies.
        log_spread: logarithm of its unit.
        spline: from values in that unit to noises.
    """

    shift: Tensor
    log_spread: Tensor
    spline: MonotonicRQSTransform

    @classmethod
    def of(cls, shift: Tensor, raw: Tensor) -> "Flow":
        """From what the network says: (...) and (..., 3 K). Zeros stand for the identity."""
        bins = raw.shape[-1] // 3
        log_spread, widths, heights, derivatives = torch.split(raw, [1, bins, bins, bins - 1], dim=-1)
        bounded = _WIDEST * torch.tanh(log_spread[..., 0] / _WIDEST)
        return cls(shift, bounded, MonotonicRQSTransform(widths, heights, derivatives, BOUND, FLATTEST))

    def noise(self, values: Tensor) -> Tensor:
        """The noises behind values."""
        noise: Tensor = self.spline((values - self.shift) * torch.exp(-self.log_spread))
        return noise

    def value(self, noise: Tensor) -> Tensor:
        """The values that noises give."""
        value: Tensor = self.shift + torch.exp(self.log_spread) * self.spline.inv(noise)
        return value

    def noise_and_log_slope(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """The noises behind values, and the logarithms of their derivatives in the values."""
        noise, log_slope = self.spline.call_and_ladj((values - self.shift) * torch.exp(-self.log_spread))
        return noise, log_slope - self.log_spread


class FlowTransformer(CausalTransformer):
    """The causal transformer with a spline per node: what it decodes is the shift, a second decoder gives the rest.

    Strictly triangular in the values, since a node's spline reads its parents alone; increasing in the noise.
    """

    def __init__(
        self, variables: int, config: TransformerConfig, generator: torch.Generator, bins: int = _BINS
    ) -> None:
        super().__init__(variables, config, generator)
        self.bins = bins
        self.spline_decoder = nn.Parameter(torch.zeros(variables, config.width, 3 * bins))
        self.spline_offset = nn.Parameter(torch.zeros(variables, 3 * bins))
        self.decoder.data.zero_()

    def flow(self, x: Tensor, parents: Parents) -> Flow:
        """(B, V) -> maps of (B, Q)."""
        pieces = [self._states(read(x, block), block, None) for block in parents.blocks]
        nodes = torch.cat([block.nodes for block in parents.blocks])
        states = torch.cat([piece.expand(-1, len(x), -1) for piece in pieces])
        shift = torch.einsum("qbw,qw->bq", states, self.decoder[nodes])
        raw = torch.einsum("qbw,qwk->bqk", states, self.spline_decoder[nodes]) + self.spline_offset[nodes]
        return Flow.of(shift[:, parents.place], raw[:, parents.place])

    def restricted(self, variables: Tensor) -> "FlowTransformer":
        """A network of its own for some of the variables, with the same weights."""
        small = FlowTransformer(len(variables), self.config, torch.Generator(), self.bins)
        weights = self.state_dict()
        small.load_state_dict({n: w if n.startswith("layers") else w[variables] for n, w in weights.items()})
        return small

    def losses(self, x: Tensor, parents: Parents, target: Tensor) -> Tensor:
        """(B, V), (B, Q) -> (B, Q) negative log-likelihoods; zero where the target is NaN."""
        noise, log_slope = self.flow(x, parents).noise_and_log_slope(target.nan_to_num())
        return torch.where(target.isnan(), 0.0, _surprise(noise) - log_slope)


def _surprise(noise: Tensor) -> Tensor:
    """Negative log-densities of standard normal noises, with the tails of a power law: wild rows do not decide."""
    near = noise.clamp(-_FARTHEST, _FARTHEST)
    beyond = torch.log(noise.abs().clamp(min=_FARTHEST) / _FARTHEST)
    return near.square() / 2 + _FARTHEST**2 * beyond + 0.5 * math.log(2 * math.pi)
