"""Categories: the level with the largest score. Shapes: N rows, K levels.

The score of a level is its location plus Gumbel noise. That makes the probabilities of the levels proportional to
exp(location), as in multinomial regression. How a level would have changed is not identified by any table: other noises
have the same probabilities. Gumbel noise stands for that levels compete as independently of each other as they can.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax, logsumexp, softmax

from fipscm.arrays import Array
from fipscm.mechanism.responses.likelihoods import OrderedLikelihood
from fipscm.mechanism.responses.response import LogDensity, Response
from fipscm.mechanism.responses.working import Working, working_values


@dataclass(frozen=True)
class Categorical(Response):
    """x = the code of the level with the largest location + noise.

    Attributes:
        per_deviation: (K,), how far each location moves for one standard deviation of its level's indicator.
    """

    per_deviation: Array
    kind = "categorical"
    discrete = True
    is_category = True

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """The level with the largest score."""
        return np.asarray((location + noise).argmax(axis=1), dtype=np.float64)

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """(N, K) noises with which each row has its level.

        The largest score is Gumbel noise about the logarithm of the sum of all exponentials, whichever level has it;
        the others are Gumbel noises below it. Without a generator each is the median of what it may be.
        """
        share = np.full(location.shape, 0.5) if rng is None else rng.random(location.shape)
        waiting = -np.log(np.maximum(share, np.finfo(np.float64).tiny))  # exponentially distributed
        own = self._codes(values)[:, None]
        highest = logsumexp(location, axis=1, keepdims=True) - np.log(np.take_along_axis(waiting, own, axis=1))
        below = location - np.log(waiting + np.exp(location - highest))
        scores = np.where(np.arange(location.shape[1]) == own, highest, below)
        return np.asarray(scores - location)

    def mean(self, location: Array, z: Array) -> Array:
        """(N, K), the probabilities of the levels."""
        return np.asarray(softmax(location, axis=1))

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """The logarithm of the probability of the level."""
        return np.take_along_axis(log_softmax(location, axis=1), self._codes(values)[:, None], axis=1)[:, 0]

    @property
    def stretch(self) -> Array:
        """(K,)."""
        return self.per_deviation

    @property
    def levels(self) -> Array:
        """(K,), the codes."""
        return np.arange(len(self.per_deviation), dtype=np.float64)

    @property
    def span(self) -> tuple[float, float]:
        """The codes."""
        return 0.0, float(len(self.per_deviation) - 1)

    def working(self, location: Array, z: Array, values: Array) -> list[Working]:
        """Given the scores of the other levels, that of one level is a logistic regression."""
        return [
            working_values(self._likelihood(level, location, values), location[:, level], stretch)
            for level, stretch in enumerate(self.per_deviation.tolist())
        ]

    def _likelihood(self, level: int, location: Array, values: Array) -> OrderedLikelihood:
        others = np.delete(location, level, axis=1)
        has = (self._codes(values) == level).astype(np.float64)
        return OrderedLikelihood(has, np.zeros(1), -logsumexp(others, axis=1))

    def _codes(self, values: Array) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
        return np.clip(np.round(values), 0, len(self.per_deviation) - 1).astype(np.intp)
