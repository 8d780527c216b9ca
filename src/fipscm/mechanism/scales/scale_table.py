"""The rows that other scales of columns are learned from. Shapes: N rows, D variables, K rows that are used."""

from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.robust import robust_location, wild_cells
from fipscm.significance import SIGNIFICANCE


@dataclass(frozen=True)
class ScaleTable:
    """What other scales are learned from.

    Attributes:
        z: (N, D) standardized rows in random order, and
        rows: (N, D) the same rows in their units.
        tried: (D,) columns that may be modelled on another scale, and
        positive: (D,) those that may be modelled on their logarithm.
        intervened: (N, D), cells that were set from outside.
        wild: (N, D), cells far from all others.
    """

    z: Array
    rows: Array
    tried: Mask
    positive: Mask
    intervened: Mask
    wild: Mask

    @classmethod
    def of(cls, z: Array, rows: Array, tried: Mask, intervened: Mask, wild: Mask, wrong: Mask) -> "ScaleTable":
        """Of wild cells (N, D) those are taken back that are not wild on a scale without tails.

        Amounts that multiply and values that are bent have tails: logarithms have none, nor do inverse hyperbolic
        sines, which are logarithms to both sides. Those that no tail explains are not: an entry that is wrong must not
        decide for another scale.
        """
        wild, positive = wild.copy(), rows.min(axis=0) > 0
        for column in np.flatnonzero(wild.any(axis=0)):
            values = rows[:, [column]]
            centre, scale = robust_location(values)
            tame = np.log(values) if positive[column] else np.arcsinh((values - centre) / scale)
            wild[:, [column]] &= wrong[:, [column]] | wild_cells(tame)
        return cls(z, rows, tried, tried & positive, intervened, wild)

    def used(self, node: int, causes: Mask) -> Mask:
        """(N,), the rows that tell about a node with these causes (D,)."""
        own = ~(self.intervened[:, node] | self.wild[:, node])
        return np.asarray(own & ~self.wild[:, causes].any(axis=1))

    def values(self, node: int, causes: Mask) -> Array:
        """(K,), the node in the rows that tell about it."""
        return np.asarray(self.rows[self.used(node, causes), node])

    @property
    def limit(self) -> float:
        """Below which the log p-value of a column must lie."""
        return float(np.log(SIGNIFICANCE / len(self.tried)))
