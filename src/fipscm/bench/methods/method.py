"""What a benchmarked method is: one small class that turns a problem into an answer. Shapes: N rows, D variables."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Protocol

import numpy as np
import pandas as pd

from fipscm.arrays import Adjacency, Array, Order
from fipscm.bench.data.problem import Problem
from fipscm.errors import NotInstalledError
from fipscm.scm.intervention import Do
from fipscm.simulate.effects import KnownEffect

LEVEL = 0.95  # of all intervals


class Generative(Protocol):
    """A fitted causal model that can be asked for rows and counterfactuals."""

    def sample(self, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Draw rows."""
        ...

    def counterfactual(self, rows: pd.DataFrame, do: Do) -> pd.DataFrame:
        """What these rows would have been."""
        ...

    def noise(self, rows: pd.DataFrame) -> Array | None:
        """(N, D) additive noise in the units of the columns, or None if the model has none."""
        ...


class MixedModel(Protocol):
    """A fitted causal model of columns of several kinds."""

    def intervene(self, do: Do, rows: int, seed: int) -> pd.DataFrame:
        """Draw rows under an intervention; the same seed draws the same units."""
        ...

    def counterfactuals(self, rows: pd.DataFrame, do: Do, seed: int) -> Sequence[pd.DataFrame]:
        """What these rows could have been, each possibility as often as it is probable; empty if it cannot say."""
        ...


@dataclass(frozen=True)
class Answer:
    """What a method found out; what it cannot tell is None.

    Attributes:
        order: (D,) column positions, causes first.
        adjacency: (D, D) 0/1, row = cause; an undirected edge stands in both directions.
        edge_scores: (D, D) the higher, the more likely the row causes the column.
        edge_probabilities: (D, D) edge scores that are meant as probabilities.
        model: for counterfactuals, noises and samples.
        mixed_model: for effects and counterfactuals in tables with columns of several kinds.
        log_likelihood: gives the log-density of each of (N, D) rows.
        figures: what else was measured on the way, by name.
        interval: gives the low and the high end of the interval of an effect.
        doubts: runs the method's own check of its assumptions and tells whether it failed; its time is not counted.
    """

    order: Order | None = None
    adjacency: Adjacency | None = None
    edge_scores: Array | None = None
    edge_probabilities: Array | None = None
    model: Generative | None = None
    mixed_model: MixedModel | None = None
    log_likelihood: Callable[[pd.DataFrame], Array] | None = None
    figures: Mapping[str, float] = field(default_factory=dict)
    interval: Callable[[KnownEffect], tuple[float, float]] | None = None
    doubts: Callable[[], bool] | None = None


class Method(ABC):
    """A way to answer.

    Attributes:
        name: what the command line and the tables call it.
        title: one line for the reader of a table: what it is, and which package does the work.
        packages: import names it needs beyond fipscm's own.
        given: what it may look at: "rows", or also the true "order" or "graph".
        takes_missing: whether it can read a table with missing cells; if not, it is given the complete rows alone.
    """

    name: str
    title: str
    packages: tuple[str, ...] = ()
    given: str = "rows"
    takes_missing: bool = False

    @abstractmethod
    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Answer from the table; the true order or graph may be read only if `given` says so."""

    def require(self) -> None:
        """Raise a NotInstalledError if the method cannot run here."""
        for package in self.packages:
            if find_spec(package) is None:
                raise NotInstalledError(
                    f"The method '{self.name}' needs the package '{package}': install fipscm[baselines]."
                )
