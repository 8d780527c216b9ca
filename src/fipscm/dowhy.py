"""A learned model as a DoWhy model: DoWhy's graphs and questions, our mechanisms and noises. Shapes: N rows, P parents.

Needs the package dowhy (extra `baselines`). In both models a node is its mean given the parents plus its noise, so the
mean is minus the noise that is abducted for the value zero.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fipscm.arrays import Array
from fipscm.errors import NotInstalledError
from fipscm.graph import to_networkx
from fipscm.scm.base import SCM


def to_dowhy(scm: SCM, rng: np.random.Generator) -> Any:
    """Return a `dowhy.gcm.InvertibleStructuralCausalModel` that answers as the given additive-noise model does."""
    try:
        from dowhy import gcm
        from dowhy.gcm.causal_models import PARENTS_DURING_FIT
    except ImportError:
        raise NotInstalledError("to_dowhy() needs the package dowhy: install fipscm[baselines].") from None
    graph = to_networkx(scm.adjacency, scm.names)
    model = gcm.InvertibleStructuralCausalModel(graph)
    for name in graph.nodes:
        # DoWhy hands the parents over sorted by name.
        parents = sorted(graph.predecessors(name))
        model.set_causal_mechanism(name, _mechanism(scm, name, parents, rng))
        graph.nodes[name][PARENTS_DURING_FIT] = parents
    return model


def _mechanism(scm: SCM, name: Any, parents: Sequence[Any], rng: np.random.Generator) -> Any:
    from dowhy.gcm.causal_mechanisms import InvertibleFunctionalCausalModel, StochasticModel

    column = scm.names.index(name)
    parent_columns = [scm.names.index(parent) for parent in parents]

    class Shared:
        """What roots and other nodes have in common; the fit has already happened."""

        def fit(self, *_: Any) -> None:
            """Keep what was learned."""

        def clone(self) -> Any:
            return type(self)()

        def draw_noise_samples(self, num_samples: int) -> Array:
            return scm.noise.sample(num_samples, rng)[:, [column]]

        def estimate_noise(self, target_samples: Array, parent_samples: Array) -> Array:
            rows = np.zeros((len(target_samples), len(scm.names)))
            rows[:, parent_columns] = parent_samples
            rows[:, column] = np.ravel(target_samples)
            return scm.sample_to_noise(rows)[:, [column]]

        def evaluate(self, parent_samples: Array, noise_samples: Array) -> Array:
            noise = np.reshape(noise_samples, (-1, 1))
            return noise - self.estimate_noise(np.zeros(len(noise)), parent_samples)

    class Root(Shared, StochasticModel):
        def draw_samples(self, num_samples: int) -> Array:
            return self.evaluate(np.zeros((num_samples, 0)), self.draw_noise_samples(num_samples))

    class Node(Shared, InvertibleFunctionalCausalModel):
        pass

    return Node() if parents else Root()
