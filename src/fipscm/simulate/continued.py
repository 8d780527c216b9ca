"""Random SCMs whose mechanisms go on beyond the rows in one manner each, and interventions out there.

Shapes: N rows, P parents.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fipscm.arrays import Array
from fipscm.errors import unknown_name
from fipscm.graph import leaves
from fipscm.scm.base import SCM
from fipscm.scm.standard import StandardSCM
from fipscm.simulate.alterations import Reshaped, altered, standardize
from fipscm.simulate.graphs import erdos_renyi
from fipscm.simulate.mechanisms import Equation
from fipscm.simulate.metadatasets import CounterfactualTest
from fipscm.simulate.noises import Noise

NODES = 6
# Of standardized causes, whose rows end at about three.
CONTINUATIONS: dict[str, Callable[[Array], Array]] = {
    "far-linear": lambda cause: cause,
    "far-saturating": lambda cause: np.asarray(np.tanh(cause)),
    "far-polynomial": lambda cause: cause + cause**2 / 5,
}


@dataclass(frozen=True)
class AdditiveChain:
    """The sum over the causes of a weight (P,) times one and the same shape."""

    weights: Array
    shape: Callable[[Array], Array]

    def __call__(self, parents: Array) -> Array:
        """(N, P) -> (N,)."""
        return np.asarray(self.shape(parents) @ self.weights)


def continued_scm(name: str, rng: np.random.Generator) -> StandardSCM:
    """Draw an SCM of six standardized variables; the name is one of CONTINUATIONS.

    >>> continued_scm("far-linear", np.random.default_rng(0)).sample(3, np.random.default_rng(1)).shape
    (3, 6)
    """
    if name not in CONTINUATIONS:
        raise unknown_name("continuation", name, CONTINUATIONS)
    adjacency = erdos_renyi(NODES, rng, edges_per_node=1.5)
    weights = rng.uniform(0.5, 1.5, adjacency.shape) * rng.choice([-1.0, 1.0], adjacency.shape)
    equations = tuple(
        Equation(AdditiveChain(weights[adjacency[:, node] == 1, node], CONTINUATIONS[name])) for node in range(NODES)
    )
    scm = StandardSCM.build(adjacency, Noise.of("normal", rng.uniform(0.3, 0.8, NODES)), equations)
    # Otherwise values would grow along the order, and a polynomial with them.
    return altered(scm, lambda inner, parents, noise: Reshaped(inner, standardize(inner(parents, noise))), rng)


def far_tests(
    scm: SCM, observed: pd.DataFrame, rng: np.random.Generator, rows: int = 1_000
) -> Iterator[CounterfactualTest]:
    """Set each variable that has effects to 1 to 3 standard deviations beyond its rows, on either side."""
    for target in np.flatnonzero(~leaves(scm.adjacency)):
        name = scm.names[target]
        seen = observed[name]
        for end, side in ((seen.min(), -1), (seen.max(), 1)):
            do = {name: float(end + side * rng.uniform(1, 3) * seen.std(ddof=0))}
            factual = scm.sample(rows, rng)
            yield CounterfactualTest(factual, do, scm.counterfactual(factual, do))
