"""How one node answers to its causes and its noise. Shapes: N rows, D variables.

A mechanism has two halves. The location is a function of the causes, in standardized columns; regressions and network
make it. The response turns location and noise into a value, and is increasing in the noise.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np

from fipscm.arrays import Array

LogDensity = Callable[[Array], Array]  # of noises, elementwise


@dataclass(frozen=True)
class Response(ABC):
    """A map from causes and noise to value, with its inverse and its density. All its fields are arrays.

    `location` is (N,), `z` has the causes of each row in standardized columns (N, D); noises and values are (N,).

    Attributes:
        kind: its name in model files.
        linked: whether the location has a scale of its own, such as that of logits, instead of the column's.
        discrete: whether several noises give the same value, so that a value leaves a range of them open.
    """

    kind: ClassVar[str]
    linked: ClassVar[bool] = False
    discrete: ClassVar[bool] = False

    @abstractmethod
    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """What the node becomes; increasing in the noise."""

    @abstractmethod
    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """The noise behind a value; where several noises give the same value, one is drawn, or their median taken."""

    @abstractmethod
    def mean(self, location: Array, z: Array) -> Array:
        """The expected value."""

    @abstractmethod
    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """The log-density of values, given that of the noises; of a discrete column, the logarithm of a probability."""

    def slopes(self, location: Array, z: Array, noise: Array) -> tuple[Array, Array]:
        """Derivatives of the standardized value: (N,) in the location, and (N, D) in the causes beside it.

        Unless a kind says otherwise, the location alone moves the value.
        """
        return np.ones(len(z)), np.zeros(np.shape(z))

    def steepness(self, location: Array) -> Array:
        """(N,) how fast the mean moves with the location, in units of its own.

        One where these are the location's: of additive noise, and of levels, whose values bound their mean anyway.
        """
        return np.ones_like(location)

    def continued(self, location: Array, rise: Array) -> Array:
        """The location at which the mean lies `rise` (N,) higher than at a location, in units of its own.

        So mechanisms go on beyond the training range, where the location is that at its nearest point.
        """
        return np.asarray(location + rise)

    def moved(self, location: Array, by: Array) -> Array:
        """The location at which the mean lies `by` (N,) standard deviations of the column higher, on average."""
        return np.asarray(location + by)

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Everything learned, as named arrays."""
        return {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Self:
        """From `arrays()`."""
        return cls(**arrays)
