"""The levels of binary, ordinal and categorical columns, as numbers, as cells and by name. Shapes: N rows, K levels."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array, Order
from fipscm.mechanism.learned import LearnedSCM
from fipscm.questions.known_levels import levels_of
from fipscm.tables.columns import Columns
from fipscm.tables.kinds import Level


@dataclass(frozen=True)
class ColumnLevels:
    """The levels of one column.

    Attributes:
        codes: (K,) the numbers that stand for them.
        cells: the levels as they are in the table.
        kind: "binary", "ordinal" or "categorical".
    """

    codes: Array
    cells: tuple[Level, ...]
    kind: str

    @property
    def names(self) -> list[str]:
        """As a reader sees them."""
        return [f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in self.cells]

    @property
    def are_ordered(self) -> bool:
        """Whether a next level is a higher one."""
        return self.kind == "ordinal"

    def places(self, values: Array) -> Order:
        """(N,) -> (N,), which level each number is nearest to."""
        return np.asarray(np.abs(values[:, None] - self.codes).argmin(axis=1))

    def shares(self, values: Array) -> Array:
        """(N,) -> (K,), how large a part of the rows has each level."""
        return np.bincount(self.places(values), minlength=len(self.codes)) / len(values)


def column_levels(scm: LearnedSCM, columns: Columns) -> dict[Hashable, ColumnLevels]:
    """Of all columns of a table that have levels, by name."""
    thresholds, found = levels_of(scm), {}
    for name, (kind, named) in columns.variables.items():
        if named:
            codes: Array = np.arange(len(named), dtype=np.float64)
            found[name] = ColumnLevels(codes, named, kind)
        elif name in thresholds:
            codes, is_truth = thresholds[name], columns.forms.get(name) == "truth values"
            found[name] = ColumnLevels(codes, tuple(map(bool if is_truth else float, codes.tolist())), kind)
    return found
