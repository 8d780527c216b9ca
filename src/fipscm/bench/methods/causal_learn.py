"""Constraint- and score-based baselines of the package causal-learn. Shapes: N rows, D variables.

All find a CPDAG: an edge whose direction the independences leave open stands in both directions.
"""

from typing import Any

import numpy as np

from fipscm.arrays import Adjacency, Array, Mask
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


class PcOfCategories(Method):
    """The PC algorithm on a table of categories."""

    name = "pc-g2"
    title = "PC with the G2 test at level 0.05 (causal-learn)"
    packages = ("causallearn",)

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Find a CPDAG; nothing is random."""
        from causallearn.search.ConstraintBased.PC import pc

        return Answer(adjacency=_adjacency(pc(_codes(problem), indep_test="gsq", show_progress=False).G))


class GesOfCategories(Method):
    """Greedy equivalence search on a table of categories."""

    name = "ges-bdeu"
    title = "GES with the BDeu score (causal-learn)"
    packages = ("causallearn",)

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Find a CPDAG; nothing is random."""
        from causallearn.search.ScoreBased.GES import ges

        return Answer(adjacency=_adjacency(ges(_codes(problem), score_func="local_score_BDeu")["G"]))


def _codes(problem: Problem) -> Array:
    """(N, D) the position of each cell's level among those of its column."""
    return np.column_stack([np.unique(column, return_inverse=True)[1] for _, column in problem.table.items()])


def _adjacency(graph: Any) -> Adjacency:
    """Read the package's graph, whose entry [i, j] is the mark at i of the edge between i and j: -1 is a tail."""
    tails: Mask = np.asarray(graph.graph) == -1
    return tails.astype(np.int8)


CAUSAL_LEARN_METHODS: tuple[Method, ...] = (Pc(), Ges())
CATEGORIES_METHODS: tuple[Method, ...] = (PcOfCategories(), GesOfCategories())
