"""The learned SCM: the same interface as a simulated one. Shapes: N rows, D variables, Q nodes with a network part."""

from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

import numpy as np
import torch

from fipscm.arrays import Adjacency, Array, Mask, Order
from fipscm.graph import adjacency_from_allowed
from fipscm.mechanism.noise import EmpiricalNoise
from fipscm.mechanism.skip import Skip
from fipscm.mechanism.transformer import CausalTransformer, Parents, TransformerConfig
from fipscm.scm.base import NodewiseSCM

CHUNK = 2_048  # rows at a time through the network: more gain nothing and cost memory


@dataclass(frozen=True)
class LearnedSCM(NodewiseSCM):
    """x = centre + scale * (skip(z) + residual_scale * T(z, 0)) + noise, with z the standardized rows.

    Attributes:
        names: the D column names.
        order: (D,) column positions, causes first.
        noise: the law of the noises, in the user's units.
        allowed: (D, D) edges of the model; row = effect, column = cause.
        centre: (D,) means and
        scale: (D,) standard deviations of the training columns.
        skip: what was solved in closed form.
        network: the transformer T.
        nodes: (Q,) nodes to which T contributes.
        residual_scale: (D,) units of T's outputs, in standardized columns.
        edge_scores: (D, D) evidence for each edge; row = cause, column = effect. From the test, -log10 of the corrected
            p-value; from the Jacobian rule and for known graphs, the mean absolute derivative.
        edge_weights: (D, D) average derivative of the effect in the cause, in the user's units; row = cause.
        interventions: what has been done to the model.
    """

    names: tuple[Hashable, ...]
    order: Order
    noise: EmpiricalNoise
    allowed: Mask
    centre: Array
    scale: Array
    skip: Skip
    network: CausalTransformer
    nodes: Order
    residual_scale: Array
    edge_scores: Array
    edge_weights: Array

    @property
    def adjacency(self) -> Adjacency:
        """(D, D), 1 where the row causes the column."""
        return adjacency_from_allowed(self.allowed)

    def predict(self, rows: Array) -> Array:
        """(N, D) -> (N, D), each column from its causes alone, without noise and without interventions."""
        z = self._standardized(rows)
        return self.centre + self.scale * (self.skip(z) + self.learned_part(z))

    def learned_part(self, z: Array) -> Array:
        """(N, D) -> (N, D), what the network adds to the skip, in standardized columns."""
        added = np.zeros_like(z)
        if len(self.nodes):
            added[:, self.nodes] = self.residual_scale[self.nodes] * self._network(z, self.nodes)
        return added

    def sample_to_noise(self, rows: Array) -> Array:
        """Abduct: what the causes leave unexplained."""
        values = np.asarray(rows, dtype=np.float64)
        return self.naturalized(values) - self.predict(values)

    def noise_to_sample(self, noise: Array) -> Array:
        """Compute every node once, causes first: the fixed point in a single pass.

        Keys and values are affine in the causes' values with coefficients all rows share, so that what a cached
        decoder would store per row is the rows themselves.
        """
        checked = self.checked_noise(noise)
        rows, z = np.zeros_like(checked), np.zeros_like(checked)
        for node in self.order:
            natural = self.centre[node] + self.scale[node] * self._node(z, node) + checked[:, node]
            rows[:, node] = self.acted_on(node, natural, rows)
            z[:, node] = (rows[:, node] - self.centre[node]) / self.scale[node]
        return rows

    def jacobian(self, rows: Array) -> Array:
        """(N, D) -> (N, D, D) derivatives between standardized columns; row = effect, column = cause."""
        z = self._standardized(rows)
        derivative = self.skip.jacobian(z)
        if len(self.nodes):
            parents = self._parents(self.nodes)
            pieces = [self.network.jacobian(piece, parents) for piece in torch.split(self._tensor(z), CHUNK)]
            network = torch.cat(pieces).cpu().numpy()
            derivative[:, self.nodes] += self.residual_scale[self.nodes, None] * network
        return derivative

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Everything learned, as named arrays."""
        named = {name: getattr(self, name) for name in _ARRAYS}
        named["noise"] = self.noise.ordered
        named |= {f"skip.{field.name}": getattr(self.skip, field.name) for field in fields(Skip)}
        return named | {f"network.{name}": value.cpu().numpy() for name, value in self.network.state_dict().items()}

    def settings(self) -> dict[str, Any]:
        """What the arrays do not say, ready for JSON."""
        return {"names": list(self.names), "transformer": asdict(self.network.config)}

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]], settings: Mapping[str, Any]) -> Self:
        """Rebuild a model from `arrays()` and `settings()`."""
        config = TransformerConfig(**settings["transformer"])
        network = CausalTransformer(len(settings["names"]), config, torch.Generator())
        network.load_state_dict(
            {
                name.removeprefix("network."): torch.from_numpy(np.array(value))
                for name, value in arrays.items()
                if name.startswith("network.")
            }
        )
        return cls(
            names=tuple(settings["names"]),
            noise=EmpiricalNoise(arrays["noise"]),
            skip=Skip(**{field.name: arrays[f"skip.{field.name}"] for field in fields(Skip)}),
            network=network,
            **{name: arrays[name] for name in _ARRAYS},  # type: ignore[arg-type]
        )

    def _node(self, z: Array, node: int) -> Array:
        """(N, D) -> (N,), one node from its causes, in standardized columns."""
        value = self.skip.node(z, node)
        if node in self.nodes:
            value = value + self.residual_scale[node] * self._network(z, np.array([node]))[:, 0]
        return value

    def _network(self, z: Array, nodes: Order) -> Array:
        parents = self._parents(nodes)
        with torch.no_grad():
            pieces = [self.network(piece, parents) for piece in torch.split(self._tensor(z), CHUNK)]
        return torch.cat(pieces).cpu().double().numpy()

    def _parents(self, nodes: Order) -> Parents:
        return Parents.of(self.allowed, nodes, self.network.decoder.device)

    def _tensor(self, z: Array) -> torch.Tensor:
        return torch.as_tensor(z, dtype=torch.float32, device=self.network.decoder.device)

    def _standardized(self, rows: Array) -> Array:
        return (np.asarray(rows, dtype=np.float64) - self.centre) / self.scale


_ARRAYS = (
    "order",
    "allowed",
    "centre",
    "scale",
    "nodes",
    "residual_scale",
    "edge_scores",
    "edge_weights",
)
