"""Random causal graphs. Shapes: D nodes.

Every family takes the number of nodes and a generator and returns a DAG with its nodes in random order.
"""

import math
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import igraph
import numpy as np
from numpy.typing import ArrayLike

from fipscm.arrays import Adjacency
from fipscm.errors import GraphError, unknown_name
from fipscm.graph import relabel


@contextmanager
def _igraph_randomness(rng: np.random.Generator) -> Iterator[None]:
    """Let igraph draw from the given generator: it knows only one global source."""
    igraph.set_random_number_generator(random.Random(int(rng.integers(2**63))))
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)


def _edges_of(graph: igraph.Graph) -> Adjacency:
    adjacency = np.zeros((graph.vcount(), graph.vcount()), dtype=np.int8)
    adjacency[tuple(np.array(graph.get_edgelist(), dtype=np.intp).reshape(-1, 2).T)] = 1
    return adjacency


def _shuffled(triangular: ArrayLike, rng: np.random.Generator) -> Adjacency:
    adjacency = np.asarray(triangular).astype(np.int8)
    return relabel(adjacency, rng.permutation(len(adjacency)))


def erdos_renyi(nodes: int, rng: np.random.Generator, *, edges_per_node: float) -> Adjacency:
    """Every pair is joined with the same probability."""
    probability = min(1.0, 2 * edges_per_node / max(nodes - 1, 1))
    return _shuffled(np.tril(rng.random((nodes, nodes)) < probability, -1), rng)


def scale_free(
    nodes: int, rng: np.random.Generator, *, edges_per_node: int, hubs: str, power: float = 1.0
) -> Adjacency:
    """Barabasi-Albert: new nodes attach to old ones in proportion to degree ** power.

    With hubs="in" the old, popular nodes have many causes; with hubs="out" they have many effects.
    """
    with _igraph_randomness(rng):
        newer_to_older = _edges_of(igraph.Graph.Barabasi(n=nodes, m=edges_per_node, power=power, directed=True))
    return _shuffled(newer_to_older if hubs == "in" else newer_to_older.T, rng)


def watts_strogatz(nodes: int, rng: np.random.Generator, *, lattice: int, rewire: float = 0.3) -> Adjacency:
    """A lattice with rewired edges; vertices beyond the number wanted are dropped, a random order directs the rest."""
    side = math.ceil(nodes ** (1 / lattice) - 1e-9)
    with _igraph_randomness(rng):
        links = _edges_of(igraph.Graph.Watts_Strogatz(dim=lattice, size=side, nei=1, p=rewire))
    kept = rng.permutation(len(links))[:nodes]
    return relabel(np.triu(relabel(links | links.T, kept), 1), rng.permutation(nodes))


def block_model(
    nodes: int, rng: np.random.Generator, *, edges_per_node: float, blocks: int, damping: float = 0.1
) -> Adjacency:
    """Nodes in the same block are joined more often, by a factor of 1 / damping, than nodes of different blocks."""
    blocks = min(blocks, nodes)
    starts = np.zeros(nodes, dtype=int)
    starts[rng.permutation(np.arange(1, nodes))[: blocks - 1]] = 1
    block = np.cumsum(starts)
    affinity = np.where(block[:, None] == block[None, :], 1.0, damping)
    probability = np.minimum(1.0, affinity * edges_per_node * nodes / max(np.triu(affinity, 1).sum(), 1e-12))
    return _shuffled(np.triu(rng.random((nodes, nodes)) < probability, 1), rng)


GraphSampler = Callable[..., Adjacency]


@dataclass(frozen=True)
class GraphFamily:
    """A graph distribution: a sampler and the parameter sets it is drawn with, one at random per graph."""

    sampler: GraphSampler
    choices: tuple[dict[str, float | int | str], ...]

    def sample(self, nodes: int, rng: np.random.Generator) -> Adjacency:
        """Draw one DAG."""
        if nodes < 1:
            raise GraphError(f"Cannot draw a graph with {nodes} nodes: ask for at least one.")
        return self.sampler(nodes, rng, **self.choices[rng.integers(len(self.choices))])


FAMILIES: dict[str, GraphFamily] = {
    "erdos-renyi": GraphFamily(erdos_renyi, tuple({"edges_per_node": k} for k in (1, 2, 3))),
    "scale-free-in": GraphFamily(scale_free, tuple({"edges_per_node": k, "hubs": "in"} for k in (1, 2, 3))),
    "scale-free-out": GraphFamily(scale_free, tuple({"edges_per_node": k, "hubs": "out"} for k in (1, 2, 3))),
    "watts-strogatz": GraphFamily(watts_strogatz, tuple({"lattice": k} for k in (2, 3))),
    "block-model": GraphFamily(block_model, tuple({"edges_per_node": 2, "blocks": k} for k in (5, 10))),
    "scale-free-power": GraphFamily(
        scale_free, tuple({"edges_per_node": 2, "hubs": "out", "power": k} for k in (0.5, 1.5))
    ),
}


def sample_graph(family: str, nodes: int, rng: np.random.Generator) -> Adjacency:
    """Draw a DAG from a family by name.

    >>> sample_graph("erdos-renyi", 1, np.random.default_rng(0))
    array([[0]], dtype=int8)
    """
    if family not in FAMILIES:
        raise unknown_name("graph family", family, FAMILIES)
    return FAMILIES[family].sample(nodes, rng)
