"""Conditional probability tables, as experts write them for Bayesian networks.

Shapes: C configurations of the parents, P parents, L levels. A sampler takes the configurations (C, P), each entry of
which is a level as a number from 0 to 1, the number of levels, and a generator; it returns probabilities (C, L).
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import expit, softmax

from fipscm.arrays import Array

TableSampler = Callable[[Array, int, np.random.Generator], Array]
CONCENTRATIONS = 0.1, 5.0  # of Dirichlet rows: from nearly certain to nearly even
RARE = 0.01, 0.1  # probability of a rare disease, or of a false alarm
NEARLY_SURE = 0.001, 0.05  # how far a nearly deterministic entry is from it


def dirichlet(configurations: Array, levels: int, rng: np.random.Generator) -> Array:
    """Draw a row for every configuration, whatever the others are."""
    concentration = math.exp(rng.uniform(*np.log(CONCENTRATIONS)))
    return rng.dirichlet(np.full(levels, concentration), len(configurations))


def deterministic(configurations: Array, levels: int, rng: np.random.Generator) -> Array:
    """Draw one level for every configuration, which it has always or nearly so: and, or, a copy, a lookup."""
    chosen = np.eye(levels)[rng.permutation(np.resize(rng.permutation(levels), len(configurations)))]
    slip = 0.0 if rng.random() < 0.3 else math.exp(rng.uniform(*np.log(NEARLY_SURE)))
    return np.asarray((1 - slip) * chosen + slip / levels)


def noisy_or(configurations: Array, levels: int, rng: np.random.Generator) -> Array:
    """Let each parent bring the effect about by itself, the more surely the higher it is; a leak does so too.

    With more than two levels, higher ones are reached as far as several trials succeed.
    """
    power = rng.uniform(0.3, 0.99, configurations.shape[1])
    high = np.where(rng.random(configurations.shape[1]) < 0.8, configurations, 1 - configurations)
    leak = math.exp(rng.uniform(*np.log(RARE))) if rng.random() < 0.7 else 0.0
    happens = 1 - (1 - leak) * np.prod(1 - power * high, axis=1)
    return _binomial(happens, levels)


def _binomial(probability: Array, levels: int) -> Array:
    """(C,) -> (C, L) the law of the number of successes in L - 1 trials."""
    successes = np.arange(levels)
    ways = np.array([math.comb(levels - 1, k) for k in range(levels)])
    return np.asarray(ways * probability[:, None] ** successes * (1 - probability[:, None]) ** (levels - 1 - successes))


def monotone(configurations: Array, levels: int, rng: np.random.Generator) -> Array:
    """Let levels be grades, higher or lower with every parent: cumulative logits."""
    weights = rng.choice([-1.0, 1.0], configurations.shape[1]) * rng.uniform(1.0, 5.0, configurations.shape[1])
    predictor = (configurations - 0.5) @ weights + rng.normal(0.0, 0.5)
    cuts = np.sort(rng.uniform(-2.0, 2.0, levels - 1))
    above = expit(predictor[:, None] - cuts)
    edges = np.concatenate([np.ones((len(above), 1)), above, np.zeros((len(above), 1))], axis=1)
    return np.asarray(edges[:, :-1] - edges[:, 1:])


def additive_logits(configurations: Array, levels: int, rng: np.random.Generator) -> Array:
    """Let every level of every parent shift the log odds of every level, with no interaction."""
    logits = rng.normal(0.0, 0.7, (1, levels)) + np.zeros((len(configurations), 1))
    for parent in configurations.T:
        _, place = np.unique(parent, return_inverse=True)
        logits = logits + rng.normal(0.0, rng.uniform(0.5, 2.0), (place.max() + 1, levels))[place]
    return np.asarray(softmax(logits, axis=1))


PROBABILITY_TABLES: dict[str, TableSampler] = {
    "dirichlet": dirichlet,
    "deterministic": deterministic,
    "noisy-or": noisy_or,
    "monotone": monotone,
    "additive-logits": additive_logits,
}


def root_probabilities(levels: int, rare_share: float, rng: np.random.Generator) -> Array:
    """(L,) of a variable without parents: any, or, in a share of them, one common level and rare others."""
    if rng.random() < rare_share:
        rare = math.exp(rng.uniform(*np.log(RARE)))
        return np.asarray(np.append(1 - rare, rare * rng.dirichlet(np.ones(levels - 1))))
    return rng.dirichlet(np.full(levels, rng.uniform(1.0, 8.0)))
