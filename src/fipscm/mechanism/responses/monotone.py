"""Noise that acts in any increasing way: an increasing spline of the noise, bent by the causes.

Shapes: N rows, F inputs, H nodes of a quadrature.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fipscm.arrays import Array, Order
from fipscm.mechanism.parts import Arrays
from fipscm.mechanism.responses.response import LogDensity, Response
from fipscm.mechanism.responses.working import Working, measured

if TYPE_CHECKING:  # slow to import, and needed by models alone that have such a column
    from torch import Tensor

    from fipscm.mechanism.network.flow import Flow, FlowTransformer
    from fipscm.mechanism.network.transformer import Parents

_CHUNK = 4_096  # rows at a time through the network
QUADRATURE = 32  # noises whose values are averaged for a mean


@dataclass(frozen=True)
class Monotone(Response):
    """x = centre + scale * (location + unit * T(inputs, noise)), T increasing in its standard normal noise.

    T reads the inputs and the location, beyond those of the training rows the nearest ones of these.

    Attributes:
        centre: mean and
        scale: standard deviation of the column.
        unit: of what T gives, in standardized columns.
        low: (F + 1,) and
        high: (F + 1,), where the inputs and the location of the training rows were.
        per_location: by which the location is multiplied for the network.
        network: of F + 2 variables: the inputs, the location, and the column. Its weights have single precision and are
            held in double, so that noises give their values back.
    """

    centre: float
    scale: float
    unit: float
    low: Array
    high: Array
    per_location: float
    network: "FlowTransformer"
    kind = "monotone"

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """The spline's inverse at the noise."""
        return self._value(location, self._each(location, z, lambda flow, noises: flow.value(noises), noise))

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """The spline at the value."""
        return self._each(location, z, lambda flow, values: flow.noise(values), self._inner(location, values))

    def mean(self, location: Array, z: Array) -> Array:
        """The average over standard normal noises, by Gauss-Hermite quadrature."""
        noise, weights = np.polynomial.hermite_e.hermegauss(QUADRATURE)
        each = np.broadcast_to(noise, (len(z), QUADRATURE))
        added = self._each(location, z, lambda flow, noises: flow.value(noises), each)
        return self._value(location, added @ (weights / weights.sum()))

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """That of the noise, times its derivative in the value."""
        inner = self._inner(location, values)
        noise = self._each(location, z, lambda flow, values: flow.noise(values), inner)
        log_slope = self._each(location, z, lambda flow, values: flow.noise_and_log_slope(values)[1], inner)
        return np.asarray(of_noise(noise) + log_slope - np.log(self.scale * self.unit))

    def working(self, location: Array, z: Array, values: Array) -> list[Working]:
        """What the mean leaves, in standard deviations of the column."""
        return [measured((values - self.mean(location, z)) / self.scale)]

    def arrays(self) -> Arrays:
        """Everything learned, as named arrays; the network by its sizes and its weights."""
        from fipscm.tables.checkpoint import to_arrays

        own = {name: np.asarray(getattr(self, name)) for name in _ARRAYS}
        sizes = [self.network.bins, *asdict(self.network.config).values()]
        weights = {name: weight.float() for name, weight in self.network.state_dict().items()}
        return own | {"sizes": np.array(sizes)} | to_arrays(weights, "network.")

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Self:
        """From `arrays()`."""
        import torch

        from fipscm.mechanism.network.flow import FlowTransformer
        from fipscm.mechanism.network.transformer import TransformerConfig
        from fipscm.tables.checkpoint import restore_module

        bins, *sizes = (int(size) for size in arrays["sizes"])
        network = FlowTransformer(len(arrays["low"]) + 1, TransformerConfig(*sizes), torch.Generator(), bins)
        restore_module(network, arrays, "network.")
        values: dict[str, Any] = {name: arrays[name] if arrays[name].ndim else arrays[name].item() for name in _ARRAYS}
        return cls(**values, network=network.double())

    @property
    def spread_reads(self) -> Order:
        """All of the inputs."""
        return np.arange(len(self.low) - 1)

    def _value(self, location: Array, added: Array) -> Array:
        return np.asarray(self.centre + self.scale * (location[:, 0] + self.unit * added))

    def _inner(self, location: Array, values: Array) -> Array:
        """(N,) values as T gives them."""
        return np.asarray(((values - self.centre) / self.scale - location[:, 0]) / self.unit)

    def _each(self, location: Array, z: Array, action: "Callable[[Flow, Tensor], Tensor]", given: Array) -> Array:
        """(N,) -> (N,), or (N, H) -> (N, H): what the flow of each row does with what is given."""
        import torch

        columns = np.reshape(given, (len(z), np.size(given) // max(1, len(z))))
        read = np.clip(np.column_stack([z, location]), self.low, self.high)
        read[:, -1] *= self.per_location
        # The last column stands for the column itself and is not read.
        inputs = torch.as_tensor(np.column_stack([read, np.zeros(len(read))]))
        given_to = torch.tensor(columns, dtype=torch.float64)
        pieces = zip(torch.split(inputs, _CHUNK), torch.split(given_to, _CHUNK), strict=True)
        with torch.no_grad():
            found = [action(self.network.flow(x, self._parents), some) for x, some in pieces]
        return torch.cat(found).numpy().reshape(np.shape(given))

    @cached_property
    def _parents(self) -> "Parents":
        from fipscm.mechanism.network.transformer import Parents

        variables = len(self.low) + 1
        mask = np.zeros((variables, variables), dtype=bool)
        mask[-1, :-1] = True
        return Parents.of(mask, [variables - 1])


_ARRAYS = ("centre", "scale", "unit", "low", "high", "per_location")
