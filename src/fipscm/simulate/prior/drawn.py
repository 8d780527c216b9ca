"""What a family of training tables draws. Shapes: N rows, D visible columns."""

from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Adjacency, Array, Mask


@dataclass(frozen=True)
class Drawn:
    """A simulated table, the truth about it, and what it was made with.

    Attributes:
        values: (N, D), NaN where a cell is missing.
        is_category: (D,), true for columns whose numbers are codes of levels without an order.
        adjacency: (D, D) the true graph of the columns.
        confounded: (D, D) symmetric, true for two columns with a hidden cause in common.
        flags: names of the ingredients used, sorted.
    """

    values: Array
    is_category: Mask
    adjacency: Adjacency
    confounded: Mask
    flags: tuple[str, ...]


def numeric(values: Array, adjacency: Adjacency, confounded: Mask, flags: set[str]) -> Drawn:
    """A table without categories."""
    return Drawn(values, np.zeros(values.shape[1], dtype=bool), adjacency, confounded, tuple(sorted(flags)))
