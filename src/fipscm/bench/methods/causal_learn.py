"""Constraint- and score-based rivals of the package causal-learn. Shapes: N rows, D variables.

Both find a CPDAG: an edge whose direction the independences leave open stands in both directions.
"""

from typing import Any

import numpy as np

from fipscm.arrays import Adjacency, Mask
from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.method import Answer, Method


class Pc(Method):
    """The PC algorithm with the package's default level of 0.05."""

    name = "pc"
    title = "PC with Fisher's z test (causal-learn)"
    packages = ("causallearn",)

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Find a CPDAG; nothing is random."""
        from causallearn.search.ConstraintBased.PC import pc

        found = pc(problem.table.to_numpy(np.float64, copy=True), indep_test="fisherz", show_progress=False)
        return Answer(adjacency=_adjacency(found.G))


class Ges(Method):
    """Greedy equivalence search."""

    name = "ges"
    title = "GES with the Gaussian BIC (causal-learn)"
    packages = ("causallearn",)

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Find a CPDAG; nothing is random."""
        from causallearn.search.ScoreBased.GES import ges

        found = ges(problem.table.to_numpy(np.float64, copy=True), score_func="local_score_BIC")
        return Answer(adjacency=_adjacency(found["G"]))


def _adjacency(graph: Any) -> Adjacency:
    """Read the package's graph, whose entry [i, j] is the mark at i of the edge between i and j: -1 is a tail."""
    tails: Mask = np.asarray(graph.graph) == -1
    return tails.astype(np.int8)


CAUSAL_LEARN_METHODS: tuple[Method, ...] = (Pc(), Ges())
