"""An increasing curve of a column, whose slope is linear between knots. Shapes: K knots."""

from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.parts import Part


@dataclass(frozen=True)
class MonotoneCurve(Part):
    """An increasing curve whose slope is linear between knots and constant beyond them.

    Attributes:
        knots: (K,) increasing values of the column.
        slopes: (K,) of the curve at the knots, positive.
        positive: whether the column is: then the curve falls as a logarithm below the lowest knot, and never ends.
    """

    knots: Array
    slopes: Array
    positive: bool = False
    kind = "monotone-curve"

    def __call__(self, values: Array) -> Array:
        """(...) transformed values."""
        near = np.clip(values, self.knots[0], self.knots[-1])
        piece = self._piece(self.knots, near)
        width, start, rise = self._widths[piece], self.slopes[piece], np.diff(self.slopes)[piece]
        share = (near - self.knots[piece]) / width
        inner = self._heights[piece] + width * share * (start + rise * share / 2)
        beyond = values - near
        if self.positive:
            lowest = self.knots[0]
            beyond = np.where(values < lowest, lowest * np.log(_some(values) / lowest), beyond)
        return np.asarray(inner + np.interp(values, self.knots, self.slopes) * beyond)

    def slope(self, values: Array) -> Array:
        """(...) derivatives of the curve."""
        slope = np.interp(values, self.knots, self.slopes)
        return slope * np.maximum(self.knots[0] / _some(values), 1) if self.positive else slope

    def inverse(self, transformed: Array) -> Array:
        """(...) the values that become these."""
        heights = self._heights
        near = np.clip(transformed, heights[0], heights[-1])
        piece = self._piece(heights, near)
        width, start, rise = self._widths[piece], self.slopes[piece], np.diff(self.slopes)[piece]
        above = (near - heights[piece]) / width
        # The root of a quadratic equation in the form that stays exact where the slope hardly changes.
        share = 2 * above / (start + np.sqrt(np.square(start) + 2 * rise * above))
        inner, beyond = self.knots[piece] + width * share, transformed - near
        straight = np.asarray(inner + beyond / np.interp(inner, self.knots, self.slopes))
        if self.positive:
            falls = np.exp(np.minimum(beyond, 0.0) / (self.slopes[0] * self.knots[0]))
            return np.where(beyond < 0, self.knots[0] * falls, straight)
        return straight

    @property
    def _widths(self) -> Array:
        return np.diff(self.knots)

    @property
    def _heights(self) -> Array:
        """(K,), of the curve at its knots; zero at the first."""
        return np.append(0.0, np.cumsum(self._widths * (self.slopes[1:] + self.slopes[:-1]) / 2))

    @staticmethod
    def _piece(places: Array, values: Array) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
        """(...) numbers of the gaps between places (K,) that hold these values."""
        return np.clip(np.searchsorted(places, values, side="right") - 1, 0, len(places) - 2)


def _some(values: Array) -> Array:
    """(...), the values, where they are no amounts the smallest one there is."""
    return np.maximum(values, np.finfo(np.float64).tiny)
