"""The simplest model of a known graph: one linear regression per node. Shapes: N rows, D variables."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fipscm.arrays import Array, Mask, Order
from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.method import Answer, Method
from fipscm.graph import allowed_from_adjacency
from fipscm.mechanism.edges.linear_tests import least_squares
from fipscm.scm.intervention import Do, Intervention


@dataclass(frozen=True)
class LinearModel:
    """x = centre + weights (x - centre) + noise.

    Attributes:
        table: the rows it was fitted on.
        order: (D,) causes first.
        weights: (D, D), row = effect.
    """

    table: pd.DataFrame
    order: Order
    weights: Array

    @classmethod
    def fit(cls, table: pd.DataFrame, allowed: Mask, order: Order) -> "LinearModel":
        """Regress every column on its causes."""
        return cls(table, order, least_squares((table - table.mean()).to_numpy(), allowed))

    def sample(self, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Draw each noise from those of the table."""
        noise = self.noise(self.table)
        drawn = np.column_stack([rng.choice(column, rows) for column in noise.T])
        return pd.DataFrame(self._values(drawn, Intervention.parse({}, tuple(self.table))), columns=self.table.columns)

    def counterfactual(self, rows: pd.DataFrame, do: Do) -> pd.DataFrame:
        """Abduct, act, predict."""
        intervention = Intervention.parse(do, tuple(self.table))
        return pd.DataFrame(self._values(self.noise(rows), intervention), rows.index, self.table.columns)

    def noise(self, rows: pd.DataFrame) -> Array:
        """(N, D) residuals."""
        centred = (rows[self.table.columns] - self.table.mean()).to_numpy()
        return np.asarray(centred - centred @ self.weights.T)

    def _values(self, noise: Array, intervention: Intervention) -> Array:
        centre = self.table.mean().to_numpy()
        values = np.tile(centre, (len(noise), 1))
        for node in self.order:
            natural = centre[node] + (values - centre) @ self.weights[node] + noise[:, node]
            values[:, node] = intervention.at(node, natural, values, self.order)
        return values


class LeastSquares(Method):
    """Linear regressions on the true graph."""

    name = "least-squares"
    title = "a linear regression per node on the true graph"
    given = "graph"

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Fit the regressions; nothing is random."""
        allowed = allowed_from_adjacency(problem.adjacency)
        return Answer(model=LinearModel.fit(problem.table, allowed, problem.order))
