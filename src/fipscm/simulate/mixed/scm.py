"""SCMs whose columns are of several kinds. Shapes: N rows, D variables."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fipscm.arrays import Adjacency, Array, Order
from fipscm.errors import unknown_name
from fipscm.simulate.mixed.nodes import MixedNode

Noises = tuple[Array, ...]


@dataclass(frozen=True)
class MixedSCM:
    """A graph and a node of some kind for each column. Rows (N, D) hold codes where values have names.

    Attributes:
        names: of the D columns.
        adjacency: (D, D), 1 where the row causes the column.
        order: (D,) column positions, causes first.
        nodes: the structural equations.
    """

    names: tuple[Hashable, ...]
    adjacency: Adjacency
    order: Order
    nodes: tuple[MixedNode, ...]

    def noise(self, rows: int, rng: np.random.Generator) -> Noises:
        """Draw the noises of every node."""
        return tuple(node.noise(rows, rng) for node in self.nodes)

    def values(self, noise: Noises, do: Mapping[Hashable, Any] | None = None) -> Array:
        """(N, D) what the noises lead to, also with some columns set: the same units, had things been different."""
        fixed = {self.names.index(name): self.code(name, value) for name, value in (do or {}).items()}
        rows = np.zeros((len(noise[0]), len(self.names)))
        for place in self.order:
            natural = self.nodes[place].value(self._parents(rows, place), noise[place])
            rows[:, place] = fixed.get(int(place), natural)
        return rows

    def abduct(self, rows: Array, rng: np.random.Generator) -> Noises:
        """Draw noises that could be behind these rows, each as probable as it is."""
        return tuple(node.abduct(self._parents(rows, at), rows[:, at], rng) for at, node in enumerate(self.nodes))

    def sample(self, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Draw rows, with names where values have names."""
        return self.decode(self.values(self.noise(rows, rng)))

    def decode(self, rows: Array) -> pd.DataFrame:
        """Rows in the types that people keep them in."""
        return pd.DataFrame({name: _cells(node, rows[:, at]) for at, (name, node) in enumerate(self._columns)})

    def encode(self, frame: pd.DataFrame) -> Array:
        """(N, D) the codes of such rows, whatever the types of their columns."""
        return np.column_stack([frame[name].map(lambda cell, n=name: self.code(n, cell)) for name in self.names])

    def code(self, name: Hashable, value: Any) -> float:
        """The number that stands for one value of a column."""
        levels = self.nodes[self.names.index(name)].levels
        if levels and value not in levels:
            raise unknown_name(f"level of '{name}'", value, levels)
        return float(levels.index(value) if levels else value)

    @property
    def _columns(self) -> tuple[tuple[Hashable, MixedNode], ...]:
        return tuple(zip(self.names, self.nodes, strict=True))

    def _parents(self, rows: Array, place: int) -> Array:
        return rows[:, self.adjacency[:, place] == 1]


def _cells(node: MixedNode, codes: Array) -> Any:
    """A column in the type that people keep it in."""
    if node.kind in ("ordinal", "categorical"):
        return pd.Categorical.from_codes(codes.astype(int), pd.Index(node.levels), ordered=node.kind == "ordinal")
    if node.kind == "binary":
        return np.array(node.levels, dtype=object)[codes.astype(int)]
    return codes.astype(np.int64) if node.kind == "count" else codes
