"""What the causal transformer says about one column. Shapes: N rows, F inputs, V variables of the network."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fipscm.arrays import Array, Order
from fipscm.mechanism.parts import Arrays, Part

if TYPE_CHECKING:  # slow to import, and needed by models alone that have a network
    from fipscm.mechanism.network.transformer import CausalTransformer, Parents

_CHUNK = 2_048  # rows at a time through the network: more are no faster and need more memory


@dataclass(frozen=True)
class NetworkPart(Part):
    """One column of a transformer that was trained once for all columns that need it.

    Attributes:
        variable: the network's variable that stands for the column.
        places: (F,) those of the inputs.
        stretch: (F,) and
        shift: (F,), which take inputs to the network's units.
        unit: of the network's output, in standardized columns.
        network: the transformer, shared with other columns; None until the model that holds it has been restored.
    """

    variable: int
    places: Order
    stretch: Array
    shift: Array
    unit: float
    network: "CausalTransformer | None" = None
    kind = "network"

    def __call__(self, z: Array) -> Array:
        """(N, F) -> (N,)."""
        import torch

        assert self.network is not None
        x = np.zeros((len(z), len(self.network.decoder)), dtype=np.float32)
        x[:, self.places] = z * self.stretch + self.shift
        device = self.network.decoder.device
        with torch.no_grad():
            parts = torch.split(torch.from_numpy(x), _CHUNK)
            pieces = [self.network(part.to(device), self._parents) for part in parts]
        return self.unit * torch.cat(pieces)[:, 0].cpu().double().numpy()

    def arrays(self) -> Arrays:
        """All but the network, which the model stores once."""
        return {name: np.asarray(getattr(self, name)) for name in _STORED}

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Self:
        """Without its network."""
        values: dict[str, Any] = {name: arrays[name] if arrays[name].ndim else arrays[name].item() for name in _STORED}
        return cls(**values)

    @cached_property
    def _parents(self) -> "Parents":
        from fipscm.mechanism.network.transformer import Parents

        assert self.network is not None
        variables = len(self.network.decoder)
        mask = np.zeros((variables, variables), dtype=bool)
        mask[self.variable, self.places] = True
        return Parents.of(mask, np.array([self.variable]), self.network.decoder.device)


_STORED = ("variable", "places", "stretch", "shift", "unit")
