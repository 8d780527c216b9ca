"""The paper's training distribution P_IN, half of the time with other noises. Shapes: N rows, P parents.

Both presets, linear and Fourier. The graphs, Laplace noise and parameter ranges of P_OUT never appear.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from fipscm.arrays import Array
from fipscm.scm.standard import StandardSCM
from fipscm.simulate import PRIORS, Noise
from fipscm.simulate.mechanisms import Equation

OTHER_NOISES = ("normal", "uniform", "t3", "t5", "exponential", "gumbel", "two-bumps")


def training_scm(nodes: int, rng: np.random.Generator) -> StandardSCM:
    """Draw from P_IN, either preset, linear or not; half of the time with other noises."""
    preset, name = rng.choice(["avici", "released"]), rng.choice(["lin-in", "rff-in"])
    scm = PRIORS[preset][name].sample(nodes, rng)
    return _with_other_noise(scm, rng) if rng.random() < 0.5 else scm


def _with_other_noise(scm: StandardSCM, rng: np.random.Generator) -> StandardSCM:
    """Replace the noise law (one for all or one each); in 40 % of the tables the scale depends on the parents."""
    nodes = len(scm.names)
    laws = tuple(rng.choice(OTHER_NOISES, nodes if rng.random() < 0.3 else 1).tolist())
    scale = rng.uniform(0.2, 2.0, nodes if rng.random() < 0.5 else 1) * np.ones(nodes)
    functions = scm.functions
    if rng.random() < 0.4:
        functions = tuple(
            replace(function, scale=Modulation.sample(int(scm.adjacency[:, node].sum()), rng))
            for node, function in enumerate(functions)
            if isinstance(function, Equation)
        )
    return replace(scm, noise=Noise.of(laws, scale), functions=functions)


@dataclass(frozen=True)
class Modulation:
    """A noise scale that depends on the parents: exp(depth * sin(<direction, parents> + phase))."""

    direction: Array
    phase: float
    depth: float

    @classmethod
    def sample(cls, parents: int, rng: np.random.Generator) -> "Modulation":
        """Draw the direction and the rate at which the scale changes, and by how much."""
        direction = rng.standard_normal(parents) * math.exp(rng.uniform(math.log(0.03), math.log(0.5)))
        return cls(direction, rng.uniform(0, 2 * math.pi), rng.uniform(0.0, 1.0))

    def __call__(self, parents: Array) -> Array:
        """(N, P) -> (N,)."""
        return np.exp(self.depth * np.sin(parents @ self.direction + self.phase))
