"""Random SCMs half of whose columns are discrete. Shapes: N rows, P parents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.graph import topological_order
from fipscm.simulate.graphs import erdos_renyi
from fipscm.simulate.mechanisms import Location
from fipscm.simulate.mixed.nodes import Continuous, Count, Named, Node, Thresholds
from fipscm.simulate.mixed.scm import MixedSCM
from fipscm.simulate.non_additive import EDGES_PER_NODE, LOUDEST, QUIETEST, Curved

POPULATION = 20_000
MIXED = "mixed"  # the name of the collection
LAWS = {"normal": 1.0, "laplace": 2**-0.5, "uniform": 1.0}  # with the factor that makes their variance one
ANSWERS, GRADES, GROUPS = ("no", "yes"), ("low", "fair", "good", "high"), ("north", "east", "south", "west")
FEWEST_FOR_GROUPS = 10  # a smaller table has no column of groups


@dataclass(frozen=True)
class Causes:
    """The causes of a node: what they are, and a population (N, P) of their values."""

    nodes: Sequence[Node]
    population: Array

    def curve(self, height: float, rng: np.random.Generator) -> Location:
        """Draw a function of them with this standard deviation; each level of a category counts as some number."""
        numbers = [rng.permutation(len(node.levels)) if node.kind == "categorical" else None for node in self.nodes]

        def read(parents: Array) -> Array:
            read = [
                x if number is None else number[x.astype(int)] for x, number in zip(parents.T, numbers, strict=True)
            ]
            return np.array(read, dtype=np.float64).T.reshape(parents.shape)

        curved = Curved.sample(read(self.population), rng, height)
        return lambda parents: curved(read(parents))


def continuous(causes: Causes, rng: np.random.Generator) -> Node:
    """Additive noise; variance one whether it has causes or not."""
    law, std = str(rng.choice(list(LAWS))), rng.uniform(QUIETEST, LOUDEST)
    return Continuous(causes.curve(1.0, rng), law, std * LAWS[law], float(np.hypot(bool(causes.nodes), std)))


def binary(causes: Causes, rng: np.random.Generator) -> Node:
    """Between 30 and 70 % say yes."""
    return _cut(causes, np.array([rng.uniform(0.3, 0.7)]), ANSWERS, rng)


def ordinal(causes: Causes, rng: np.random.Generator) -> Node:
    """Four grades, none of them rare."""
    return _cut(causes, np.array([0.25, 0.5, 0.75]) + rng.uniform(-0.1, 0.1, 3), GRADES, rng)


def count(causes: Causes, rng: np.random.Generator) -> Node:
    """Rates from about two to ten."""
    curve = causes.curve(1.0, rng)
    return Count(lambda parents: 1.5 + 0.8 * np.tanh(curve(parents)))


def categorical(causes: Causes, rng: np.random.Generator) -> Node:
    """Every group has a curve of its own."""
    return Named(tuple(causes.curve(1.5, rng) for _ in GROUPS), GROUPS)


def _cut(causes: Causes, shares: Array, levels: tuple[str, ...], rng: np.random.Generator) -> Node:
    """Cut a latent value so that these shares of the population lie below the thresholds."""
    location = causes.curve(2.0, rng)
    latent = location(causes.population) + rng.logistic(size=len(causes.population))
    cuts = np.asarray(np.quantile(latent, shares), dtype=np.float64)
    return Thresholds(location, cuts, "binary" if len(levels) == 2 else "ordinal", levels)


DRAW: dict[str, Callable[[Causes, np.random.Generator], Node]] = {
    "continuous": continuous,
    "binary": binary,
    "ordinal": ordinal,
    "count": count,
    "categorical": categorical,
}


def mixed_scm(nodes: int, rng: np.random.Generator) -> MixedSCM:
    """Draw an SCM; from ten columns on, one of the discrete half is categorical.

    >>> mixed_scm(5, np.random.default_rng(0)).sample(3, np.random.default_rng(1)).shape
    (3, 5)
    """
    adjacency = erdos_renyi(nodes, rng, edges_per_node=EDGES_PER_NODE)
    order, kinds = topological_order(adjacency), _kinds(nodes, rng)
    drawn: dict[int, Node] = {}
    population = np.zeros((POPULATION, nodes))
    for place in order:
        parents = np.flatnonzero(adjacency[:, place])
        causes = Causes([drawn[parent] for parent in parents], population[:, parents])
        drawn[place] = DRAW[kinds[place]](causes, rng)
        population[:, place] = drawn[place].value(causes.population, drawn[place].noise(POPULATION, rng))
    names = tuple(f"x{place}" for place in range(nodes))
    return MixedSCM(names, adjacency, order, tuple(drawn[place] for place in range(nodes)))


def _kinds(nodes: int, rng: np.random.Generator) -> list[str]:
    """The kind of each column: at least half of them discrete, the discrete kinds in turn."""
    discrete = -(-nodes // 2)
    turns = (["categorical"] if nodes >= FEWEST_FOR_GROUPS else []) + ["binary", "ordinal", "count"] * nodes
    return list(rng.permutation(turns[:discrete] + ["continuous"] * (nodes - discrete)))
