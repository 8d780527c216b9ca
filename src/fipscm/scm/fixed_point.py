"""Structural causal models as fixed points: x = P^T H(P x, P n). Shapes: N rows, D variables.

Every operation returns a new object; nothing a caller passes in is changed.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from fipscm.arrays import Adjacency, Array, Order
from fipscm.errors import GraphError, InterventionError
from fipscm.graph import adjacency_from_allowed, listed, order_positions
from fipscm.scm.base import SCM, NoiseLaw
from fipscm.scm.intervention import Do, Intervention

Mechanism = Callable[[Array, Array], Array]
TriangularMap = Callable[[Array], Array]
# Smaller derivatives count as zero; that of an input that is not read is exactly zero.
NO_INFLUENCE = 1e-7


def fixed_point(step: Callable[[Array], Array], start: Array, depth: int) -> Array:
    """Solve x = step(x): a strictly triangular step reaches its fixed point after at most `depth` applications.

    >>> fixed_point(lambda x: np.array([3.0, 2 * x[0]]), np.zeros(2), depth=2)
    array([3., 6.])
    """
    current = start
    for _ in range(depth):
        following = step(current)
        if np.array_equal(following, current):
            break
        current = following
    return current


@dataclass(frozen=True, repr=False)
class FixedPointSCM(SCM):
    """The paper's SCM without a graph: a permutation, independent noises, and a triangular map H.

    H takes ordered rows and ordered noises, both (N, D), to (N, D). Its Jacobian is strictly lower-triangular in the
    rows and diagonal in the noises. `inverse(x, target)` solves target = H(x, n) for n where that is possible. Noises
    are in the order of the variables, unless `noise_order` has another one: a variable may have several.

    >>> class Zero:
    ...     def sample(self, rows, rng): return np.zeros((rows, 2))
    >>> def chain(x, n): return np.column_stack([n[:, 0], 2 * x[:, 0] + n[:, 1]])
    >>> scm = FixedPointSCM(("effect", "cause"), np.array([1, 0]), Zero(), chain)
    >>> scm.do({"cause": 3.0}).noise_to_sample(np.zeros((1, 2)))
    array([[6., 3.]])
    """

    names: tuple[Hashable, ...]
    order: Order
    noise: NoiseLaw
    mechanism: Mechanism
    inverse: Mechanism | None = None
    noise_order: Order | None = None

    def __post_init__(self) -> None:
        order_positions(self.order, range(len(self.names)))
        if self.noise_order is None:
            object.__setattr__(self, "noise_order", self.order)

    def __repr__(self) -> str:
        return f"FixedPointSCM of {len(self.names)} variables, causes first: {listed(self._ordered_names)}"

    @property
    def noise_width(self) -> int:
        """How many noises there are."""
        return len(self.order if self.noise_order is None else self.noise_order)

    @property
    def _ordered_names(self) -> list[Hashable]:
        return [self.names[column] for column in self.order]

    def apply(self, rows: Array, noise: Array) -> Array:
        """One application of P^T H(P x, P n), columns in the variables' own order."""
        values = np.empty_like(rows)
        values[:, self.order] = self.mechanism(rows[:, self.order], noise[:, self.noise_order])
        return values

    def noise_to_sample(self, noise: Array) -> Array:
        """Iterate to the fixed point: at most D applications, fewer when nothing changes any more."""
        checked = self.checked_noise(noise)
        start = np.zeros((len(checked), len(self.names)))
        return fixed_point(lambda rows: self.apply(rows, checked), start, len(self.names))

    def sample_to_noise(self, rows: Array, rng: np.random.Generator | None = None) -> Array:
        """Solve x = H(x, n) for n."""
        if self.inverse is None:
            raise InterventionError(
                "The noises of this SCM cannot be recovered: its mechanism has no inverse in the noise. Pass "
                "`inverse=`, or recover them with the model from before the map was applied."
            )
        ordered = np.asarray(rows, dtype=np.float64)[:, self.order]
        noise = np.empty((len(ordered), self.noise_width))
        noise[:, self.noise_order] = self.inverse(ordered, ordered)
        return noise

    def do(self, intervention: Do | Intervention | TriangularMap) -> Self:
        """Return the SCM of T o H, for a mapping from names to rules or any lower-triangular map T on ordered rows."""
        mechanism, inverse = self.mechanism, self.inverse
        if not isinstance(intervention, Intervention) and callable(intervention):
            transform = intervention
            self._require_lower_triangular(transform)
            return replace(self, mechanism=lambda x, n: transform(mechanism(x, n)), inverse=None)
        parsed, position = Intervention.parse(intervention, self.names), np.argsort(self.order)

        def acted_on(x: Array, n: Array) -> Array:
            return parsed(mechanism(x, n)[:, position], self.order)[:, self.order]

        def undone(x: Array, target: Array) -> Array:
            assert inverse is not None
            return inverse(x, parsed.naturalized(target[:, position])[:, self.order])

        return replace(self, mechanism=acted_on, inverse=undone if inverse else None)

    def _require_lower_triangular(self, transform: TriangularMap) -> None:
        rows, _ = self.sample_arrays(8, np.random.default_rng(0))
        derivative = np.abs(_central_differences(transform, rows[:, self.order])).max(axis=0)
        found = np.argwhere(np.triu(derivative, 1) > NO_INFLUENCE)
        if len(found):
            effect, cause = (self.names[self.order[place]] for place in found[0])
            raise InterventionError(
                f"The map is not lower-triangular: it lets '{cause}' change '{effect}', which stands before it. "
                "A variable may only be changed by itself and by those upstream."
            )

    def jacobian(self, rows: Array, noise: Array) -> Array:
        """(N, D, D) derivatives of P^T H(P x, P n) in x; row = effect, column = cause."""
        return _central_differences(lambda x: self.apply(x, noise), rows)

    def causal_graph(self, rows: Array, noise: Array, tolerance: float = NO_INFLUENCE) -> Adjacency:
        """Definition 2.6: j is a parent of i where the derivative of i in j is not zero everywhere."""
        return adjacency_from_allowed(np.abs(self.jacobian(rows, noise)).max(axis=0) > tolerance)

    @property
    def adjacency(self) -> Adjacency:
        """The causal graph, read off the Jacobian at 200 rows of the model itself."""
        return self.causal_graph(*self.sample_arrays(200, np.random.default_rng(0)))

    def check_structure(self, rows: Array, noise: Array) -> None:
        """Raise a GraphError unless H is strictly lower-triangular in x and diagonal in n at these rows."""
        position = np.argsort(self.order)
        cause, effect = position[None, :], position[:, None]
        in_noise = _central_differences(lambda n: self.apply(rows, n), noise)
        for read, derivative, wrong in (
            ("value", self.jacobian(rows, noise), cause >= effect),
            ("noise", in_noise, cause != effect),
        ):
            found = np.argwhere((np.abs(derivative).max(axis=0) > NO_INFLUENCE) & wrong)
            if len(found):
                i, j = found[0]
                raise GraphError(
                    f"The mechanism of '{self.names[i]}' reads the {read} of '{self.names[j]}', which the order does "
                    "not allow: correct the mechanism, or place the cause earlier in the order."
                )


def _central_differences(function: Callable[[Array], Array], at: Array, step: float = 1e-5) -> Array:
    """(N, D) -> (N, D, D), exact zero where an output does not read an input."""
    nudges = step * np.eye(at.shape[1])
    return np.stack([(function(at + nudge) - function(at - nudge)) / (2 * step) for nudge in nudges], axis=-1)
