"""The learned SCM: the same interface as a simulated one. Shapes: N rows, D variables, Q nodes with a network part.

PyTorch is imported where a network is asked: most models have none and are loaded in half of the time without it.
"""

from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import softmax

from fipscm.arrays import Adjacency, Array, Mask, Order
from fipscm.graph import adjacency_from_allowed, listed
from fipscm.mechanism.noise.distribution import EmpiricalNoise
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.regression.skip import Skip
from fipscm.mechanism.responding import Blocks, RespondingSCM
from fipscm.mechanism.response.base import Response
from fipscm.mechanism.response.kinds import all_additive, response_arrays, restore_responses

if TYPE_CHECKING:
    import torch

    from fipscm.mechanism.network.transformer import CausalTransformer, Parents

STEP = 1e-3  # of differences, in standardized columns
CHUNK = 2_048  # rows at a time through the network: more are no faster and need more memory
TYPICAL_ROWS = 2_000  # enough for quartiles


@dataclass(frozen=True, repr=False)
class LearnedSCM(RespondingSCM):
    """x = response(skip(z) + residual_scale * T(z, 0), noise), with z the standardized rows.

    The first argument is the location of a node; its response turns it and the noise into a value: with additive noise
    centre + scale * location + noise. Beyond the box, where no rows were, means go on along their tangents: `box.py`.

    Attributes:
        names: the D column names.
        order: (D,) column positions, causes first.
        noise: the distribution of the noises; additive ones are in the user's units.
        responses: how each node answers to its location and its noise.
        allowed: (D, D) edges of the model; row = effect, column = cause.
        on_mean: (D, D) those that the location reads, and
        on_spread: (D, D) those that the spread of the noise depends on.
        centre: (D,) means and
        scale: (D,) standard deviations of the training columns.
        box: where the training rows were, in the user's units.
        skip: what was solved in closed form.
        network: the transformer T; None where no node needs it.
        nodes: (Q,) nodes to which T contributes.
        residual_scale: (D,) units of T's outputs, in standardized columns.
        edge_scores: (D, D) evidence for each edge, -log10 of the corrected p-value; row = cause, column = effect.
        edge_derivatives: (D, D) mean absolute derivative between standardized columns; row = cause.
        edge_weights: (D, D) average derivative of the effect in the cause, in the user's units; row = cause.
        held_out_r2: (D,) share of the variance of unseen rows that the causes explain; `held_out.py` says how.
        held_out_log_likelihood: (D,) mean log-density of unseen rows given their causes, in the user's units.
        noise_gain: (D,) by how much the kind of noise tried raises that over additive noise; NaN where none was.
        rows: (D,) how many rows each mechanism rests on.
        blocks: the columns of each category, one for each of its levels.
        interventions: what has been done to the model.
    """

    names: tuple[Hashable, ...]
    order: Order
    noise: EmpiricalNoise
    responses: tuple[Response, ...]
    allowed: Mask
    on_mean: Mask
    on_spread: Mask
    centre: Array
    scale: Array
    box: Box
    skip: Skip
    network: "CausalTransformer | None"
    nodes: Order
    residual_scale: Array
    edge_scores: Array
    edge_derivatives: Array
    edge_weights: Array
    held_out_r2: Array
    held_out_log_likelihood: Array
    noise_gain: Array
    rows: Array
    blocks: Blocks = field(default=(), kw_only=True)

    def __repr__(self) -> str:
        ordered = listed(self.names[column] for column in self.order)
        return f"LearnedSCM of {len(self.names)} variables and {self.allowed.sum()} edges, causes first: {ordered}"

    @property
    def adjacency(self) -> Adjacency:
        """(D, D), 1 where the row causes the column."""
        return adjacency_from_allowed(self.allowed)

    def predict(self, rows: Array) -> Array:
        """(N, D) -> (N, D), what each column is on average given its causes, without interventions."""
        means = np.empty(np.shape(rows))
        for node in range(len(self.names)):
            block = self.block_of(node)
            if node == block[0]:
                means[:, block] = self.node_means(block, np.asarray(rows, dtype=np.float64))
        return means

    def situation(self, node: int, rows: Array) -> tuple[Array, Array]:
        """The location of one node, and its standardized causes.

        No cache of keys and values is needed: both are affine in the causes' values, which are in the rows.
        """
        z = self.causes(node, rows)
        return self.location(node, z), z

    def causes(self, node: int, rows: Array) -> Array:
        """(N, D) -> (N, D), the standardized causes of one node, and zeros for all other columns."""
        causes = self.allowed[node]
        z = np.zeros(np.shape(rows))
        z[:, causes] = (rows[:, causes] - self.centre[causes]) / self.scale[causes]
        return z

    def location(self, node: int, z: Array) -> Array:
        """(N, D) -> (N,), what the standardized causes say about one node."""
        return self.responses[node].continued(*self.tangent(node, z))

    def tangent(self, node: int, z: Array) -> tuple[Array, Array]:
        """(N, D) -> (N,) the location of one node at the nearest points of the box, and (N,) how its mean goes on.

        That is what the tangents add from there, in the units of the mean.
        """

        def slopes(at: Array) -> Array:
            return self.responses[node].steepness(self._location(at, node))[:, None] * self._slopes(at, node)

        is_curved = self.skip.is_curved(node) or node in self.nodes
        box = self._box if is_curved else replace(self._box, inner=None)  # one slope everywhere, known by all rows
        return box.tangent(z, lambda at: self._location(at, node), slopes)

    def jacobian(self, rows: Array) -> Array:
        """(N, D) -> (N, D, D) derivatives between standardized columns, noises held; row = effect, column = cause."""
        z = self._standardized(rows)
        derivative = np.stack([self._slopes(z, node) for node in range(len(self.names))], axis=1)
        for node, response in enumerate(self.responses):
            causes = np.where(self.allowed[node], z, 0.0)
            nearest, rise = self.tangent(node, causes)
            is_beyond = self._box.split(causes)[1].any(axis=1) | (response.continued(nearest, rise) != nearest)
            beyond = np.flatnonzero(is_beyond)
            derivative[beyond, node] = self._differences(node, causes[beyond])
            if type(response).slopes is not Response.slopes:
                location = self.location(node, causes)
                noise = response.noise(location, causes, np.asarray(rows)[:, node])
                in_location, in_causes = response.slopes(location, causes, noise)
                derivative[:, node] = in_location[:, None] * derivative[:, node] + in_causes
        return self._of_means(derivative, z)

    def _differences(self, node: int, z: Array) -> Array:
        """(N, D) -> (N, D) derivatives of the location of one node, by differences: few rows lie beyond the box."""
        derivative = np.zeros_like(z)
        for cause in np.flatnonzero(self.allowed[node]):
            step = STEP * np.eye(z.shape[1])[cause]
            derivative[:, cause] = (self.location(node, z + step) - self.location(node, z - step)) / (2 * STEP)
        return derivative

    def _of_means(self, derivative: Array, z: Array) -> Array:
        """(N, D, D) derivatives of standardized means from those of locations, which differ where a node has a link."""
        for node in (node for node, response in enumerate(self.responses) if response.linked):
            location, response = self.location(node, z), self.responses[node]
            rise = response.mean(location + STEP, z) - response.mean(location - STEP, z)
            derivative[:, node] *= (rise / (2 * STEP * self.scale[node]))[:, None]
        for block in self.blocks:
            scores = np.column_stack([self.location(node, z) for node in block])
            # The mean score rises one to one with the location; what it does to probabilities is that of a softmax.
            slopes, shares = derivative[:, block] * self.scale[list(block), None], softmax(scores, axis=1)[:, :, None]
            centred = slopes - (shares * slopes).sum(axis=1, keepdims=True)
            derivative[:, block] = shares * centred / self.scale[list(block), None]
        return derivative

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Everything learned, as named arrays."""
        named = {name: getattr(self, name) for name in _ARRAYS}
        named |= {"noise": self.noise.ordered, "low": self.box.low, "high": self.box.high}
        if self.noise.lowest is not None:
            named["noise_lowest"] = self.noise.lowest
        if self.box.inner is not None:
            named |= {"inner_low": self.box.inner.low, "inner_high": self.box.inner.high}
        named |= {f"skip.{field.name}": getattr(self.skip, field.name) for field in fields(Skip)}
        named |= {f"response.{name}": array for name, array in response_arrays(self.responses).items()}
        if self.network is None:
            return named
        from fipscm.tables.checkpoint import to_arrays

        return named | to_arrays(self.network.state_dict(), "network.")

    def settings(self) -> dict[str, Any]:
        """What the arrays do not say, ready for JSON."""
        sizes = None if self.network is None else asdict(self.network.config)
        kinds = [response.kind for response in self.responses]
        blocks = [list(block) for block in self.blocks]
        return {"names": list(self.names), "transformer": sizes, "responses": kinds, "blocks": blocks}

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]], settings: Mapping[str, Any]) -> Self:
        """Rebuild a model from `arrays()` and `settings()`."""
        sizes = settings["transformer"]
        network = None if sizes is None else _restored(len(settings["names"]), sizes, arrays)
        # An early file holds neither responses, which were additive, nor derivatives, nor the box, nor any scores.
        own = {name.removeprefix("response."): each for name, each in arrays.items() if name.startswith("response.")}
        responses = (
            restore_responses(settings["responses"], own) if own else all_additive(arrays["centre"], arrays["scale"])
        )
        everywhere = Box.unbounded(len(settings["names"]))
        unknown = np.full(arrays["edge_scores"].shape, np.nan)
        unmeasured = dict.fromkeys(("held_out_r2", "held_out_log_likelihood", "noise_gain", "rows"), unknown[0])
        means = {"on_mean": arrays["allowed"], "on_spread": np.zeros_like(arrays["allowed"])}
        bounds = {"low": everywhere.low, "high": everywhere.high}
        known = {"edge_derivatives": unknown, **bounds, **means, **unmeasured, **arrays}
        inner = Box(known["inner_low"], known["inner_high"]) if "inner_low" in known else None
        return cls(
            names=tuple(settings["names"]),
            noise=EmpiricalNoise(arrays["noise"], arrays.get("noise_lowest")),
            responses=responses,
            box=Box(known["low"], known["high"], inner),
            skip=Skip.restore(
                {name.removeprefix("skip."): each for name, each in arrays.items() if name.startswith("skip.")}
            ),
            network=network,
            blocks=tuple(tuple(block) for block in settings.get("blocks", ())),
            **{name: known[name] for name in _ARRAYS},
        )

    def _location(self, z: Array, node: int) -> Array:
        """(N, D) -> (N,), the location of one node within the box."""
        value = self.skip.node(z, node)
        if node in self.nodes:
            value = value + self.residual_scale[node] * self._network_part(z, node)
        return np.asarray(value)

    def _slopes(self, z: Array, node: int) -> Array:
        """(N, D) -> (N, D), its derivatives there."""
        slopes = self.skip.slopes(z, node)
        if node in self.nodes:
            slopes = slopes + self.residual_scale[node] * self._network_slopes(z, node)
        return np.asarray(slopes)

    def _network_part(self, z: Array, node: int) -> Array:
        """(N, D) -> (N,)."""
        import torch

        network, parents = self._network_on(node)
        with torch.no_grad():
            pieces = [network(piece, parents) for piece in torch.split(self._tensor(z), CHUNK)]
        return torch.cat(pieces)[:, 0].cpu().double().numpy()

    def _network_slopes(self, z: Array, node: int) -> Array:
        """(N, D) -> (N, D) derivatives of the network."""
        import torch

        network, parents = self._network_on(node)
        pieces = [network.jacobian(piece, parents) for piece in torch.split(self._tensor(z), CHUNK)]
        return torch.cat(pieces)[:, 0].cpu().double().numpy()

    def _network_on(self, node: int) -> "tuple[CausalTransformer, Parents]":
        from fipscm.mechanism.network.transformer import Parents

        assert self.network is not None
        return self.network, Parents.of(self.on_mean, np.array([node]), self.network.decoder.device)

    def _tensor(self, z: Array) -> "torch.Tensor":
        import torch

        device = None if self.network is None else self.network.decoder.device
        return torch.as_tensor(z, dtype=torch.float32, device=device)

    @cached_property
    def typical_rows(self) -> Array:
        """(N, D), always the same ones, of which quantiles are taken: a saved model holds no rows."""
        return self.sample_arrays(TYPICAL_ROWS, np.random.default_rng(0))[0]

    @cached_property
    def _box(self) -> Box:
        """Of standardized columns."""
        return self.box.standardized(self.centre, self.scale)

    def _standardized(self, rows: Array) -> Array:
        return (np.asarray(rows, dtype=np.float64) - self.centre) / self.scale


def _restored(
    variables: int, sizes: Mapping[str, int], arrays: Mapping[str, np.ndarray[Any, Any]]
) -> "CausalTransformer":
    import torch

    from fipscm.mechanism.network.transformer import CausalTransformer, TransformerConfig
    from fipscm.tables.checkpoint import restore_module

    network = CausalTransformer(variables, TransformerConfig(**sizes), torch.Generator())
    restore_module(network, arrays, "network.")
    return network


_ARRAYS = (
    "order",
    "allowed",
    "on_mean",
    "on_spread",
    "centre",
    "scale",
    "nodes",
    "residual_scale",
    "edge_scores",
    "edge_derivatives",
    "edge_weights",
    "held_out_r2",
    "held_out_log_likelihood",
    "noise_gain",
    "rows",
)
