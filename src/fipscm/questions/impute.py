"""Missing cells, filled in with what a model makes of the others. Shapes: N rows, D variables, K candidates.

A missing cell is drawn given all other cells of its row. Half of its candidates come from its mechanism, half from a
linear regression on all other columns, and the value that it has is kept as one more; each is weighed by how probable
the cell and its effects then are, relative to how often such a candidate is proposed, and one of them is drawn. Such a
step leaves the distribution of the model as it is (iterated sampling-importance-resampling), so that sweeps over all
columns draw the missing cells of a row together.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from scipy.stats import norm

from fipscm.arrays import Array, Mask
from fipscm.mechanism.inputs import Inputs
from fipscm.mechanism.learned import LearnedSCM
from fipscm.questions.known_levels import category_sizes

CANDIDATES = 12  # per cell and sweep, besides the value that it has
SWEEPS = 10  # from a start that ignores the effects of a cell
REGRESSION_ROWS = 2_000  # drawn from the model


@dataclass(frozen=True)
class Domain:
    """Which values the columns may take: by the kinds of columns, their names, and (D,) lowest and highest values."""

    kinds: Mapping[Hashable, str]
    names: Sequence[Hashable]
    low: Array
    high: Array

    @classmethod
    def of(cls, kinds: Mapping[Hashable, str], frame: pd.DataFrame) -> Self:
        """Of the columns of a table."""
        return cls(kinds, list(frame.columns), frame.min().to_numpy(), frame.max().to_numpy())

    def nearest(self, column: int, values: Array) -> Array:
        """The values that a column of its kind may take instead."""
        kind, low, high = self.kinds[self.names[column]], self.low[column], self.high[column]
        if kind == "continuous":
            return values
        if kind == "binary":
            return np.where(values < (low + high) / 2, low, high)
        return np.round(values)

    def holds(self, column: int, values: Array) -> Mask:
        """Whether values lie among those that were observed: what is beyond, a model can only guess."""
        return np.asarray((values >= self.low[column]) & (values <= self.high[column]))

    def nearest_cells(self, rows: Array, holes: Mask) -> Array:
        """The rows (N, D), with a value of the column's kind and range in every hole."""
        inside = np.clip(rows, self.low, self.high)
        columns = [self.nearest(column, values) for column, values in enumerate(inside.T)]
        return np.where(holes, np.column_stack(columns), rows)


