"""Classical causal orders, and chance. Shapes: N rows, D variables."""

import numpy as np

from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.method import Answer, Method
from fipscm.order.classical.baselines import BASELINES


class Baseline(Method):
    """The order of that name in BASELINES, and no graph."""

    def __init__(self, name: str, title: str):
        self.name, self.title = name, title

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Order the columns; nothing is random."""
        return Answer(order=BASELINES[self.name](problem.table.to_numpy(np.float64, copy=True)))


class DirectLingam(Method):
    """Linear with non-Gaussian noise; an edge is any weight that the package's own lasso does not set to zero."""

    name = "direct-lingam"
    title = "DirectLiNGAM (lingam)"
    packages = ("lingam",)

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Fit once for the order and the graph; nothing is random."""
        from lingam import DirectLiNGAM

        rows = problem.table.to_numpy(np.float64, copy=True)
        found, std = DirectLiNGAM().fit(rows), rows.std(axis=0)
        effects = np.abs(found.adjacency_matrix_.T) * std[:, None] / std  # the package's row is the effect
        return Answer(
            order=np.array(found.causal_order_, dtype=np.intp),
            adjacency=(effects > 0).astype(np.int8),
            edge_scores=effects,
        )


class Random(Method):
    """Chance: a random order, and each edge along it with probability one half."""

    name = "random"
    title = "A random order and graph"

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Answer without looking at the rows."""
        order = rng.permutation(problem.table.shape[1])
        adjacency = np.zeros((len(order), len(order)), dtype=np.int8)
        adjacency[np.ix_(order, order)] = np.triu(rng.integers(2, size=adjacency.shape), 1)
        return Answer(order=order, adjacency=adjacency)


ORDER_METHODS: tuple[Method, ...] = (
    Baseline("variance", "Sort by variance"),
    Baseline("r2", "Sort by R2"),
    DirectLingam(),
    Baseline("score", "SCORE on at most 1,000 rows"),
    Baseline("nogam", "NoGAM on at most 1,000 rows"),
    Random(),
)
