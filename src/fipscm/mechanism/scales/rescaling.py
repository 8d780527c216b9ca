"""Increasing functions of a column, on whose scale its noise may be additive. Shapes: N rows, D variables."""

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.mechanism.regression.bend import learn_bend
from fipscm.mechanism.scales.scale_table import ScaleTable

FEWEST_ROWS, BEND_ROWS = 10, 400  # that a logarithm needs, and the slopes of a curve
LEAST_VARIATION = 0.2  # standard deviation over mean; below, a logarithm is as good as a line
LEFT_OVER = np.log(0.05)  # log p-value of even noises on a learned curve: one that can be bent passes more easily


class Rescaling(Protocol):
    """An increasing function of a column."""

    def __call__(self, values: Array) -> Array:
        """(N,) values on the other scale."""

    def slope(self, values: Array) -> Array:
        """(N,) its derivatives."""


class NaturalLogarithm:
    """Of amounts, whose noise multiplies."""

    def __call__(self, values: Array) -> Array:
        """(N,) logarithms."""
        return np.asarray(np.log(values))

    def slope(self, values: Array) -> Array:
        """(N,) inverse values."""
        return np.asarray(1 / values)


def rescalings(node: int, causes: Mask, table: ScaleTable) -> Iterator[tuple[Rescaling, float]]:
    """The scales to try for a node with these causes (D,), and the log p-value that even noises must reach on each.

    The simplest come first.
    """
    values = table.values(node, causes)
    if table.positive[node] and varies(values):
        yield NaturalLogarithm(), table.limit
    if len(values) >= BEND_ROWS:
        bend = learn_bend(table.z[table.used(node, causes)][:, causes], values)
        if bend is not None:
            yield bend, float(LEFT_OVER)


def varies(values: Array) -> bool:
    """Whether positive values (N,) are enough, and vary so much that a logarithm differs from a line."""
    return len(values) >= FEWEST_ROWS and bool(values.std() >= LEAST_VARIATION * values.mean())
