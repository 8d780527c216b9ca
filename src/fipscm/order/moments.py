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
    "square": torch.square,
    "tanh": torch.tanh,
    "size": torch.abs,
}
_POSITION = {name: position for position, name in enumerate(TRANSFORMS)}


@dataclass(frozen=True)
class _Source:
    """What one source of columns (N, D) is asked about; the first axes are transforms, in their order."""

    mean: Tensor  # (4, D)
    spread: Tensor  # (4, D)
    values: Tensor  # (3, D, 3, D): correlations, sizes left out, with the values
    sizes: Tensor  # (D, D): correlations of sizes with sizes of the values
    linear: Tensor  # (3, D, 2, D): correlations, sizes left out, with values and squares of the linear residuals
    own: Tensor  # (3, D, 2, D): the same within the source
    bent: Tensor  # (D, D): mean of the square of j's column times j's linear residual, times i's linear residual


class Moments:
    """Moments of named sources of (N, D) columns, among them "values" and "linear"."""

    def __init__(self, sources: dict[str, Tensor]):
        stds = [source.square().mean(dim=0).sqrt().clamp_min(1e-9) for source in sources.values()]
        rows, variables = sources["values"].shape
        totals: dict[str, list[Tensor]] = {}
        for block in row_blocks(rows, 2 * len(sources) * len(TRANSFORMS) * variables):
            scaled = [
                (source[block] / std).clamp(-CLIP, CLIP) for source, std in zip(sources.values(), stds, strict=True)
            ]
            seen = {
                name: torch.cat([transform(column) for transform in TRANSFORMS.values()], dim=1)
                for name, column in zip(sources, scaled, strict=True)
            }
            for name, columns in seen.items():
                sums = _products(columns, seen["values"], seen["linear"], variables)
                totals[name] = [a + b for a, b in zip(totals[name], sums, strict=True)] if name in totals else sums
        means = {name: [total / rows for total in sums] for name, sums in totals.items()}
        self._sources = {name: _source(name, means, variables) for name in sources}
        self.names = tuple(sources)

    def correlation(self, source: str, left: str, right: str, other: str) -> Tensor:
        """(D, D) at [j, i]: a transform of j's column of a source with one of i's column of another.

        The other source is "values", "linear" or the source itself.
        """
        this = self._sources[source]
        if left == "size":
            return this.sizes
        found = {"values": this.values, "linear": this.linear}.get(other, this.own)
        return found[_POSITION[left], :, _POSITION[right]]

    def with_rest(self, source: str) -> list[Tensor]:
        """Correlations of j's column with what is left of i's linear residual beyond j's.

        Two residuals on all other variables are correlated; taking j's share out of i's leaves a function of the
        variables other than j, of which the noise of a leaf j is independent. In turn: tanh with value, square with
        value, square with square.
        """
        joint = self.correlation("linear", "value", "value", "linear").clone().fill_diagonal_(0.0).clamp(-0.99, 0.99)
        kept = (1 - joint.square()).sqrt()
        rests = []
        for transform in ("tanh", "square"):
            direct = self.correlation(source, transform, "value", "linear")
            rests.append((direct - joint * direct.diagonal().unsqueeze(1)) / kept)
        this, linear = self._sources[source], self._sources["linear"]
        square, value = _POSITION["square"], _POSITION["value"]
        unit = torch.outer(linear.spread[value], linear.spread[value])
        product = linear.linear[value, :, value] * unit + torch.outer(linear.mean[value], linear.mean[value])
        mixed = (this.bent - this.mean[square].unsqueeze(1) * product) / (this.spread[square].unsqueeze(1) * unit)
        squares = self.correlation(source, "square", "square", "linear")
        spread = linear.spread[square] / linear.spread[value].square()
        bent = squares * spread - 2 * joint * mixed + joint.square() * (squares.diagonal() * spread).unsqueeze(1)
        return [*rests, bent / (spread * kept.square())]

    def shape(self, source: str) -> list[Tensor]:
        """(D,) each: log kurtosis, size of the skewness, mean size."""
        this = self._sources[source]
        square, value, size = (_POSITION[name] for name in ("square", "value", "size"))
        fourth = this.spread[square].square() + this.mean[square].square()
        third = this.own[square, :, value].diagonal() * this.spread[square] * this.spread[value]
        third = third + this.mean[square] * this.mean[value]
        return [torch.log1p(fourth) - 1, third.abs(), this.mean[size]]


def _products(columns: Tensor, values: Tensor, linear: Tensor, variables: int) -> list[Tensor]:
    """Sums over rows; columns, values and linear hold all transforms side by side: (rows, T * D)."""
    two, three = 2 * variables, 3 * variables
    most, sizes = columns[:, :three], columns[:, three:]
    bent = columns[:, variables:two] * linear[:, :variables]
    with_values = most.T @ values[:, :three]
    with_linear = most.T @ linear[:, :two]
    # What is asked of the values and of the linear residuals themselves is among the products already.
    own = {id(values): with_values[:, :two], id(linear): with_linear}.get(id(columns))
    return [
        columns.sum(dim=0),
        columns.square().sum(dim=0),
        with_values,
        sizes.T @ values[:, three:],
        with_linear,
        most.T @ columns[:, :two] if own is None else own,
        bent.T @ linear[:, :variables],
    ]


def _source(name: str, means: dict[str, list[Tensor]], variables: int) -> _Source:
    def spread(source: str) -> Tensor:
        mean, square, *_ = means[source]
        return (square - mean.square()).clamp_min(1e-12).sqrt()

    def correlated(products: Tensor, other: str, left: slice, right: slice) -> Tensor:
        """Centre and scale products of some transforms of this source and of another."""
        centred = products - torch.outer(means[name][0][left], means[other][0][right])
        return centred / torch.outer(spread(name)[left], spread(other)[right])

    most, two, sizes = slice(3 * variables), slice(2 * variables), slice(3 * variables, None)
    mean, _, with_values, with_sizes, with_linear, own, bent = means[name]
    return _Source(
        mean.view(-1, variables),
        spread(name).view(-1, variables),
        correlated(with_values, "values", most, most).view(3, variables, 3, variables),
        correlated(with_sizes, "values", sizes, sizes),
        correlated(with_linear, "linear", most, two).view(3, variables, 2, variables),
        correlated(own, name, most, two).view(3, variables, 2, variables),
        bent,
    )
