"""Random SCMs half of whose columns are discrete. Shapes: N rows, P parents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.graph import topological_order
from fipscm.simulate.graphs import erdos_renyi
from fipscm.simulate.mechanisms import Location
from fipscm.simulate.mixed.nodes import Continuous, CountNode, MixedNode, Named, ThresholdNode
from fipscm.simulate.mixed.scm import MixedSCM
from fipscm.simulate.non_additive import EDGES_PER_NODE, LOUDEST, QUIETEST, Curved

CALIBRATION_ROWS = 20_000
MIXED = "mixed"  # the name of the collection
ROOT_LAWS = {"normal": 1.0, "laplace": 2**-0.5, "uniform": 1.0}  # with the factor that makes their variance one
ANSWERS, FOUR_GRADES, FOUR_GROUPS = ("no", "yes"), ("low", "fair", "good", "high"), ("north", "east", "south", "west")
FEWEST_FOR_GROUPS = 10  # a smaller table has no column of groups


@dataclass(frozen=True)
class KnownCauses:
    """The causes of a node: what they are, and a population (N, P) of their values."""

    nodes: Sequence[MixedNode]
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


def continuous_node(causes: KnownCauses, rng: np.random.Generator) -> MixedNode:
    """Additive noise; variance one whether it has causes or not."""
    law, std = str(rng.choice(list(ROOT_LAWS))), rng.uniform(QUIETEST, LOUDEST)
    return Continuous(causes.curve(1.0, rng), law, std * ROOT_LAWS[law], float(np.hypot(bool(causes.nodes), std)))


def binary_node(causes: KnownCauses, rng: np.random.Generator) -> MixedNode:
    """Between 30 and 70 % say yes."""
    return _cut(causes, np.array([rng.uniform(0.3, 0.7)]), ANSWERS, rng)


def ordinal_node(causes: KnownCauses, rng: np.random.Generator) -> MixedNode:
    """Four grades, none of them rare."""
    return _cut(causes, np.array([0.25, 0.5, 0.75]) + rng.uniform(-0.1, 0.1, 3), FOUR_GRADES, rng)


def count_node(causes: KnownCauses, rng: np.random.Generator) -> MixedNode:
    """Rates from about two to ten."""
    curve = causes.curve(1.0, rng)
    return CountNode(lambda parents: 1.5 + 0.8 * np.tanh(curve(parents)))


def categorical_node(causes: KnownCauses, rng: np.random.Generator) -> MixedNode:
    """Every group has a curve of its own."""
    return Named(tuple(causes.curve(1.5, rng) for _ in FOUR_GROUPS), FOUR_GROUPS)


def _cut(causes: KnownCauses, shares: Array, levels: tuple[str, ...], rng: np.random.Generator) -> MixedNode:
    """Cut a latent value so that these shares of the population lie below the thresholds."""
    location = causes.curve(2.0, rng)
    latent = location(causes.population) + rng.logistic(size=len(causes.population))
    cuts = np.asarray(np.quantile(latent, shares), dtype=np.float64)
    return ThresholdNode(location, cuts, "binary" if len(levels) == 2 else "ordinal", levels)


DRAW: dict[str, Callable[[KnownCauses, np.random.Generator], MixedNode]] = {
    "continuous": continuous_node,
    "binary": binary_node,
    "ordinal": ordinal_node,
    "count": count_node,
    "categorical": categorical_node,
}


def mixed_scm(nodes: int, rng: np.random.Generator) -> MixedSCM:
    """Draw an SCM; from ten columns on, one of the discrete half is categorical.

    >>> mixed_scm(5, np.random.default_rng(0)).sample(3, np.random.default_rng(1)).shape
    (3, 5)
    """
    adjacency = erdos_renyi(nodes, rng, edges_per_node=EDGES_PER_NODE)
    order, kinds = topological_order(adjacency), _kinds(nodes, rng)
    drawn: dict[int, MixedNode] = {}
    population = np.zeros((CALIBRATION_ROWS, nodes))
    for place in order:
        parents = np.flatnonzero(adjacency[:, place])
        causes = KnownCauses([drawn[parent] for parent in parents], population[:, parents])
        drawn[place] = DRAW[kinds[place]](causes, rng)
        population[:, place] = drawn[place].value(causes.population, drawn[place].noise(CALIBRATION_ROWS, rng))
    names = tuple(f"x{place}" for place in range(nodes))
    return MixedSCM(names, adjacency, order, tuple(drawn[place] for place in range(nodes)))


def _kinds(nodes: int, rng: np.random.Generator) -> list[str]:
    """The kind of each column: at least half of them discrete, the discrete kinds in turn."""
    discrete = -(-nodes // 2)
    turns = (["categorical"] if nodes >= FEWEST_FOR_GROUPS else []) + ["binary", "ordinal", "count"] * nodes
    return list(rng.permutation(turns[:discrete] + ["continuous"] * (nodes - discrete)))
