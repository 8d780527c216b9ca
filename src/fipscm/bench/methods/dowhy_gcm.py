"""Graphical causal models of DoWhy: additive noise, the regressor of each node chosen by cross-validation.

Shapes: N rows, D variables.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fipscm.arrays import Adjacency, Array
from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.method import LEVEL, Answer, Method
from fipscm.errors import InterventionError, unknown_name
from fipscm.graph import adjacency_from_allowed, allowed_from_order, to_networkx
from fipscm.order import zero_shot
from fipscm.scm.intervention import Do
from fipscm.simulate.effects import KnownEffect


@dataclass(frozen=True)
class DoWhyModel:
    """A fitted `dowhy.gcm.InvertibleStructuralCausalModel`.

    Attributes:
        scm: DoWhy's model.
        columns: the D names of the table.
    """

    scm: Any
    columns: pd.Index

    def sample(self, rows: int, rng: np.random.Generator) -> pd.DataFrame:
        """Draw roots and noises from those of the table, and predict."""
        from dowhy import gcm

        with borrowed_dowhy(rng):
            drawn: pd.DataFrame = gcm.draw_samples(self.scm, rows)
        return drawn[self.columns]

    def counterfactual(self, rows: pd.DataFrame, do: Do) -> pd.DataFrame:
        """Abduct, act, predict."""
        from dowhy import gcm

        actions = {name: self._action(name, value) for name, value in do.items()}
        answers: pd.DataFrame = gcm.counterfactual_samples(self.scm, actions, observed_data=rows)
        return answers[self.columns].set_axis(rows.index)

    def noise(self, rows: pd.DataFrame) -> Array:
        """(N, D) what each node's regression leaves over; of a root, what its mean leaves over."""
        from dowhy.gcm._noise import compute_noise_from_data

        noise = compute_noise_from_data(self.scm, rows)[self.columns]
        # DoWhy counts the mean of a root as noise, where every other node's noise has mean zero.
        means = {name: float(self.scm.causal_mechanism(name).data.mean()) for name in self._roots()}
        return np.asarray(noise - pd.Series(means).reindex(self.columns, fill_value=0.0), dtype=np.float64)

    def _roots(self) -> list[Any]:
        return [name for name, causes in self.scm.graph.in_degree if causes == 0]

    def _action(self, name: Any, value: Any) -> Any:
        if name not in self.columns:
            raise unknown_name("intervention target", name, self.columns)
        if not isinstance(value, int | float | np.number):
            raise InterventionError(f"DoWhy can only set '{name}' to one number, not to {value!r}: pass a number.")
        return lambda _: float(value)


Assign = Callable[[Any, pd.DataFrame], None]  # gives every node of an SCM a mechanism


class DoWhy(Method):
    """Mechanisms of DoWhy on a graph that comes from elsewhere."""

    packages = ("dowhy",)

    def __init__(
        self, name: str, title: str, given: str, graph: Callable[[Problem], Adjacency], assign: Assign | None = None
    ):
        self.name, self.title, self.given, self.graph = name, title, given, graph
        self.assign = assign or _assign_by_quality

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Choose and fit a mechanism per node; the graph is not DoWhy's finding, so none is reported."""
        from dowhy import gcm

        columns = problem.table.columns
        scm = gcm.InvertibleStructuralCausalModel(to_networkx(self.graph(problem), list(columns)))
        with borrowed_dowhy(rng):
            self.assign(scm, problem.table)
            gcm.fit(scm, problem.table)
        return Answer(model=DoWhyModel(scm, columns))


def _assign_by_quality(scm: Any, table: pd.DataFrame) -> None:
    """Let DoWhy choose each node's mechanism."""
    from dowhy import gcm

    gcm.auto.assign_causal_mechanisms(scm, table, quality=gcm.auto.AssignmentQuality.GOOD)


