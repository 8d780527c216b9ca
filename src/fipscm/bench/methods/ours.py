"""This project's own model: told nothing, the true order, or the true graph; and its zero-shot step alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fipscm.arrays import Array
from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.method import LEVEL, Answer, Method
from fipscm.estimator import FiP
from fipscm.graph import order_positions
from fipscm.order import zero_shot
from fipscm.scm.intervention import Do
from fipscm.simulate.effects import KnownEffect

_DRAWS = 50  # of counterfactuals of each row


@dataclass(frozen=True)
class FittedFiP:
    """A fitted estimator as the benchmark asks it."""

    model: FiP

    def sample(self, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Draw rows."""
        return self.model.sample(rows, rng)

    def counterfactual(self, rows: pd.DataFrame, do: Do) -> pd.DataFrame:
        """What these rows would have been."""
        imagined: pd.DataFrame = self.model.counterfactual(rows, do)
        return imagined

    def interval(self, asked: KnownEffect) -> tuple[float, float]:
        """Low and high end of the interval of an effect."""
        found = self.model.effect(asked.treatment, on=asked.outcome, treated=1.0, control=0.0, level=LEVEL)
        return found.low, found.high

    def log_likelihood(self, rows: pd.DataFrame) -> Array:
        """(N,) log-densities."""
        return np.asarray(self.model.log_likelihood(rows), dtype=np.float64)

    def intervene(self, do: Do, rows: int, seed: int) -> pd.DataFrame:
        """Draw rows under an intervention."""
        return self.model.intervene(do, rows, seed)

    def counterfactuals(self, rows: pd.DataFrame, do: Do, seed: int) -> Sequence[pd.DataFrame]:
        """What these rows could have been."""
        possible: list[pd.DataFrame] = self.model.counterfactual(rows, do, draws=_DRAWS, random_state=seed)
        return possible

    def noise(self, rows: pd.DataFrame) -> Array:
        """(N, D) residuals."""
        return np.asarray(self.model.abduct(rows).to_numpy())


class Estimator(Method):
    """`FiP` with some of its options, given the rows alone or also the true order or graph."""

    takes_missing = True

    def __init__(self, name: str, title: str, given: str = "rows", **options: Any):
        self.name, self.title, self.given, self.options = name, title, given, options

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Fit the estimator."""
        hint = HINTS[self.given](problem)
        model = FiP(scale=problem.scale, random_state=rng, **hint, **self.options).fit(problem.table)
        fitted = FittedFiP(model)
        return Answer(
            order_positions(model.causal_order_, list(problem.table.columns)),
            model.adjacency_.to_numpy(),
            model.edge_scores_.to_numpy(),
            model=fitted,
            mixed_model=fitted,
            log_likelihood=fitted.log_likelihood,
            interval=fitted.interval,
            doubts=lambda: not model.check(problem.table).passed,
        )


HINTS: dict[str, Callable[[Problem], dict[str, Any]]] = {
    "rows": lambda problem: {},
    "order": lambda problem: {"order": list(problem.table.columns[problem.order])},
    "graph": lambda problem: {"graph": problem.adjacency},
}


class ZeroShotMethod(Method):
    """The order model alone: nothing is fitted to the table."""

    name = "zero-shot"
    title = "the order model alone, its edges at probability 0.5"

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Infer order and edges."""
        found = zero_shot(problem.table, problem.scale)
        edges = found.probabilities()
        return Answer(found.positions, found.adjacency(), edges, edges)


OWN_METHODS: tuple[Method, ...] = (
    Estimator("fip", "this project, from rows alone"),
    Estimator("fip-order", "this project, given the true order", given="order"),
    Estimator("fip-graph", "this project, given the true graph", given="graph"),
    Estimator("fip-additive", "this project with additive noise, from rows alone", noise="additive"),
    Estimator(
        "fip-order-additive", "this project with additive noise, given the true order", given="order", noise="additive"
    ),
    Estimator("fip-drop", "this project, from those rows alone that lack no cell", missing="drop"),
    Estimator(
        "fip-paper",
        "the paper's transformer and edge rule on our order",
        edges="jacobian",
        skip=False,
        noise="additive",
    ),
    ZeroShotMethod(),
)
