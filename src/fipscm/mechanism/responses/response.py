"""How a column answers to what its causes say and to its noise. Shapes: N rows, F inputs, K outputs, W noises.

A mechanism has two halves. The predictor makes a location of the causes; the response turns location and noise into a
value, and is increasing in the noise.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from fipscm.arrays import Array, Order
from fipscm.mechanism.parts import Part
from fipscm.mechanism.responses.working import Working

LogDensity = Callable[[Array], Array]  # of noises, elementwise
_NOTHING: Order = np.zeros(0, dtype=np.intp)


class Likelihood(Protocol):
    """What rows say about their locations."""

    def log(self, location: Array) -> Array:
        """(N,) -> (N,) log-likelihoods."""
        ...

    def slope_and_weight(self, location: Array) -> tuple[Array, Array]:
        """(N,) -> (N,), (N,), their first derivatives, and minus the second ones, which are positive."""
        ...


@dataclass(frozen=True)
class Response(Part, ABC):
    """A map from location and noise to value, with its inverse and its density.

    `location` is (N, K), `z` has the standardized inputs of each row (N, F); values are (N,), noises (N,) or (N, W).

    Attributes:
        discrete: whether several noises give the same value, so that a value leaves a range of them open.
        is_category: whether values are codes of levels in no order; it has a noise and an output for each.
        additive_scale: whether noise is added to the location, perhaps on another scale than the column's.
    """

    discrete: ClassVar[bool] = False
    is_category: ClassVar[bool] = False
    additive_scale: ClassVar[bool] = False

    @abstractmethod
    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """What the column becomes; increasing in the noise."""

    @abstractmethod
    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """The noise behind a value; where several noises give the same value, one is drawn, or their median taken."""

    @abstractmethod
    def mean(self, location: Array, z: Array) -> Array:
        """The expected value; of a category the probabilities of its levels."""

    @abstractmethod
    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """The log-density of values, given that of the noises; of a discrete column, the logarithm of a probability."""

    def steepness(self, location: Array) -> Array:
        """(N, K), how fast the mean moves with the location, in units of its own.

        One where these are the location's: of additive noise, and of levels, whose values bound their mean anyway.
        """
        return np.ones_like(location)

    def continued(self, location: Array, rise: Array) -> Array:
        """The location (N, K) at which the mean lies `rise` (N, K) higher than at a location, in units of its own."""
        return np.asarray(location + rise)

    @property
    def stretch(self) -> Array:
        """(K,), how far the location moves for one standard deviation of the column, on average over the rows."""
        return np.ones(1)

    @property
    def levels(self) -> Array | None:
        """(L,) the values that the column may have; None if these are more than a few."""
        return None

    @property
    def span(self) -> tuple[float, float]:
        """Between which values the column lies, whatever its causes."""
        return -np.inf, np.inf

    @property
    def spread_reads(self) -> Order:
        """The inputs that the spread of the noise depends on."""
        return _NOTHING

    @abstractmethod
    def working(self, location: Array, z: Array, values: Array) -> list[Working]:
        """K of them: what values (N,) say about each location, given the others (N, K)."""
