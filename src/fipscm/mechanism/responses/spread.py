"""How far the noise of a column spreads, given its causes: a positive, smooth function. Shapes: N rows, F inputs."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.parts import Part
from fipscm.mechanism.predictors.predictor import Predictor


@dataclass(frozen=True)
class Spread(Part):
    """A spread whose mean square is one over the training rows; constant beyond them.

    It reads the location beside the inputs: noise often grows with the level, whatever the causes of that are.

    Attributes:
        log: the logarithm of the spread, a predictor of the inputs and the location.
        low: (F + 1,) and
        high: (F + 1,) where the training rows were.
        least: the lowest logarithm, and
        most: the highest one.
    """

    log: Predictor
    low: Array
    high: Array
    least: float
    most: float
    kind = "spread"
    parts: ClassVar = {"log": {Predictor.kind: Predictor}}

    def __call__(self, inputs: Array) -> Array:
        """(N, F + 1) -> (N,), positive."""
        return np.exp(np.clip(self.log(np.clip(inputs, self.low, self.high))[:, 0], self.least, self.most))


def with_location(z: Array, location: Array) -> Array:
    """(N, F), (N,) -> (N, F + 1), what a spread reads."""
    return np.column_stack([z, location])
