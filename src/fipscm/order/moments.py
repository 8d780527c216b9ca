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
    """Means over rows of what one source of columns (N, D) is asked about; T = 4 transforms, in their order."""

    mean: Tensor  # (T, D)
    spread: Tensor  # (T, D)
    values: Tensor  # (3, D, 3, D): without sizes, with the values
    sizes: Tensor  # (D, D): sizes with sizes of the values
    linear: Tensor  # (3, D, 2, D): without sizes, with values and squares of the linear residuals
    own: Tensor  # (3, D, 2, D): the same within the source
    bent: Tensor  # (D, D): the square of j's column times j's linear residual, with i's linear residual


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
        self._sources = {name: _source([total / rows for total in sums], variables) for name, sums in totals.items()}
        self.names = tuple(sources)

    def correlation(self, source: str, left: str, right: str, other: str) -> Tensor:
        """(D, D) at [j, i]: a transform of j's column of a source with one of i's column of another.

        The other source is "values", "linear" or the source itself.
        """
        this, that = self._sources[source], self._sources[other]
        f, g = _POSITION[left], _POSITION[right]
        if left == "size":
            products = this.sizes
        elif other == "values":
            products = this.values[f, :, g]
        else:
            products = (this.linear if other == "linear" else this.own)[f, :, g]
        return (products - torch.outer(this.mean[f], that.mean[g])) / torch.outer(this.spread[f], that.spread[g])

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
        unit = linear.spread[value]
        mixed = this.bent - this.mean[square].unsqueeze(1) * linear.linear[value, :, value]
        mixed = mixed / (this.spread[square].unsqueeze(1) * torch.outer(unit, unit))
        squares = self.correlation(source, "square", "square", "linear")
        spread = linear.spread[square] / unit.square()
        bent = squares * spread - 2 * joint * mixed + joint.square() * (squares.diagonal() * spread).unsqueeze(1)
        return [*rests, bent / (spread * kept.square())]

    def shape(self, source: str) -> list[Tensor]:
        """(D,) each: log kurtosis, size of the skewness, mean size."""
        this = self._sources[source]
        square, value, size = (_POSITION[name] for name in ("square", "value", "size"))
        fourth = this.spread[square].square() + this.mean[square].square()
        third = this.own[square, :, value].diagonal()
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


def _source(means: list[Tensor], variables: int) -> _Source:
    mean, square, values, sizes, linear, own, bent = means
    spread = (square - mean.square()).clamp_min(1e-12).sqrt()
    by_transform, narrow = (len(TRANSFORMS), variables), (3, variables, 2, variables)
    return _Source(
        mean.view(by_transform),
        spread.view(by_transform),
        values.view(3, variables, 3, variables),
        sizes,
        linear.view(narrow),
        own.reshape(narrow),
        bent,
    )
