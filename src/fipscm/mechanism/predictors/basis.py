"""Functions whose weighted sum a predictor is. Shapes: N rows, F inputs, R of them read, M functions, K outputs."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fipscm.arrays import Array, Order
from fipscm.mechanism.parts import Part
from fipscm.mechanism.predictors.cosine import cosines
from fipscm.mechanism.predictors.products import pairs_of, products

CHUNK = 4_096  # rows at a time: the waves of a million rows do not fit into memory
LEVEL, LINE, CURVE = 0, 1, 2  # parts of a basis, each with a prior variance of its own


@dataclass(frozen=True)
class Basis(Part, ABC):
    """Functions of standardized inputs, the first of which is one everywhere.

    Attributes:
        reads: (R,) the inputs that are read.
        shape: what a predictor with these functions is called.
    """

    reads: Order
    shape: ClassVar[str]

    @abstractmethod
    def functions(self, z: Array) -> Array:
        """(N, F) -> (N, M)."""

    @property
    @abstractmethod
    def parts_of_functions(self) -> Order:
        """(M,) LEVEL, LINE or CURVE."""

    def value(self, z: Array, coefficients: Array) -> Array:
        """(N, F), (M, K) -> (N, K)."""
        pieces = [self.functions(z[start : start + CHUNK]) @ coefficients for start in range(0, len(z), CHUNK)]
        return np.concatenate(pieces) if pieces else np.zeros((0, coefficients.shape[1]))


@dataclass(frozen=True)
class Lines(Basis):
    """A level and a slope of each input; without inputs a constant."""

    shape = "linear"
    kind = "lines"

    def functions(self, z: Array) -> Array:
        """One, and the inputs."""
        return np.column_stack([np.ones(len(z)), z[:, self.reads]])

    @property
    def parts_of_functions(self) -> Order:
        """A level and lines."""
        return np.array([LEVEL, *[LINE] * len(self.reads)], dtype=np.intp)


@dataclass(frozen=True)
class Quadratic(Basis):
    """A level, slopes, and products of two inputs, squares among them."""

    shape = "quadratic"
    kind = "quadratic"

    def functions(self, z: Array) -> Array:
        """One, the inputs, and their products."""
        read = z[:, self.reads]
        return np.column_stack([np.ones(len(z)), read, products(read, pairs_of(len(self.reads)))])

    @property
    def parts_of_functions(self) -> Order:
        """The products are curves."""
        count = len(self.reads)
        return np.array([LEVEL, *[LINE] * count, *[CURVE] * (count * (count + 1) // 2)], dtype=np.intp)


@dataclass(frozen=True)
class Waves(Basis):
    """A level, slopes, and random Fourier features: together they approximate a Gaussian process.

    Attributes:
        relevance: (R,) inverse length scales.
        frequencies: (R, M) normally distributed; in a sum of curves each is of one input alone.
        phases: (M,) of a cosine and a sine side by side for each frequency.
        is_sum: whether it is a sum of curves of one input each.
    """

    relevance: Array
    frequencies: Array
    phases: Array
    is_sum: bool = False
    shape = "smooth"
    kind = "waves"

    def functions(self, z: Array) -> Array:
        """One, the inputs, and the waves."""
        read = z[:, self.reads]
        angles = (read * self.relevance) @ self.frequencies + self.phases
        return np.concatenate([np.ones((len(z), 1)), read, cosines(angles)], axis=1)

    @property
    def parts_of_functions(self) -> Order:
        """The waves are curves."""
        return np.array([LEVEL, *[LINE] * len(self.reads), *[CURVE] * len(self.phases)], dtype=np.intp)

    def value(self, z: Array, coefficients: Array) -> Array:
        """A cosine and a sine of the same frequency are one cosine, which takes half of the time."""
        straight = 1 + len(self.reads)
        if coefficients.shape[1] > 1:
            return super().value(z, coefficients)
        both = coefficients[straight:, 0] * np.exp(1j * self.phases)
        combined = both.reshape(-1, 2).sum(axis=1)
        sizes, phases, frequencies = np.abs(combined), np.angle(combined), self.frequencies[:, ::2]
        pieces = [np.zeros(0)]
        for start in range(0, len(z), CHUNK):
            read = z[start : start + CHUNK, self.reads]
            curve = cosines((read * self.relevance) @ frequencies + phases) @ sizes
            pieces.append(coefficients[0, 0] + read @ coefficients[1:straight, 0] + curve)
        return np.concatenate(pieces)[:, None]


@dataclass(frozen=True)
class PerLevel(Basis):
    """The functions of another basis for all rows, and once more for each level of one cause.

    Attributes:
        levels: (L,) the inputs that tell the level; a single one is that of a cause with two levels.
        middles: (L,) above which an input says that a row has its level.
        common: the functions of all rows.
    """

    levels: Order
    middles: Array
    common: Basis
    shape = "per level"
    kind = "per-level"

    def functions(self, z: Array) -> Array:
        """Those of all rows, and those of each level, which are zero in other rows."""
        of_all, has_level = self.common.functions(z), z[:, self.levels] > self.middles
        return np.concatenate([of_all, *(of_all * own[:, None] for own in has_level.T)], axis=1)

    @property
    def parts_of_functions(self) -> Order:
        """As in the other basis; what a level adds to the common level is a line of that level."""
        own = np.where(self.common.parts_of_functions == LEVEL, LINE, self.common.parts_of_functions)
        return np.concatenate([self.common.parts_of_functions, *[own] * len(self.levels)])


BASES: dict[str, type[Part]] = {basis.kind: basis for basis in (Lines, Quadratic, Waves, PerLevel)}
PerLevel.parts = {"common": BASES}
