"""Graphs in which most nodes have none to three parents. Shapes: D nodes in random order."""

import numpy as np

from fipscm.arrays import Adjacency
from fipscm.graph import relabel

# How many parents a node has, with probabilities, in sparse and in dense graphs.
FEW_PARENTS, SOME_PARENTS, MANY_PARENTS = (
    (0.25, 0.45, 0.25, 0.05),
    (0.15, 0.3, 0.35, 0.2),
    (0.05, 0.1, 0.2, 0.3, 0.2, 0.15),
)


def sample_sparse_graph(nodes: int, rng: np.random.Generator) -> Adjacency:
    """Draw a graph whose nodes choose their parents among all that come before, or among those shortly before."""
    shares = (FEW_PARENTS, SOME_PARENTS, MANY_PARENTS)[rng.choice(3, p=[0.5, 0.35, 0.15])]
    window = nodes if rng.random() < 0.6 else int(rng.integers(2, 6))  # only near ones: chains and layers
    adjacency = np.zeros((nodes, nodes), dtype=np.int8)
    for node in range(1, nodes):
        first = max(0, node - window)
        count = min(node - first, int(rng.choice(len(shares), p=shares)))
        adjacency[rng.choice(np.arange(first, node), count, replace=False), node] = 1
    return relabel(adjacency, rng.permutation(nodes))