def _assign_post_nonlinear(scm: Any, table: pd.DataFrame) -> None:
    """Positive columns are the exponential of a sum of a function and noise, the one bend of DoWhy's that fits them."""
    from dowhy import gcm
    from dowhy.gcm.ml.regression import InvertibleExponentialFunction

    quality = gcm.auto.AssignmentQuality.GOOD
    for name in scm.graph.nodes:
        causes, values = gcm.auto.get_ordered_predecessors(scm.graph, name), table[name].to_numpy()
        if causes and values.min() > 0:
            regression, _ = gcm.auto.select_model(table[causes].to_numpy(), np.log(values), quality)
            bent = gcm.PostNonlinearModel(regression, gcm.EmpiricalDistribution(), InvertibleExponentialFunction())
            scm.set_causal_mechanism(name, bent)
        else:
            gcm.auto.assign_causal_mechanism_node(scm, name, table, quality)


class DoWhyBootstrap(Method):
    """Intervals of effects by DoWhy: mechanisms chosen once, fitted to random parts of the rows again and again."""

    name = "dowhy-bootstrap"
    title = "DoWhy GCM, quality GOOD, intervals by its bootstrap, every edge that the true order allows (dowhy)"
    packages = ("dowhy",)
    given = "order"

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Choose a mechanism per node."""
        from dowhy import gcm

        graph = _all_edges(problem)
        scm = gcm.InvertibleStructuralCausalModel(to_networkx(graph, list(problem.table.columns)))
        with borrowed_dowhy(rng):
            gcm.auto.assign_causal_mechanisms(scm, problem.table, quality=gcm.auto.AssignmentQuality.GOOD)
        return Answer(interval=lambda asked: _bootstrapped(scm, problem.table, asked, rng))


def _all_edges(problem: Problem) -> Adjacency:
    """Every edge that the true order allows."""
    return adjacency_from_allowed(allowed_from_order(problem.order))


def _bootstrapped(scm: Any, table: pd.DataFrame, asked: KnownEffect, rng: np.random.Generator) -> tuple[float, float]:
    """The ends, by DoWhy's own defaults."""
    from dowhy import gcm

    def effect(fitted: Any) -> Array:
        doses = ({asked.treatment: lambda _: 1.0}, {asked.treatment: lambda _: 0.0})
        return np.array([gcm.average_causal_effect(fitted, asked.outcome, *doses, num_samples_to_draw=1_000)])

    with borrowed_dowhy(rng):
        _, ends = gcm.confidence_intervals(gcm.fit_and_compute(effect, scm, table), LEVEL)
    low, high = np.ravel(ends)
    return float(low), float(high)


@contextmanager
def borrowed_dowhy(rng: np.random.Generator) -> Iterator[None]:
    """Seed the global generators DoWhy draws from, keep it to one quiet process, and put everything back."""
    from dowhy.gcm import config

    states = np.random.get_state(), random.getstate()  # noqa: NPY002
    settings = config.default_n_jobs, config.show_progress_bars
    seed = int(rng.integers(2**32))
    try:
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        config.default_n_jobs, config.show_progress_bars = 1, False
        yield
    finally:
        np.random.set_state(states[0])  # noqa: NPY002
        random.setstate(states[1])
        config.default_n_jobs, config.show_progress_bars = settings


DOWHY_METHODS: tuple[Method, ...] = (
    DoWhy(
        "dowhy-graph",
        "DoWhy GCM, additive noise, quality GOOD, on the true graph (dowhy)",
        "graph",
        lambda problem: problem.adjacency,
    ),
    DoWhy(
        "dowhy-predicted",
        "DoWhy GCM, additive noise, quality GOOD, on this project's zero-shot graph (dowhy)",
        "rows",
        lambda problem: zero_shot(problem.table, problem.scale).adjacency(),
    ),
    DoWhy(
        "dowhy-order",
        "DoWhy GCM, additive noise, quality GOOD, every edge that the true order allows (dowhy)",
        "order",
        _all_edges,
    ),
    DoWhy(
        "dowhy-post-nonlinear",
        "the same, positive columns post-nonlinear: the exponential of a sum (dowhy)",
        "order",
        _all_edges,
        _assign_post_nonlinear,
    ),
    DoWhyBootstrap(),
)
