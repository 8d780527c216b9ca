"""Simulated units whose noises stay the same while interventions change: what moves is the answer, not chance.

Shapes: N units, D variables, P points of a curve.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fipscm.arrays import Array
from fipscm.scm.base import SCM
from fipscm.scm.intervention import Do

# Enough for a curve, and few enough for an answer while a slider moves. The same units are drawn by
# model.intervene(do, n=300, random_state=0).
UNITS, SEED = 300, 0
POINTS = 64
MARGIN = 0.15  # of the rows' range, beyond which an axis does not go


@dataclass(frozen=True)
class Units:
    """Units of a model before anything is done to them, beside the rows of a table.

    Attributes:
        scm: the model.
        noise: (N, D) their noises.
        before: (N, D) their values if nothing is set.
        low: (D,) the lowest and
        high: (D,) the highest value of each column in the table.
    """

    scm: SCM
    noise: Array
    before: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, scm: SCM, table: pd.DataFrame) -> "Units":
        """Draw the units; the table has the model's columns, in its order."""
        before, noise = scm.sample_arrays(UNITS, np.random.default_rng(SEED))
        return cls(scm, noise, before, table.min().to_numpy(), table.max().to_numpy())

    def under(self, do: Do) -> Array:
        """(N, D) the same units under an intervention."""
        return self.scm.do(do).noise_to_sample(self.noise) if do else self.before

    @cached_property
    def axes(self) -> Array:
        """(D, 2) where the axis of each column begins and ends: the range of the rows and a little more."""
        margin = MARGIN * (self.high - self.low)
        return np.column_stack([self.low - margin, self.high + margin])

    @cached_property
    def spread(self) -> Array:
        """(D,) standard deviations before anything is done; positive."""
        return np.asarray(np.maximum(self.before.std(axis=0), np.finfo(float).tiny))

    @cached_property
    def density_before(self) -> Array:
        """(D, P) the curves of the units before anything is done."""
        return self.density(self.before)

    def density(self, values: Array) -> Array:
        """(N, D) -> (D, P) smooth densities along each axis, per standard deviation of the column.

        The width of the kernel does not depend on the values, so that two curves of a column can be compared.
        """
        width = 0.9 * self.spread * len(self.noise) ** -0.2
        places = np.linspace(self.axes[:, 0], self.axes[:, 1], POINTS, axis=1)
        distances = (places[:, :, None] - values.T[:, None, :]) / width[:, None, None]
        heights = np.exp(-0.5 * np.square(distances)).mean(axis=2) / np.sqrt(2 * np.pi)
        return np.asarray(heights * (self.spread / width)[:, None])
