"""What any model must beat: an intervention changes nothing but what is set."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fipscm.arrays import Array
from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.method import Answer, Method
from fipscm.scm.intervention import Do, Intervention


@dataclass(frozen=True)
class Unchanged:
    """A model in which no column causes another."""

    table: pd.DataFrame

    def sample(self, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Rows of the table, each column by itself."""
        return pd.DataFrame({name: rng.choice(values, rows) for name, values in self.table.items()})

    def counterfactual(self, rows: pd.DataFrame, do: Do) -> pd.DataFrame:
        """The same rows, but for what is set."""
        intervention = Intervention.parse(do, tuple(rows))
        return pd.DataFrame(intervention(rows.to_numpy(), np.arange(rows.shape[1])), rows.index, rows.columns)

    def noise(self, rows: pd.DataFrame) -> Array | None:
        """Of no interest here."""
        return None


class NoChange(Method):
    """Independent columns."""

    name = "no-change"
    title = "no effect of any column on another"

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Nothing is learned."""
        return Answer(model=Unchanged(problem.table))