class Imputer:
    """Draws missing cells from a learned model."""

    def __init__(self, scm: LearnedSCM, domain: Domain, rng: np.random.Generator) -> None:
        from fipscm.order.evidence.fill import Regression  # brings PyTorch along

        self._scm, self._domain, self._rng = scm, domain, rng
        typical = scm.sample_arrays(REGRESSION_ROWS, rng)[0]
        self._inputs = Inputs.of(np.arange(len(scm.names)), category_sizes(scm).tolist(), typical)
        self._regression = Regression.of(self._inputs(typical))

    def start(self, rows: Array) -> Array:
        """(N, D) without holes: in each what the other cells of the row predict linearly."""
        holes, owners = np.isnan(rows), self._inputs.owners
        z = self._regression.holes(self._inputs(rows), holes[:, owners])
        predicted, filled = self._inputs.centre + self._inputs.scale * z, rows.copy()
        for column, count in enumerate(self._inputs.levels):
            own = predicted[:, owners == column]
            value = own.argmax(axis=1) if count else own[:, 0]
            filled[:, column] = np.where(holes[:, column], value, rows[:, column])
        return self._domain.nearest_cells(filled, holes)

    def redraw(self, rows: Array, holes: Mask, sweeps: int, intervened: Mask | None = None) -> Array:
        """The rows (N, D) with all holes (N, D) drawn anew; `intervened` (N, D) cells do not follow their causes."""
        return self._swept(rows, holes, sweeps, intervened, self._drawn)

    def climb(self, rows: Array, holes: Mask, sweeps: int) -> Array:
        """The rows (N, D) with holes (N, D) filled by the most probable of many candidates."""
        return self._swept(rows, holes, sweeps, None, lambda probable, _: probable.argmax(axis=1))

    def _swept(self, rows: Array, holes: Mask, sweeps: int, intervened: Mask | None, choose: "_Choice") -> Array:
        touched, filled = np.flatnonzero(holes.any(axis=1)), rows.copy()
        units, missing = filled[touched], holes[touched]
        follows = np.ones_like(missing) if intervened is None else ~intervened[touched]
        for _ in range(sweeps):
            for node in self._scm.order:
                here = np.flatnonzero(missing[:, node])
                if len(here):
                    has_levels = self._scm.mechanisms[node].response.levels is not None
                    candidates, proposed = (self._levels if has_levels else self._proposals)(node, units[here])
                    probable = self._probable(node, candidates, units[here], follows[here])
                    chosen = choose(probable, proposed)[:, None]
                    units[here, node] = np.take_along_axis(candidates, chosen, axis=1)[:, 0]
        filled[touched] = units
        return filled

    def _levels(self, node: int, units: Array) -> tuple[Array, Array]:
        """(N, K) all levels of a column for each row, each proposed as often as the others."""
        levels = self._scm.mechanisms[node].response.levels
        assert levels is not None
        return np.tile(levels, (len(units), 1)), np.zeros((len(units), len(levels)))

    def _proposals(self, node: int, units: Array) -> tuple[Array, Array]:
        """(N, K) candidates for one column of rows (N, D), and log-densities of their being proposed."""
        mechanism, width = self._scm.mechanisms[node], CANDIDATES // 2
        place = int(np.flatnonzero(self._inputs.owners == node)[0])
        predicted, error = self._regression.column(place, self._inputs(units))
        centre, scale = self._inputs.centre[place], self._inputs.scale[place]
        linear, error = centre + scale * predicted, scale * error
        location, z = mechanism.at(units[:, mechanism.causes])
        noises = self._rng.choice(mechanism.noise_law.ordered[:, 0], (len(units), width))
        errors = error * self._rng.standard_normal((len(units), width))
        caused = [mechanism.response.value(location, z, each) for each in noises.T]
        candidates = np.column_stack([units[:, node], *caused, linear[:, None] + errors])
        candidates = self._domain.nearest(node, candidates)
        own = self._own(node, candidates, units)
        by_regression = norm.logpdf(candidates, linear[:, None], error)
        if self._domain.kinds[self._domain.names[node]] == "continuous" and mechanism.response.discrete:
            by_regression[candidates == 0] = -np.inf  # of amounts with zeros a zero is none that a regression gives
        return candidates, np.logaddexp(own, by_regression) - np.log(2)

    def _probable(self, node: int, candidates: Array, units: Array, follows: Mask) -> Array:
        """(N, K) log-densities of candidates for one column, and of its effects in rows (N, D)."""
        width = candidates.shape[1]
        repeated, following = np.repeat(units, width, axis=0), np.repeat(follows, width, axis=0)
        repeated[:, node] = candidates.ravel()
        probable = self._own(node, candidates, units)
        for effect in np.flatnonzero(self._scm.allowed[:, node]):
            found = self._scm.log_density(effect, repeated, repeated[:, effect])
            probable += np.where(following[:, effect], found, 0.0).reshape(candidates.shape)
        probable[~self._domain.holds(node, candidates)] = -np.inf
        return probable

    def _own(self, node: int, candidates: Array, units: Array) -> Array:
        """(N, K) log-densities of candidates given the causes in rows (N, D), which are read once."""
        mechanism = self._scm.mechanisms[node]
        location, z = mechanism.at(units[:, mechanism.causes])
        values = (mechanism.response.log_density(location, z, each, mechanism.density) for each in candidates.T)
        return np.column_stack(list(values))

    def _drawn(self, probable: Array, proposed: Array) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
        """(N,) which candidate is drawn, by log-densities (N, K) of the row and of the proposal."""
        weights = probable - proposed
        shares = np.exp(weights - logsumexp(weights, axis=1, keepdims=True)).cumsum(axis=1)
        level = self._rng.random((len(shares), 1)) * shares[:, -1:]
        return np.asarray((shares < level).sum(axis=1), dtype=np.intp)


_Choice = Callable[[Array, Array], np.ndarray[tuple[int, ...], np.dtype[np.intp]]]
