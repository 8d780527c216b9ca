"""Data sets with known answers, named so that any process can make them again. Shapes: N rows, D variables."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from fipscm.arrays import Adjacency, Array, Order
from fipscm.errors import DataError
from fipscm.graph import topological_order
from fipscm.simulate import CounterfactualTest
from fipscm.simulate.effects import KnownEffect
from fipscm.simulate.metadatasets import ROWS
from fipscm.simulate.mixed.truth import MixedTruth


@dataclass(frozen=True)
class DataSet:
    """What a data set is called: enough to make it again, and to find its line in the results.

    Attributes:
        name: a random collection (lin-in, ...), a known SCM, a continuation (far-linear, ...), an SCM of effects
            (effect-linear-normal, ...), an SCM whose noise is not additive (noise-multiplicative, ...), mixed, a
            Bayesian network (bayes-asia, ...), sachs or syntren.
        preset: of a random collection, else empty.
        family: graph family of a random collection, else empty.
        nodes: number of variables.
        rows: number of rows.
        seed: which of the SCMs, resamples or tables of that description.
        scale: raw, or standardized.
        variant: which assumption of the collection is broken, or which cells are missing; "plain" if none is.
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
        return np.random.default_rng(crc32(f"{self.label}/{purpose}".encode()))

    @property
    def label(self) -> str:
        """The text that seeds its random numbers; the scale plays no part, so that both scales have the same rows.

        It is written out field by field, and must stay as it is: a field added later then leaves the rows of all
        present data sets as they are.
        """
        return (
            f"DataSet(name={self.name!r}, nodes={self.nodes!r}, preset={self.preset!r}, family={self.family!r}, "
            f"rows={self.rows!r}, seed={self.seed!r}, scale='raw', variant={self.variant!r})"
        )


@dataclass(frozen=True)
class Problem:
    """A table, its true graph and, unless the table was measured, counterfactuals of the SCM that made it.

    Attributes:
        table: (N, D) the rows a method may see; NaN where a cell is missing.
        adjacency: (D, D) the true graph.
        unit: (D,) what the errors of each column are divided by: usually its standard deviation; of a mixed table, the
            errors of each of its figures.
        make_tests: counterfactuals with their truth, in the units of the table; none where no SCM is known.
        noise: (N, D) the noise behind the rows, in the units of the table, where it is additive.
        judged_by: the score of the tests: "counterfactual", or "far" where they lie beyond the rows.
        effects: average effects with their truth, in the units of the table; a problem that has them is judged by
            their intervals alone.
        held_out: (N, D) further rows, where the likelihood of such rows is a score.
        mixed: what is true of a table with columns of several kinds, instead of `make_tests`.
        scale: whether the columns' variances may say something about their order ("raw") or not ("standardized").
    """

    table: pd.DataFrame
    adjacency: Adjacency
    unit: Array
    make_tests: Callable[[], Iterable[CounterfactualTest]] = tuple
    noise: Array | None = None
    judged_by: str = "counterfactual"
    effects: tuple[KnownEffect, ...] = ()
    held_out: pd.DataFrame | None = None
    mixed: MixedTruth | None = None
    scale: str = "raw"

    @cached_property
    def tests(self) -> tuple[CounterfactualTest, ...]:
        """The counterfactuals, made when first asked for: most methods have no answer to them."""
        return tuple(self.make_tests())

    @cached_property
    def order(self) -> Order:
        """A true order, (D,) column positions, causes first."""
        return topological_order(self.adjacency)

    @property
    def is_numeric(self) -> bool:
        """Whether rows have distances: names of levels have none."""
        return all(map(pd.api.types.is_numeric_dtype, self.table.dtypes))

    def complete_rows(self) -> "Problem":
        """The same problem without the rows that lack a cell."""
        complete = self.table.notna().all(axis=1).to_numpy()
        if complete.all():
            return self
        if not complete.any():
            raise DataError(f"Each of the {len(self.table)} rows lacks a cell: ask for more rows or fewer variables.")
        noise = None if self.noise is None else self.noise[complete]
        return replace(self, table=self.table[complete].reset_index(drop=True), noise=noise)

    def standardized(self) -> "Problem":
        """The same problem with every column brought to mean zero and variance one."""
        mean, std = self.table.mean(), self.table.std(ddof=0)
        factors = std.to_numpy()

        def scaled(name: Hashable, value: Any) -> Any:
            column = self.table.columns.get_loc(name)
            return (value - mean.iloc[column]) / std.iloc[column]

        def tests() -> Iterable[CounterfactualTest]:
            for test in self.tests:
                do = {name: scaled(name, value) for name, value in test.do.items()}
                yield CounterfactualTest((test.factual - mean) / std, do, (test.truth - mean) / std)

        return replace(
            self,
            table=(self.table - mean) / std,
            unit=self.unit / factors,
            make_tests=tests,
            noise=None if self.noise is None else self.noise / factors,
            held_out=None if self.held_out is None else (self.held_out - mean) / std,
            scale="standardized",
        )
