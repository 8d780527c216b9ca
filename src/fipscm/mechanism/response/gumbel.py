"""Categories: the level with the largest score. Shapes: N rows, K levels.

The score of a level is its location plus Gumbel noise. That makes the probabilities of the levels proportional to
exp(location), as in multinomial regression. How a level would have changed is not identified by any table: other noises
have the same probabilities. Gumbel noise stands for that levels compete as independently of each other as they can.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp

from fipscm.arrays import Array
from fipscm.mechanism.response.base import LogDensity, Response


@dataclass(frozen=True)
class Gumbel(Response):
    """The score of one level: location + noise. What the scores of all levels make of it is told by `one_hot`.

    Attributes:
        stretch: how far the location moves for one standard deviation of the column, on average over the rows.
    """

    stretch: Array
    kind: ClassVar[str] = "gumbel"
    linked: ClassVar[bool] = True
    discrete: ClassVar[bool] = True

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """The score."""
        return np.asarray(location + noise)

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """What the score has beyond the location."""
        return np.asarray(values - location)

    def mean(self, location: Array, z: Array) -> Array:
        """The mean score."""
        return np.asarray(location + np.euler_gamma)

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """That of the score."""
        return of_noise(values - location)

    def moved(self, location: Array, by: Array) -> Array:
        """By standard deviations of the column, on average over the training rows."""
        return np.asarray(location + self.stretch * by)


def one_hot(scores: Array) -> Array:
    """(N, K) -> (N, K), one where the score is the largest of its row, else zero.

    >>> one_hot(np.array([[0.5, 2.0, -1.0]])).tolist()
    [[0.0, 1.0, 0.0]]
    """
    return np.asarray(np.eye(scores.shape[1])[scores.argmax(axis=1)])


def noises_behind(locations: Array, chosen: Array, rng: np.random.Generator | None) -> Array:
    """(N, K) Gumbel noises with which each row takes the level marked by one in `chosen` (N, K).

    The largest score is Gumbel noise about the logarithm of the sum of all exponentials, whichever level has it; the
    others are Gumbel noises below it. Without a generator each is the median of what it may be.
    """
    share = np.full(locations.shape, 0.5) if rng is None else rng.random(locations.shape)
    waiting = -np.log(np.maximum(share, np.finfo(np.float64).tiny))  # exponentially distributed
    own = np.argmax(chosen, axis=1)[:, None]
    highest = logsumexp(locations, axis=1, keepdims=True) - np.log(np.take_along_axis(waiting, own, axis=1))
    below = locations - np.log(waiting + np.exp(locations - highest))
    scores = np.where(np.arange(locations.shape[1]) == own, highest, below)
    return np.asarray(scores - locations)
