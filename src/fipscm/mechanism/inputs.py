"""How the causes of a column become the numbers that its mechanism reads. Shapes: N rows, P causes, F inputs.

A number is standardized; a category becomes one indicator for each of its levels, standardized as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fipscm.arrays import Array, Order
from fipscm.mechanism.parts import Part
from fipscm.mechanism.training_range import TrainingRange

_TINY = 1e-12  # the scale of an input that does not vary


@dataclass(frozen=True)
class Inputs(Part):
    """Causes, standardized.

    Attributes:
        causes: (P,) their positions among the columns of the table.
        levels: (P,) how many levels a category has; zero for numbers.
        centre: (F,) means and
        scale: (F,) standard deviations of the inputs.
        range: where the rows were, in standardized inputs.
    """

    causes: Order
    levels: Order
    centre: Array
    scale: Array
    range: TrainingRange
    kind = "inputs"
    parts: ClassVar = {"range": {TrainingRange.kind: TrainingRange}}

    @classmethod
    def of(cls, causes: Order, levels: Sequence[int], rows: Array) -> "Inputs":
        """Of some columns that the rows (N, P) hold; categories hold codes."""
        counts = np.asarray(levels, dtype=np.intp)
        plain = expanded(rows, counts)
        centre, scale = plain.mean(axis=0), plain.std(axis=0)
        scale = np.where(scale > _TINY * np.maximum(1, np.abs(centre)), scale, 1.0)
        z = (plain - centre) / scale
        return cls(np.asarray(causes, dtype=np.intp), counts, centre, scale, TrainingRange.of(z))

    def __call__(self, rows: Array) -> Array:
        """(N, P) -> (N, F)."""
        return np.asarray((expanded(rows, self.levels) - self.centre) / self.scale)

    @property
    def owners(self) -> Order:
        """(F,), which of the P causes each input belongs to."""
        return np.repeat(np.arange(len(self.causes)), np.maximum(self.levels, 1))


def expanded(rows: Array, levels: Sequence[int] | Order) -> Array:
    """(N, P) -> (N, F), with an indicator for each level of a category.

    >>> expanded(np.array([[2.5, 1.0]]), [0, 3]).tolist()
    [[2.5, 0.0, 1.0, 0.0]]
    """
    if not np.any(levels):
        return np.asarray(rows, dtype=np.float64)
    columns = [
        (column[:, None] == np.arange(count)).astype(np.float64) if count else column[:, None]
        for column, count in zip(np.asarray(rows, dtype=np.float64).T, levels, strict=True)
    ]
    return np.concatenate(columns, axis=1) if columns else np.zeros((len(rows), 0))
