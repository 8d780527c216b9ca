"""The learned SCM: an order and one mechanism per column. Shapes: N rows, D columns, E noises."""

from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fipscm.arrays import Adjacency, Array, Mask, Order
from fipscm.graph import adjacency_from_allowed, listed
from fipscm.mechanism.mechanism import Mechanism
from fipscm.mechanism.parts import Arrays, within
from fipscm.mechanism.trial import Trial
from fipscm.scm.nodewise import NodewiseSCM

if TYPE_CHECKING:  # needed by models alone that have a network
    from fipscm.mechanism.network.transformer import CausalTransformer

TYPICAL_ROWS = 2_000  # enough for quartiles


@dataclass(frozen=True)
class MechanismNoises:
    """The noises of all mechanisms, one after the other."""

    mechanisms: tuple[Mechanism, ...]

    def sample(self, rows: int, rng: np.random.Generator) -> Array:
        """Draw (N, E) noises."""
        return np.concatenate([mechanism.noise_law.sample(rows, rng) for mechanism in self.mechanisms], axis=1)


@dataclass(frozen=True, repr=False)
class LearnedSCM(NodewiseSCM):
    """An order and one mechanism per column. A category is a column of codes, with a noise for each of its levels.

    Attributes:
        names: the D column names.
        order: (D,) column positions, causes first.
        mechanisms: of the D columns.
        edge_scores: (D, D) evidence for each edge that is possible; row = cause, column = effect.
        trials: what was tried for each column; a restored model does not know it.
        interventions: what has been done to the model.
    """

    names: tuple[Hashable, ...]
    order: Order
    mechanisms: tuple[Mechanism, ...]
    edge_scores: Array
    trials: tuple[Trial, ...] = ()

    def __repr__(self) -> str:
        ordered = listed(self.names[column] for column in self.order)
        return f"LearnedSCM of {len(self.names)} variables and {self.allowed.sum()} edges, causes first: {ordered}"

    @property
    def noise(self) -> MechanismNoises:  # type: ignore[override]
        """The distribution of the noises."""
        return MechanismNoises(self.mechanisms)

    @cached_property
    def allowed(self) -> Mask:
        """(D, D) edges; row = effect, column = cause."""
        found = np.zeros((len(self.names), len(self.names)), dtype=bool)
        for node, mechanism in enumerate(self.mechanisms):
            found[node, mechanism.causes] = True
        return found

    @property
    def adjacency(self) -> Adjacency:
        """(D, D), 1 where the row causes the column."""
        return adjacency_from_allowed(self.allowed)

    @cached_property
    def _places(self) -> list[int | slice]:
        ends = np.cumsum([mechanism.width for mechanism in self.mechanisms]).tolist()
        starts = [0, *ends[:-1]]
        return [end - 1 if end - start == 1 else slice(start, end) for start, end in zip(starts, ends, strict=True)]

    def noise_place(self, node: int) -> int | slice:
        """Where the noise of a column stands among all noises."""
        return self._places[node]

    @property
    def noise_width(self) -> int:
        """How many noises there are."""
        return sum(mechanism.width for mechanism in self.mechanisms)

    @property
    def noise_names(self) -> list[Hashable]:
        """(E,), of a category one for each of its levels."""
        return [
            name if mechanism.width == 1 else f"{name} = {level}"
            for name, mechanism in zip(self.names, self.mechanisms, strict=True)
            for level in range(mechanism.width)
        ]

    def node_value(self, node: int, rows: Array, noise: Array) -> Array:
        """One column from its causes and its noise."""
        return self.mechanisms[node].value(rows[:, self.mechanisms[node].causes], noise)

    def node_noise(self, node: int, rows: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """The noise with which one column takes its values, given its causes."""
        return self.mechanisms[node].noise(rows[:, self.mechanisms[node].causes], values, rng)

    def mean(self, node: int, rows: Array) -> Array:
        """(N,), what rows (N, D) lead to expect of one column; of a category the probabilities of its levels (N, K)."""
        return self.mechanisms[node].mean(rows[:, self.mechanisms[node].causes])

    def measured(self, node: int, values: Array) -> Array:
        """(N,) -> (N, K), what `mean` is the mean of: the numbers, or of a category an indicator for each level."""
        response = self.mechanisms[node].response
        levels = response.levels if response.is_category else None
        return values[:, None] if levels is None else (values[:, None] == levels).astype(np.float64)

    def spread(self, node: int) -> Array:
        """(K,) standard deviations of what `measured` tells of a column."""
        if not self.mechanisms[node].response.is_category:
            return self.scale[[node]]
        return np.asarray(self.measured(node, self.typical_rows[:, node]).std(axis=0))

    def log_density(self, node: int, rows: Array, values: Array) -> Array:
        """(N,), of values (N,) of one column, given rows (N, D) that hold its causes."""
        return self.mechanisms[node].log_density(rows[:, self.mechanisms[node].causes], values)

    @property
    def is_discrete(self) -> bool:
        """Whether a value of some column leaves open which noise is behind it."""
        return any(mechanism.response.discrete for mechanism in self.mechanisms)

    @property
    def edge_weights(self) -> Array:
        """(D, D), average derivative of the effect in the cause, in the columns' units; row = cause."""
        return self._of_edges("weights")

    @property
    def edge_derivatives(self) -> Array:
        """(D, D), mean absolute derivative between standardized columns; row = cause."""
        return self._of_edges("derivatives")

    @property
    def centre(self) -> Array:
        """(D,), means of the training columns."""
        return self._of_columns("centre")

    @property
    def scale(self) -> Array:
        """(D,), their standard deviations."""
        return self._of_columns("scale")

    @property
    def low(self) -> Array:
        """(D,), their lowest values."""
        return self._of_columns("low")

    @property
    def high(self) -> Array:
        """(D,), their highest values."""
        return self._of_columns("high")

    @cached_property
    def typical_rows(self) -> Array:
        """(N, D), always the same ones, of which quantiles are taken: a saved model holds no rows."""
        return self.sample_arrays(TYPICAL_ROWS, np.random.default_rng(0))[0]

    def arrays(self) -> Arrays:
        """Everything learned, as named arrays."""
        named: Arrays = {"order": self.order, "edge_scores": self.edge_scores}
        for node, mechanism in enumerate(self.mechanisms):
            named |= {f"{node}.{name}": array for name, array in mechanism.arrays().items()}
        if (network := self._network) is None:
            return named
        from fipscm.tables.checkpoint import to_arrays

        return named | to_arrays(network.state_dict(), "network.")

    def settings(self) -> dict[str, Any]:
        """What the arrays do not say, ready for JSON."""
        network = self._network
        sizes = None if network is None else {"variables": len(network.decoder), **asdict(network.config)}
        return {"names": list(self.names), "transformer": sizes}

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]], settings: Mapping[str, Any]) -> Self:
        """Rebuild a model from `arrays()` and `settings()`."""
        names = tuple(settings["names"])
        mechanisms = [Mechanism.restore(within(arrays, str(node))) for node in range(len(names))]
        if settings["transformer"] is not None:
            network = _restored(settings["transformer"], arrays)
            mechanisms = [_with_network(mechanism, network) for mechanism in mechanisms]
        return cls(names, arrays["order"], tuple(mechanisms), arrays["edge_scores"])

    @property
    def _network(self) -> "CausalTransformer | None":
        parts = (mechanism.predictor.network for mechanism in self.mechanisms)
        return next((part.network for part in parts if part is not None), None)

    def _of_columns(self, figure: str) -> Array:
        return np.array([getattr(mechanism.evidence, figure) for mechanism in self.mechanisms], dtype=np.float64)

    def _of_edges(self, figure: str) -> Array:
        found = np.zeros((len(self.names), len(self.names)))
        for node, mechanism in enumerate(self.mechanisms):
            found[mechanism.causes, node] = getattr(mechanism.evidence, figure)
        return found


def _with_network(mechanism: Mechanism, network: "CausalTransformer") -> Mechanism:
    part = mechanism.predictor.network
    if part is None:
        return mechanism
    return replace(mechanism, predictor=replace(mechanism.predictor, network=replace(part, network=network)))


def _restored(sizes: Mapping[str, int], arrays: Mapping[str, np.ndarray[Any, Any]]) -> "CausalTransformer":
    import torch

    from fipscm.mechanism.network.transformer import CausalTransformer, TransformerConfig
    from fipscm.tables.checkpoint import restore_module

    known = {name: size for name, size in sizes.items() if name != "variables"}
    network = CausalTransformer(sizes["variables"], TransformerConfig(**known), torch.Generator())
    restore_module(network, arrays, "network.")
    return network
