"""What the causes say about a column, as a function of standardized inputs. Shapes: N rows, F inputs, K outputs."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fipscm.arrays import Array, Order
from fipscm.mechanism.parts import Part
from fipscm.mechanism.predictors.basis import BASES, Basis
from fipscm.mechanism.predictors.network import NetworkPart


@dataclass(frozen=True)
class Predictor(Part):
    """A weighted sum of functions, and a network that was trained on what they leave, where one is needed.

    Attributes:
        basis: the functions.
        coefficients: (M, K).
        network: None where the functions are enough.
    """

    basis: Basis
    coefficients: Array
    network: NetworkPart | None = None
    parts: ClassVar = {"basis": BASES, "network": {NetworkPart.kind: NetworkPart}}

    def __call__(self, z: Array) -> Array:
        """(N, F) -> (N, K)."""
        value = self.basis.value(z, self.coefficients)
        return value if self.network is None else value + self.network(z)[:, None]

    @property
    def shape(self) -> str:
        """Constant, linear, quadratic, per level, smooth or transformer."""
        if self.network is not None:
            return "transformer"
        return self.basis.shape if len(self.basis.reads) else "constant"

    @property
    def is_curved(self) -> bool:
        """Whether its slopes differ from place to place."""
        return self.shape not in ("constant", "linear")

    @property
    def reads(self) -> Order:
        """(R,) the inputs that are read."""
        return self.basis.reads if self.network is None else np.arange(len(self.network.places))
