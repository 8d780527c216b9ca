"""Correlations between transforms of residuals and of variables, streamed over rows. Shapes: N rows, D variables.

sqrt(N) times a correlation of independent variables is standard normal, whatever their laws: one scale for everything.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from fipscm.order.interaction import CLIP
from fipscm.order.regression import row_blocks

TRANSFORMS: dict[str, Callable[[Tensor], Tensor]] = {
    "value": lambda v: v,
    "tanh": torch.tanh,
    "square": torch.square,
    "size": torch.abs,
}
_POSITION = {name: position for position, name in enumerate(TRANSFORMS)}


@dataclass(frozen=True)
class Moments:
    """Means of products of transforms; sources are named columns of (N, D), among them "values" and "linear"."""

    names: tuple[str, ...]
    means: Tensor  # (sources, transforms, D)
    spreads: Tensor  # (sources, transforms, D)
    with_values: Tensor  # (sources, transforms, D, transforms, D)
    with_linear: Tensor  # the same without "size", as is
    within: Tensor  # (sources, ...), each source with itself
    bent: Tensor  # (sources, D, D): the square of j's column times j's linear residual, with i's linear residual

    @classmethod
    def of(cls, sources: dict[str, Tensor]) -> "Moments":
        """Accumulate over blocks of rows, after scaling every column to variance one and clipping it."""
        stds = [source.square().mean(dim=0).sqrt().clamp_min(1e-9) for source in sources.values()]
        rows, variables = sources["values"].shape
        values, linear = (list(sources).index(name) for name in ("values", "linear"))
        totals: list[Tensor] = []
        for block in row_blocks(rows, 2 * len(sources) * len(TRANSFORMS) * variables):
            scaled = [
                (source[block] / std).clamp(-CLIP, CLIP) for source, std in zip(sources.values(), stds, strict=True)
            ]
            every = torch.stack([torch.cat([f(v) for f in TRANSFORMS.values()], dim=1) for v in scaled])
            most = every[:, :, :-variables]
            bent = most[:, :, -variables:] * scaled[linear]
            products = [
                every.sum(dim=1),
                every.square().sum(dim=1),
                every.transpose(1, 2) @ every[values],
                most.transpose(1, 2) @ most[linear],
                most.transpose(1, 2) @ most,
                bent.transpose(1, 2) @ scaled[linear],
            ]
            totals = [total + product for total, product in zip(totals, products, strict=True)] if totals else products
        mean, square, with_values, with_linear, within, bent = (total / rows for total in totals)
        spread = (square - mean.square()).clamp_min(1e-12).sqrt()
        by_transform = (len(sources), -1, variables)
        pairs = (len(sources), len(TRANSFORMS), variables, len(TRANSFORMS), variables)
        fewer = (len(sources), len(TRANSFORMS) - 1, variables, len(TRANSFORMS) - 1, variables)
        return cls(
            tuple(sources),
            mean.view(by_transform),
            spread.view(by_transform),
            with_values.view(pairs),
            with_linear.view(fewer),
            within.view(fewer),
            bent,
        )

    def correlation(self, source: str, left: str, right: str, other: str) -> Tensor:
        """(D, D) at [j, i]: a transform of j's column of one source with one of i's column of "values" or "linear".

        With `other` equal to the source the correlation is within the source.
        """
        s, o = self.names.index(source), self.names.index(other)
        products = {"values": self.with_values, "linear": self.with_linear}.get(other, self.within)
        f, g = _POSITION[left], _POSITION[right]
        centred = products[s, f, :, g] - torch.outer(self.means[s, f], self.means[o, g])
        return centred / torch.outer(self.spreads[s, f], self.spreads[o, g])

    def with_rest(self, source: str) -> list[Tensor]:
        """Correlations of j's column with what is left of i's linear residual beyond j's: tanh, square; square, square.

        Two residuals on all other variables are correlated; taking j's share out of i's leaves a function of the
        variables other than j, of which the noise of a leaf j is independent.
        """
        joint = self.correlation("linear", "value", "value", "linear").clone().fill_diagonal_(0.0).clamp(-0.99, 0.99)
        kept = (1 - joint.square()).sqrt()
        rests = []
        for transform in ("tanh", "square"):
            direct = self.correlation(source, transform, "value", "linear")
            rests.append((direct - joint * direct.diagonal().unsqueeze(1)) / kept)
        s, linear = self.names.index(source), self.names.index("linear")
        square, value = _POSITION["square"], _POSITION["value"]
        unit = self.spreads[linear, value]
        mixed = self.bent[s] - self.means[s, square].unsqueeze(1) * self.with_linear[linear, value, :, value]
        mixed = mixed / (self.spreads[s, square].unsqueeze(1) * torch.outer(unit, unit))
        squares = self.correlation(source, "square", "square", "linear")
        spread = self.spreads[linear, square] / unit.square()
        bent = squares * spread - 2 * joint * mixed + joint.square() * (squares.diagonal() * spread).unsqueeze(1)
        rests.append(bent / (spread * kept.square()))
        return rests

    def shape(self, source: str) -> list[Tensor]:
        """(D,) each: log kurtosis, size of the skewness, mean size."""
        s = self.names.index(source)
        square, value, size = (_POSITION[name] for name in ("square", "value", "size"))
        fourth = self.spreads[s, square].square() + self.means[s, square].square()
        third = self.within[s, square, :, value].diagonal()
        return [torch.log1p(fourth) - 1, third.abs(), self.means[s, size]]
