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
from scipy.special import log_softmax, logsumexp
from scipy.stats import norm

from fipscm.arrays import Array, Mask
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise.distribution import NARROWEST, TabulatedDensity
from fipscm.mechanism.response.gumbel import one_hot
from fipscm.mechanism.response.thresholds import Thresholds

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
        known = zip(scm.noise.ordered.T, scm.scale, strict=True)
        self._densities = [TabulatedDensity.of(noises, NARROWEST * scale) for noises, scale in known]
        self._regression = Regression.of(self._standardized(scm.sample_arrays(REGRESSION_ROWS, rng)[0]))

    def start(self, rows: Array) -> Array:
        """(N, D) without holes: in each what the other cells of the row predict linearly."""
        holes = np.isnan(rows)
        z = self._regression.holes(self._standardized(rows), holes)
        filled = np.where(holes, self._scm.centre + self._scm.scale * z, rows)
        near = self._domain.nearest_cells(filled, holes)
        for block in self._scm.blocks:
            near[:, block] = one_hot(filled[:, block])
        return near

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
                block = self._scm.block_of(node)
                if len(here) and node == block[0]:
                    step = self._step if len(self._levels(block)) == 0 else self._level_step
                    units[here[:, None], block] = step(block, units[here], follows[here], choose)
        filled[touched] = units
        return filled

    def _levels(self, nodes: tuple[int, ...]) -> Array:
        """(K, M) all values that these nodes may take together, if they are levels; none otherwise."""
        if len(nodes) > 1:
            return np.eye(len(nodes))
        response = self._scm.responses[nodes[0]]
        return response.levels[:, None] if isinstance(response, Thresholds) else np.zeros((0, 1))

    def _level_step(self, nodes: tuple[int, ...], units: Array, follows: Mask, choose: "_Choice") -> Array:
        """(N, M) new values of nodes with levels, in rows (N, D) that all lack them: every level is weighed."""
        levels = self._levels(nodes)
        probable = self._own_levels(nodes, levels, units)
        for place, level in enumerate(levels):
            tried = units.copy()
            tried[:, nodes] = level
            probable[:, place] += self._of_effects(nodes, tried, follows)
        return np.asarray(levels[choose(probable, np.zeros_like(probable))])

    def _own_levels(self, nodes: tuple[int, ...], levels: Array, units: Array) -> Array:
        """(N, K) log-probabilities of levels (K, M) of nodes given the causes of rows (N, D), which are read once."""
        if len(nodes) > 1:
            return np.asarray(log_softmax(self._scm.scores(nodes, units), axis=1))
        (node,), (location, z) = nodes, self._scm.situation(nodes[0], units)
        response, density = self._scm.responses[node], self._densities[node]
        values = (np.full(len(units), level) for level in levels[:, 0])
        return np.column_stack([response.log_density(location, z, each, density) for each in values])

    def _step(self, nodes: tuple[int, ...], units: Array, follows: Mask, choose: "_Choice") -> Array:
        """(N, 1) new values of one node in rows (N, D) that all lack it."""
        node = nodes[0]
        scm, density, width = self._scm, self._densities[node], CANDIDATES // 2
        z = scm.causes(node, units)
        location, response = scm.location(node, z), scm.responses[node]
        linear, error = self._regression.column(node, self._standardized(units))
        linear, error = scm.centre[node] + scm.scale[node] * linear, scm.scale[node] * error
        noises = self._rng.choice(scm.noise.ordered[:, node], (len(units), width))
        errors = error * self._rng.standard_normal((len(units), width))
        caused = [response.value(location, z, each) for each in noises.T]
        candidates = np.column_stack([units[:, node], *caused, linear[:, None] + errors])
        candidates = self._domain.nearest(node, candidates)
        own = np.column_stack([response.log_density(location, z, each, density) for each in candidates.T])
        proposed = np.logaddexp(own, norm.logpdf(candidates, linear[:, None], error)) - np.log(2)
        width = candidates.shape[1]
        repeated, following = np.repeat(units, width, axis=0), np.repeat(follows, width, axis=0)
        repeated[:, node] = candidates.ravel()
        probable = own + self._of_effects(nodes, repeated, following).reshape(candidates.shape)
        probable[~self._domain.holds(node, candidates)] = -np.inf
        return np.take_along_axis(candidates, choose(probable, proposed)[:, None], axis=1)

    def _of_effects(self, nodes: tuple[int, ...], units: Array, follows: Mask) -> Array:
        """(N,) log-densities of the effects of nodes in rows (N, D)."""
        total = np.zeros(len(units))
        for effect in np.flatnonzero(self._scm.allowed[:, nodes].any(axis=1)):
            found = self._scm.node_log_density(effect, units, units[:, effect], self._densities[effect])
            total += np.where(follows[:, effect], found, 0.0)
        return total

    def _standardized(self, rows: Array) -> Array:
        return (rows - self._scm.centre) / self._scm.scale

    def _drawn(self, probable: Array, proposed: Array) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
        """(N,) which candidate is drawn, by log-densities (N, K) of the row and of the proposal."""
        weights = probable - proposed
        shares = np.exp(weights - logsumexp(weights, axis=1, keepdims=True)).cumsum(axis=1)
        level = self._rng.random((len(shares), 1)) * shares[:, -1:]
        return np.asarray((shares < level).sum(axis=1), dtype=np.intp)


_Choice = Callable[[Array, Array], np.ndarray[tuple[int, ...], np.dtype[np.intp]]]
