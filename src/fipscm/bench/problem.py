"""Data sets with known answers, named so that any process can make them again. Shapes: N rows, D variables."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from fipscm.graph import Adjacency, Order, topological_order
from fipscm.intervention import Array
from fipscm.simulate import CounterfactualTest

ROWS = 10_000


@dataclass(frozen=True)
class DataSet:
    """What a data set is called: enough to make it again, and to find its line in the results.

    Attributes:
        name: a random collection (lin-in, ...), a known SCM, sachs or syntren.
        preset: of a random collection, else empty.
        family: graph family of a random collection, else empty.
        nodes: number of variables.
        rows: number of rows.
        seed: which of the SCMs, resamples or tables of that description.
        scale: raw, or standardized.
        variant: how the collection was disturbed, "plain" if it was not.
    """

    name: str
    nodes: int
    preset: str = ""
    family: str = ""
    rows: int = ROWS
    seed: int = 0
    scale: str = "raw"
    variant: str = "plain"

    def generator(self, purpose: str) -> np.random.Generator:
        """Return the random numbers of one purpose, independent of every other purpose and data set."""
        return np.random.default_rng(crc32(f"{replace(self, scale='raw')}/{purpose}".encode()))


@dataclass(frozen=True)
class Problem:
    """A table, the graph that made it, and, unless it is a table of the world, the SCM behind it.

    Attributes:
        table: (N, D) the rows a method may see.
        adjacency: (D, D) the true graph.
        tests: counterfactuals with their truth, in the units of the table; none where no SCM is known.
        unit: (D,) what a counterfactual error of one is in each column.
        noise: (N, D) the noise behind the rows, in the units of the table, where it is additive.
        scale: whether the columns still have their own scales ("raw") or not ("standardized").
    """

    table: pd.DataFrame
    adjacency: Adjacency
    tests: tuple[CounterfactualTest, ...]
    unit: Array
    noise: Array | None = None
    scale: str = "raw"

    @cached_property
    def order(self) -> Order:
        """A true order, (D,) column positions, causes first."""
        return topological_order(self.adjacency)

    def standardised(self) -> "Problem":
        """The same problem with every column brought to mean zero and variance one."""
        mean, std = self.table.mean(), self.table.std(ddof=0)
        factors = std.to_numpy()

        def scaled(name: Hashable, value: Any) -> Any:
            column = self.table.columns.get_loc(name)
            return (value - mean.iloc[column]) / std.iloc[column]

        return replace(
            self,
            table=(self.table - mean) / std,
            tests=tuple(
                CounterfactualTest(
                    (test.factual - mean) / std,
                    {name: scaled(name, value) for name, value in test.do.items()},
                    (test.truth - mean) / std,
                )
                for test in self.tests
            ),
            unit=self.unit / factors,
            noise=None if self.noise is None else self.noise / factors,
            scale="standardized",
        )
