"""A learned model as a DoWhy model: DoWhy's graphs and questions, our mechanisms and noises. Shapes: N rows, P parents.

Needs the package dowhy (extra `baselines`). In both models a node is a function of its parents and its noise.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fipscm.arrays import Array
from fipscm.errors import DataError, NotInstalledError
from fipscm.graph import to_networkx
from fipscm.scm.nodewise import NodewiseSCM


def to_dowhy(scm: NodewiseSCM, rng: np.random.Generator) -> Any:
    """Return a `dowhy.gcm.InvertibleStructuralCausalModel` that answers as the given model does."""
    try:
        from dowhy import gcm
        from dowhy.gcm.causal_models import PARENTS_DURING_FIT
    except ImportError:
        raise NotInstalledError("to_dowhy() needs the package dowhy: install fipscm[baselines].") from None
    if scm.noise_width > len(scm.names):
        raise DataError("DoWhy has no mechanism for a category with one noise per level: fit without categories.")
    graph = to_networkx(scm.adjacency, scm.names)
    model = gcm.InvertibleStructuralCausalModel(graph)
    for name in graph.nodes:
        # DoWhy hands the parents over sorted by name.
        parents = sorted(graph.predecessors(name))
        model.set_causal_mechanism(name, _mechanism(scm, name, parents, rng))
        graph.nodes[name][PARENTS_DURING_FIT] = parents
    return model


def _mechanism(scm: NodewiseSCM, name: Any, parents: Sequence[Any], rng: np.random.Generator) -> Any:
    from dowhy.gcm.causal_mechanisms import InvertibleFunctionalCausalModel, StochasticModel

    column = scm.names.index(name)
    parent_columns = [scm.names.index(parent) for parent in parents]

    def rows_of(parent_samples: Array) -> Array:
        """(N, P) -> rows of all columns, with zeros for those that the mechanism does not read."""
        rows = np.zeros((len(parent_samples), len(scm.names)))
        rows[:, parent_columns] = parent_samples
        return rows

    class Shared:
        """What roots and other nodes have in common; the fit has already happened."""

        def fit(self, *_: Any) -> None:
            """Keep what was learned."""

        def clone(self) -> Any:
            return type(self)()

        def draw_noise_samples(self, num_samples: int) -> Array:
            return scm.noise.sample(num_samples, rng)[:, [column]]

        def estimate_noise(self, target_samples: Array, parent_samples: Array) -> Array:
            return scm.node_noise(column, rows_of(parent_samples), np.ravel(target_samples))[:, None]

        def evaluate(self, parent_samples: Array, noise_samples: Array) -> Array:
            return scm.node_value(column, rows_of(parent_samples), np.ravel(noise_samples))[:, None]

    class Root(Shared, StochasticModel):
        def draw_samples(self, num_samples: int) -> Array:
            return self.evaluate(np.zeros((num_samples, 0)), self.draw_noise_samples(num_samples))

    class Node(Shared, InvertibleFunctionalCausalModel):
        pass

    return Node() if parents else Root()
