"""Simulated units whose noises stay the same while interventions change: what moves is the answer, not chance.

Shapes: N units, D columns, E noises, P points of a curve, K levels.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fipscm.arrays import Array
from fipscm.questions.column_levels import ColumnLevels, column_levels
from fipscm.questions.extrapolation import values_set
from fipscm.questions.known_levels import require_known_levels
from fipscm.robust import wild_cells
from fipscm.scm.intervention import Do

if TYPE_CHECKING:
    from fipscm.estimator import FiP
    from fipscm.mechanism.learned import LearnedSCM

# Enough for a curve, and few enough for an answer while a slider moves. The same units are drawn by
# model.intervene(do, n=300, random_state=0).
UNITS, SEED = 300, 0
POINTS = 64
_MARGIN = 0.15  # of the rows' range, beyond which an axis does not go


@dataclass(frozen=True)
class Units:
    """Units of a model before anything is done to them, beside the rows of a table.

    Attributes:
        model: the model.
        noise: (N, E) their noises.
        before: (N, D) their values if nothing is set; levels have codes.
        low: (D,) the lowest and
        high: (D,) the highest number of each column in the table that is not wild; levels have codes.
        missing: (D,) the share of cells of each column that have no value.
    """

    model: "FiP"
    noise: Array
    before: Array
    low: Array
    high: Array
    missing: Array

    @classmethod
    def of(cls, model: "FiP", table: pd.DataFrame) -> "Units":
        """Draw the units; the table has the model's columns."""
        before, noise = model.scm_.sample_arrays(UNITS, np.random.default_rng(SEED))
        coded = model.columns_.encode(table)[list(model.scm_.names)].astype(np.float64)
        # One mistyped age of 640 would leave a tenth of the slider to all others.
        measured = np.array([model.kinds_[name] == "continuous" for name in coded.columns])
        tame = coded.mask(wild_cells(coded.to_numpy()) & measured)
        low, high, missing = (each.to_numpy() for each in (tame.min(), tame.max(), coded.isna().mean()))
        return cls(model, noise, before, low, high, missing)

    @property
    def scm(self) -> "LearnedSCM":
        """The model behind all answers."""
        return self.model.scm_

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The D columns."""
        return self.scm.names

    @cached_property
    def levels(self) -> dict[Hashable, ColumnLevels]:
        """Of the columns that have some."""
        return column_levels(self.scm, self.model.columns_)

    def under(self, do: Do) -> Array:
        """(N, D) the same units under an intervention."""
        return self.scm.do(self.rules(do)).noise_to_sample(self.noise) if do else self.before

    def sample(self, do: Do, count: int) -> pd.DataFrame:
        """Other units under an intervention, with names of levels."""
        drawn = self.scm.do(self.rules(do)).sample(count, np.random.default_rng(SEED))
        return self.model.columns_.decode(drawn)

    def rules(self, do: Do) -> dict[Hashable, Any]:
        """An intervention in numbers; levels that a column does not have are refused."""
        found: dict[Hashable, Any] = self.model.columns_.code_all(do)
        require_known_levels(self.scm, values_set(self.scm, found))
        return found

    def measured(self, values: Array) -> pd.DataFrame:
        """(N, D) -> a frame of numbers, with an indicator for each level of a category."""
        parts = [
            pd.DataFrame(self.scm.measured(node, values[:, node]), columns=self.model.columns_.indicators(name))
            for node, name in enumerate(self.names)
        ]
        return pd.concat(parts, axis=1)

    def rows(self, table: pd.DataFrame) -> Array:
        """(N, D), rows of a table as the model takes them, their missing cells filled in."""
        own = table[list(self.names)]
        if own.isna().any(axis=None):
            own = self.model.impute(own) if len(own) == 1 else self.model.impute(own, draws=1)[0]
        coded: pd.DataFrame = self.model.columns_.encode(own).astype(np.float64)
        return coded.to_numpy()

    @cached_property
    def axes(self) -> Array:
        """(D, 2) where the axis of each column begins and ends: the range of the rows and a little more."""
        margin = _MARGIN * (self.high - self.low)
        are_counts = np.array([self.model.kinds_[name] == "count" for name in self.names])
        return np.column_stack([np.where(are_counts, self.low, self.low - margin), self.high + margin])

    @cached_property
    def spread(self) -> Array:
        """(D,) standard deviations before anything is done, positive; of a category that of its liveliest level."""
        widest = [self.scm.measured(node, own).std(axis=0).max() for node, own in enumerate(self.before.T)]
        return np.asarray(np.maximum(widest, np.finfo(float).tiny))

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
