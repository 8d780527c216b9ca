"""SCMs of five variables in which effects of known size lead from three confounded causes to one outcome.

Shapes: N rows, P parents.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from fipscm.arrays import Array
from fipscm.errors import unknown_name
from fipscm.scm.base import SCM
from fipscm.scm.standard import StandardSCM
from fipscm.simulate.mechanisms import Equation, softplus
from fipscm.simulate.noises import Noise

SIZES = {"zero": 0.0, "weak": 0.35, "medium": 1.1}  # of x1, x2 and x3 on x4; x0 causes all of them
TRUTH_UNITS = 50_000  # simulated for the truth
INTERACTION = 0.4
DoseCurve = Callable[[Array], Array]
DOSE_CURVES: tuple[DoseCurve, ...] = (
    np.tanh,
    lambda x: np.sin(1.5 * x),
    lambda x: x + x**2 / 4,
    lambda x: softplus(3 * x) / 2,
)
EFFECT_LAWS = {"normal": ("normal", 1.0), "skewed": ("exponential", 1.0), "heavy": ("t3", 3**-0.5)}  # of variance one
EFFECT_SCMS = tuple(f"effect-{shape}-{law}" for shape, law in product(("linear", "curved"), EFFECT_LAWS))


@dataclass(frozen=True)
class KnownEffect:
    """How much the outcome changes on average if the treatment is set to one instead of zero.

    Attributes:
        size: one of SIZES.
        treatment: the column that is set.
        outcome: the column that is looked at.
        truth: the change, by simulation.
    """

    size: str
    treatment: str
    outcome: str
    truth: float


@dataclass(frozen=True)
class BentEquation:
    """The sum over the parents of a weight (P,) times a curve of its own, and an interaction of the first and last."""

    weights: Array
    curves: tuple[DoseCurve, ...]
    interaction: float = 0.0

    def __call__(self, parents: Array) -> Array:
        """(N, P) -> (N,)."""
        terms = [weight * curve(x) for weight, curve, x in zip(self.weights, self.curves, parents.T, strict=True)]
        together = self.interaction * np.tanh(parents[:, 0] * parents[:, -1]) if self.interaction else 0.0
        return np.asarray(np.sum(terms, axis=0) + together)


def effect_scm(name: str, rng: np.random.Generator) -> StandardSCM:
    """Draw weights and curves; the name is one of EFFECT_SCMS.

    >>> effect_scm("effect-linear-normal", np.random.default_rng(0)).adjacency[:, 4]
    array([1, 0, 1, 1, 0], dtype=int8)
    """
    if name not in EFFECT_SCMS:
        raise unknown_name("SCM of effects", name, EFFECT_SCMS)
    _, shape, law = name.split("-")
    adjacency = np.zeros((5, 5), dtype=np.int8)
    adjacency[0, 1:] = 1
    adjacency[[2, 3], 4] = 1

    def bent(weights: list[float], interaction: float = 0.0) -> Equation:
        if shape == "linear":
            return Equation(BentEquation(np.array(weights), (lambda x: x,) * len(weights)))
        curves = tuple(DOSE_CURVES[kind] for kind in rng.integers(len(DOSE_CURVES), size=len(weights)))
        return Equation(BentEquation(np.array(weights), curves, interaction))

    confounding = rng.uniform(0.4, 0.9, 4) * rng.choice([-1.0, 1.0], 4)
    root = Equation(lambda parents: np.zeros(len(parents)))
    treatments = [bent([weight]) for weight in confounding[:3]]
    outcome = bent([confounding[3], SIZES["weak"], SIZES["medium"]], INTERACTION)
    noise, scale = EFFECT_LAWS[law]
    return StandardSCM.build(adjacency, Noise.of(noise, np.full(5, scale)), (root, *treatments, outcome))


def known_effects(scm: SCM, rng: np.random.Generator) -> Iterator[KnownEffect]:
    """The effects of x1, x2 and x3 on x4."""
    noise = scm.noise.sample(TRUTH_UNITS, rng)
    for size, treatment in zip(SIZES, ("x1", "x2", "x3"), strict=True):
        treated, control = (scm.do({treatment: value}).noise_to_sample(noise)[:, 4].mean() for value in (1.0, 0.0))
        yield KnownEffect(size, treatment, "x4", float(treated - control))
