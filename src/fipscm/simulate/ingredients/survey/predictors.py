"""What causes do together: from their scores (N, P) to a signal (N,) of mean zero and variance one."""

import math
from collections.abc import Callable

import numpy as np

from fipscm.arrays import Array
from fipscm.simulate.ingredients.functions import FUNCTIONS, standardized

Combination = Callable[[Array, np.random.Generator], Array]
WEAKEST = 0.1  # gain of the weakest cause beside the strongest


def gains(causes: int, rng: np.random.Generator) -> Array:
    """(P,) of both signs, weak and strong."""
    return np.asarray(np.exp(rng.uniform(math.log(WEAKEST), 0.0, causes)) * rng.choice([-1.0, 1.0], causes))


def weighted_sum(scores: Array, rng: np.random.Generator) -> Array:
    """Add the scores up."""
    return scores @ gains(scores.shape[1], rng)


def moderated(scores: Array, rng: np.random.Generator) -> Array:
    """Add the scores up, but let one of them change the weight of another."""
    moderator, changed = rng.choice(scores.shape[1], 2, replace=scores.shape[1] == 1)
    product = scores[:, moderator] * scores[:, changed]
    return np.asarray(weighted_sum(scores, rng) + rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 1.0) * product)


def forest(scores: Array, rng: np.random.Generator) -> Array:
    """Let trees read the scores."""
    return FUNCTIONS[("trees", "forest")[rng.integers(2)]](scores.shape[1], rng)(scores)


def any_function(scores: Array, rng: np.random.Generator) -> Array:
    """Let any function of the other ingredients read the scores."""
    return FUNCTIONS[str(rng.choice(list(FUNCTIONS)))](scores.shape[1], rng)(scores)


COMBINATIONS: dict[str, Combination] = {
    "weighted-sum": weighted_sum,
    "moderated": moderated,
    "forest": forest,
    "any-function": any_function,
}
COMBINATION_SHARES = 0.6, 0.2, 0.12, 0.08


def sample_signal(scores: Array, rng: np.random.Generator) -> Array:
    """Draw how the causes act together, and what comes of it."""
    name = str(rng.choice(list(COMBINATIONS), p=COMBINATION_SHARES))
    signal = standardized(COMBINATIONS[name](scores, rng))
    return signal if signal.any() else standardized(weighted_sum(scores, rng))


def sample_strength(rng: np.random.Generator) -> float:
    """Draw the share of the variance that the causes explain: from next to nothing to nearly all of it."""
    low, high = ((0.02, 0.2), (0.1, 0.6), (0.6, 0.9))[rng.choice(3, p=[0.3, 0.5, 0.2])]
    return float(rng.uniform(low, high))
