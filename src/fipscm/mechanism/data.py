"""One column, its causes, and the rows that tell about it. Shapes: N rows, P causes, F inputs."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Array, Order
from fipscm.mechanism.inputs import Inputs
from fipscm.mechanism.predictors.gaussian_process import Process

Rows = NDArray[np.intp]
_FOLDS = 5
_MANY_ROWS = 2_000  # of which one fifth is enough to tell candidates apart
MOST_COMPARED = 10_000  # rows on which candidates are compared, and that curves are fitted to


class Split(NamedTuple):
    """Rows that candidates are fitted to, and rows that they are judged by."""

    seen: Rows
    unseen: Rows


@dataclass(frozen=True)
class ColumnData:
    """One column of a table, in the rows that tell about it, in random order.

    Attributes:
        name: of the column.
        kind: what it is.
        values: (N,), codes where it is a category.
        levels: how many levels it has as a category; zero for numbers.
        causes: (N, P) the values of its causes.
        inputs: how mechanisms read these.
        weights: (N,) how much each row counts.
        mean_reads: (F',) the inputs that the mean may depend on; others may act on the spread.
        process: how smooth the column is in these, if that is known.
        variables: (F + 1,) what the inputs, and last the column, are called by a network of all columns.
    """

    name: Hashable
    kind: str
    values: Array
    levels: int
    causes: Array
    inputs: Inputs
    weights: Array
    mean_reads: Order
    process: Process | None
    variables: Order

    @cached_property
    def z(self) -> Array:
        """(N, F), the standardized inputs."""
        return self.inputs(self.causes)

    @cached_property
    def read(self) -> Array:
        """(N, F'), those that the mean may depend on."""
        return self.z[:, self.mean_reads]

    @property
    def all_rows(self) -> Rows:
        """(N,)."""
        return np.arange(len(self.values))

    @property
    def first_rows(self) -> Rows:
        """Those that curves are fitted to."""
        return np.arange(min(len(self.values), MOST_COMPARED))

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        """The one split into rows seen and unseen: of few rows each is unseen once."""
        rows = self.first_rows
        parts = np.array_split(rows, _FOLDS)
        chosen = parts if len(rows) <= _MANY_ROWS else parts[-1:]
        return tuple(Split(np.setdiff1d(rows, unseen), unseen) for unseen in chosen if len(unseen))

    @cached_property
    def unseen(self) -> Rows:
        """All rows that are unseen once, in increasing order."""
        return np.concatenate([split.unseen for split in self.splits])

    @cached_property
    def centre(self) -> float:
        """Mean of the column."""
        return float(np.average(self.values, weights=self.weights))

    @cached_property
    def scale(self) -> float:
        """Standard deviation of the column."""
        return float(np.sqrt(np.average(np.square(self.values - self.centre), weights=self.weights))) or 1.0

    def reading(self, reads: Order) -> "ColumnData":
        """The same, of which the mean may depend on some inputs alone."""
        return replace(self, mean_reads=reads, process=None)
