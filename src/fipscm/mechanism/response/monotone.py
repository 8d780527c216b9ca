"""Noise that acts in any increasing way: an increasing spline of the noise, bent by the causes.

Shapes: N rows, D variables, P causes of the node, H nodes of a quadrature.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from fipscm.arrays import Array, Order
from fipscm.mechanism.network.flow import Flow, FlowTransformer
from fipscm.mechanism.network.transformer import Parents, TransformerConfig
from fipscm.mechanism.response.base import LogDensity, Response
from fipscm.tables.checkpoint import restore_module, to_arrays

CHUNK = 4_096  # rows at a time through the network
QUADRATURE = 32  # noises whose values are averaged for a mean


@dataclass(frozen=True)
class Monotone(Response):
    """x = centre + scale * (location + unit * T(causes, noise)), T increasing in its standard normal noise.

    T reads the causes and the location, beyond those of the training rows the nearest ones of these.

    Attributes:
        centre: () and
        scale: (), mean and standard deviation of the column.
        unit: () of what T gives, in standardized columns.
        causes: (P,) columns that the node reads.
        low: (P + 1,) and
        high: (P + 1,), where the causes and the location of the training rows were, in standardized columns.
        stretch: () by which the location is multiplied for the network.
        network: of P + 2 variables: the causes, the location, and the node. Its weights have single precision and are
            held in double, so that noises give their values back.
    """

    centre: Array
    scale: Array
    unit: Array
    causes: Order
    low: Array
    high: Array
    stretch: Array
    network: FlowTransformer
    kind: ClassVar[str] = "monotone"

    def value(self, location: Array, z: Array, noise: Array) -> Array:
        """The spline's inverse at the noise."""
        return self._value(location, self._each(location, z, Flow.value, noise))

    def noise(self, location: Array, z: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """The spline at the value."""
        return self._each(location, z, Flow.noise, self._inner(location, values))

    def mean(self, location: Array, z: Array) -> Array:
        """The average over standard normal noises, by Gauss-Hermite quadrature."""
        noise, weights = np.polynomial.hermite_e.hermegauss(QUADRATURE)
        added = self._each(location, z, Flow.value, np.broadcast_to(noise, (len(z), QUADRATURE)))
        return self._value(location, added @ (weights / weights.sum()))

    def log_density(self, location: Array, z: Array, values: Array, of_noise: LogDensity) -> Array:
        """That of the noise, times its derivative in the value."""
        inner = self._inner(location, values)
        noise = self._each(location, z, Flow.noise, inner)
        log_slope = self._each(location, z, lambda flow, values: flow.noise_and_log_slope(values)[1], inner)
        return np.asarray(of_noise(noise) + log_slope - np.log(self.scale * self.unit))

    def slopes(self, location: Array, z: Array, noise: Array) -> tuple[Array, Array]:
        """Derivatives of the standardized value: (N,) in the location, and (N, D) in the causes beside it."""
        inputs = self._inputs(location, z).requires_grad_()
        noises = torch.as_tensor(noise)[:, None]
        pieces = zip(torch.split(inputs, CHUNK), torch.split(noises, CHUNK), strict=True)
        total = torch.stack([self.network.flow(x, self._parents).value(n).sum() for x, n in pieces]).sum()
        (gradient,) = torch.autograd.grad(total, inputs)
        read = np.column_stack([z[:, self.causes], location])
        inside = (read >= self.low) & (read <= self.high)
        gradient = self.unit * np.where(inside, gradient[:, :-1].numpy(), 0)
        in_causes = np.zeros_like(z)
        in_causes[:, self.causes] = gradient[:, :-1]
        return 1 + self.stretch * gradient[:, -1], in_causes

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Everything learned, as named arrays; the network by its sizes and its weights."""
        own = {name: np.asarray(getattr(self, name)) for name in _ARRAYS}
        sizes = [self.network.bins, *asdict(self.network.config).values()]
        weights = {name: weight.float() for name, weight in self.network.state_dict().items()}
        return own | {"sizes": np.array(sizes)} | to_arrays(weights, "network.")

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Self:
        """From `arrays()`."""
        bins, *sizes = (int(size) for size in arrays["sizes"])
        network = FlowTransformer(len(arrays["causes"]) + 2, TransformerConfig(*sizes), torch.Generator(), bins)
        restore_module(network, arrays, "network.")
        return cls(**{name: arrays[name] for name in _ARRAYS}, network=network.double())

    def _value(self, location: Array, added: Array) -> Array:
        return np.asarray(self.centre + self.scale * (location + self.unit * added))

    def _inner(self, location: Array, values: Array) -> Array:
        """(N,) values as T gives them."""
        return np.asarray(((values - self.centre) / self.scale - location) / self.unit)

    def _each(self, location: Array, z: Array, action: Callable[[Flow, Tensor], Tensor], given: Array) -> Array:
        """(N,) -> (N,), or (N, H) -> (N, H): what the flow of each row does with what is given."""
        columns = np.reshape(given, (len(z), np.size(given) // max(1, len(z))))
        wanted = torch.split(torch.tensor(columns, dtype=torch.float64), CHUNK)
        with torch.no_grad():
            pieces = [
                action(self.network.flow(x, self._parents), some)
                for x, some in zip(torch.split(self._inputs(location, z), CHUNK), wanted, strict=True)
            ]
        return torch.cat(pieces).numpy().reshape(np.shape(given))

    def _inputs(self, location: Array, z: Array) -> Tensor:
        """(N, P + 2) what the network reads; its last column stands for the node and is not read."""
        read = np.clip(np.column_stack([z[:, self.causes], location]), self.low, self.high)
        read[:, -1] *= self.stretch
        return torch.as_tensor(np.column_stack([read, np.zeros(len(read))]))

    @cached_property
    def _parents(self) -> Parents:
        reads = np.arange(len(self.causes) + 2) <= len(self.causes)
        mask = np.zeros((len(reads), len(reads)), dtype=bool)
        mask[-1] = reads
        return Parents.of(mask, [len(reads) - 1])


_ARRAYS = ("centre", "scale", "unit", "causes", "low", "high", "stretch")
