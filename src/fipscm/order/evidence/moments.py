"""Correlations between transforms of residuals and of variables, streamed over rows. Shapes: N rows, D variables.

With many rows, sqrt(N) times a correlation of independent variables is standard normal, whatever their laws: all
statistics share one scale.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import torch
from torch import Tensor

from fipscm.order.evidence.interactions import INTERACTIONS
from fipscm.order.evidence.leave_one_out import row_blocks

TRANSFORMS: dict[str, Callable[[Tensor], Tensor]] = {
    "value": lambda v: v,
    "square": torch.square,
    "tanh": torch.tanh,
    "size": torch.abs,
}
# What every source is described by.
SHAPE = ("square", "size")
# (transform of j's column, transform of i's linear residual): what `with_rest` is made of
WITH_LINEAR = (("tanh", "value"), ("square", "value"), ("square", "square"))


class Pairing(NamedTuple):
    """The correlation of a transform of one source's columns with a transform of another's."""

    source: str
    left: str
    right: str
    other: str


JOINT = Pairing("linear", "value", "value", "linear")


class Moments:
    """Moments of named sources of (N, D) columns, among them "values" and "linear".

    Only the products that the pairings and `with_rest` of every residual need are computed.
    """

    def __init__(self, sources: dict[str, Tensor], pairings: Iterable[Pairing]):
        rows, variables = sources["values"].shape
        stds = {name: source.square().mean(dim=0).sqrt().clamp_min(1e-9) for name, source in sources.items()}
        residuals = [name for name in sources if name != "values"]
        rests = {Pairing(name, left, right, "linear") for name in residuals for left, right in WITH_LINEAR}
        asked = {*pairings, *rests, JOINT}
        columns = {(each.source, each.left) for each in asked} | {(each.other, each.right) for each in asked}
        columns |= {(name, transform) for name in sources for transform in SHAPE}
        totals: dict[tuple[str, ...], Tensor] = {}
        for block in row_blocks(rows, 2 * len(columns) * variables):
            # Clipped columns of unit variance: single precision loses nothing and halves the time.
            unit = {
                name: (source[block] / stds[name]).clamp(-INTERACTIONS.clip, INTERACTIONS.clip).float()
                for name, source in sources.items()
            }
            for key, total in _sums(unit, columns, asked, residuals).items():
                totals[key] = totals[key] + total if key in totals else total.double()
        self._means = {key: total / rows for key, total in totals.items()}
        self._spreads = {column: _spread(self._means[column], self._means[*column, "energy"]) for column in columns}
        self.names = tuple(sources)

    def correlation(self, pairing: Pairing) -> Tensor:
        """(D, D) at [j, i]: the left transform of j's column with the right one of i's; for the pairings given only."""
        source, left, right, other = pairing
        product = self._means[pairing]
        centred = product - torch.outer(self._means[source, left], self._means[other, right])
        return centred / torch.outer(self._spreads[source, left], self._spreads[other, right])

    def with_rest(self, source: str) -> list[Tensor]:
        """Correlations of j's column with the part of i's linear residual that j's does not explain, as in WITH_LINEAR.

        Two residuals on all other variables are correlated. What j's does not explain of i's is a function of the
        variables other than j, and the noise of a leaf j is independent of those.
        """
        # Two residuals that are almost the same leave no rest: the bound keeps the division finite.
        joint = self.correlation(JOINT).fill_diagonal_(0.0).clamp(-0.99, 0.99)
        kept = (1 - joint.square()).sqrt()
        rests = []
        for transform in ("tanh", "square"):
            direct = self.correlation(Pairing(source, transform, "value", "linear"))
            rests.append((direct - joint * direct.diagonal().unsqueeze(1)) / kept)
        unit = torch.outer(self._spreads["linear", "value"], self._spreads["linear", "value"])
        product = self._means[JOINT]
        square = self._means[source, "square"].unsqueeze(1)
        mixed = (self._means[source, "bent"] - square * product) / (self._spreads[source, "square"].unsqueeze(1) * unit)
        squares = self.correlation(Pairing(source, "square", "square", "linear"))
        spread = self._spreads["linear", "square"] / self._spreads["linear", "value"].square()
        bent = squares * spread - 2 * joint * mixed + joint.square() * (squares.diagonal() * spread).unsqueeze(1)
        return [*rests, bent / (spread * kept.square())]

    def shape(self, source: str) -> list[Tensor]:
        """(D,) each: log kurtosis, size of the skewness, mean size."""
        fourth = self._means[source, "square", "energy"]
        return [torch.log1p(fourth) - 1, self._means[source, "third"].abs(), self._means[source, "size"]]


def _spread(mean: Tensor, energy: Tensor) -> Tensor:
    return (energy - mean.square()).clamp_min(1e-12).sqrt()


def _sums(
    unit: dict[str, Tensor], columns: set[tuple[str, str]], asked: set[Pairing], residuals: list[str]
) -> dict[tuple[str, ...], Tensor]:
    """Sums over the rows of a block, by what they are: transforms, their squares and products, third powers.

    "bent" at [j, i] is the square of j's column times j's linear residual, times i's linear residual.
    """
    seen = {(name, transform): TRANSFORMS[transform](unit[name]) for name, transform in columns}
    linear = unit["linear"]
    return {
        **{key: column.sum(dim=0) for key, column in seen.items()},
        **{(*key, "energy"): column.square().sum(dim=0) for key, column in seen.items()},
        **{(name, "third"): column.pow(3).sum(dim=0) for name, column in unit.items()},
        **{each: seen[each.source, each.left].T @ seen[each.other, each.right] for each in asked},
        **{(name, "bent"): (seen[name, "square"] * linear).T @ linear for name in residuals},
    }
