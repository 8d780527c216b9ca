"""How likely a column is, given some of the others, whatever the kind of its noise.

Shapes: N rows, D variables, F functions of the causes, K knots of a bend.

One formula covers what rows may look like: x = bend^-1(f(causes) + g(causes) * noise), with an increasing bend, smooth
f and g, and a noise of any law. Half of the rows tell how likely the other half is, and the other way round.
"""

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from scipy import special, stats

from fipscm.arrays import Array, Mask
from fipscm.mechanism.noise.distribution import NARROWEST, TabulatedDensity
from fipscm.mechanism.regression.bend import BendParts, likeliest_slopes

MOST_ROWS = 3_000  # enough to tell directions; more take their time
KNOTS = 9
CENTRES, WIDTH = np.linspace(-2.0, 2.0, 6), 0.8  # of bumps, on the scale of normal scores
WAVES, FREQUENCIES = 128, (0.5, 2.5)  # functions of all causes together, slow and fast ones
RIDGES = (1e-4, 1e-3, 1e-2, 1e-1)
SPREAD_RIDGE = 0.02
QUIETEST = 0.05  # of the standard deviation of residuals: their logarithm knows no smaller ones


@dataclass(frozen=True)
class RowLikelihood:
    """Columns as causes and as effects.

    Attributes:
        values: (N, D) standardized, without repeated values.
        scores: (N, D) normal scores of the columns.
        waves: (D, WAVES) frequencies of each column in the waves.
        phases: (WAVES,).
        parts: of the bends of each column.
        known: what has been computed, by column and causes.
    """

    values: Array
    scores: Array
    waves: Array
    phases: Array
    parts: tuple[BendParts, ...]
    known: dict[tuple[int, frozenset[int]], Array] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, rows: Array, rng: np.random.Generator) -> Self:
        """Of complete rows (N, D); of many rows only some are used."""
        chosen = rng.permutation(len(rows))[:MOST_ROWS]
        values = np.column_stack([_spread_out(column, rng) for column in rows[chosen].T])
        values = (values - values.mean(axis=0)) / values.std(axis=0)
        scores = special.ndtri((stats.rankdata(values, axis=0) - 0.5) / len(values))
        speeds = np.geomspace(*FREQUENCIES, WAVES)
        waves = speeds * rng.standard_normal((values.shape[1], WAVES))
        return cls(values, scores, waves, rng.uniform(0, 2 * np.pi, WAVES), tuple(map(_parts, values.T)))

    def given(self, column: int, causes: frozenset[int]) -> Array:
        """(N,) log-likelihoods of the rows of a column, each told by the half of the rows that it is not in."""
        key = column, causes
        if key not in self.known:
            self.known[key] = self._likelihood(column, sorted(causes))
        return self.known[key]

    def _likelihood(self, column: int, causes: list[int]) -> Array:
        parts, rows = self.parts[column], len(self.values)
        functions, found = self._functions(causes), np.empty(rows)
        even = np.arange(rows) % 2 == 0  # the rows are in random order
        for learned in (even, ~even):
            left = parts.curves - _fitted(functions, parts.curves, learned)
            covariance = left[learned].T @ left[learned] / learned.sum()
            slopes = likeliest_slopes(parts.stretches[learned], covariance, np.ones(len(parts.knots)))
            residual = left @ slopes
            log_spread = self._log_spread(residual, causes, learned)
            noise, stretch = residual / np.exp(log_spread), parts.stretches @ slopes
            density = TabulatedDensity.of(noise[learned], NARROWEST)
            found[~learned] = (density(noise) - log_spread + np.log(stretch))[~learned]
        return found

    def _functions(self, causes: list[int]) -> Array:
        """(N, F), of the causes one by one, and of several together."""
        values, scores = self.values[:, causes], self.scores[:, causes]
        alone = [values, scores, *_bumps(scores)]
        if len(causes) < 2:
            return np.column_stack(alone)
        angles = scores @ self.waves[causes] / np.sqrt(len(causes)) + self.phases
        return np.column_stack([*alone, np.cos(angles) / 2])

    def _log_spread(self, residual: Array, causes: list[int], learned: Mask) -> Array:
        """(N,), how far residuals (N,) spread, given the causes; no farther than anywhere among the learned rows."""
        if not causes:
            return np.zeros(len(residual))
        scores = self.scores[:, causes]
        sizes = np.log(np.abs(residual) / residual[learned].std() + QUIETEST)
        fitted = _fitted(np.column_stack([scores, *_bumps(scores)]), sizes[:, None], learned, (SPREAD_RIDGE,))[:, 0]
        fitted = fitted - sizes[learned].mean()
        return np.asarray(np.clip(fitted, fitted[learned].min(), fitted[learned].max()))


def _parts(column: Array) -> BendParts:
    """Of the bends of a column (N,); of a line alone where one value is too frequent for bends."""
    return BendParts.of(column, KNOTS) or BendParts(np.zeros(1), column[:, None], np.ones((len(column), 1)))


def _bumps(scores: Array) -> list[Array]:
    return [np.exp(-np.square((scores - centre) / WIDTH) / 2) for centre in CENTRES]


def _fitted(functions: Array, targets: Array, learned: Mask, ridges: tuple[float, ...] = RIDGES) -> Array:
    """(N, F), (N, K) -> (N, K), ridge regressions on the learned rows; cross-validation in closed form picks the ridge.

    All targets share one ridge.
    """
    rows, mean = int(learned.sum()), targets[learned].mean(axis=0)
    if not functions.shape[1]:
        return np.tile(mean, (len(targets), 1))
    centred = functions - functions[learned].mean(axis=0)
    inputs, outputs = centred[learned], targets[learned] - mean
    variances, directions = np.linalg.eigh(inputs.T @ inputs / rows)
    variances = np.maximum(variances, 1e-12)
    along, total = directions.T @ (inputs.T @ outputs) / rows, np.square(outputs).mean(axis=0)

    def loss(ridge: float) -> float:
        kept = variances / (variances + ridge)
        explained = ((2 * kept - np.square(kept)) / variances) @ np.square(along)
        freedom = max(1 - kept.sum() / rows, 1e-3)
        return float(np.log(np.maximum(total - explained, 1e-9)).mean() - 2 * np.log(freedom))

    ridge = min(ridges, key=loss) + 1 / rows
    return np.asarray(mean + centred @ (directions @ (along / (variances + ridge)[:, None])))


def _spread_out(column: Array, rng: np.random.Generator) -> Array:
    """(N,), repeated values spread evenly over their surroundings: a rounded value stands for all near it."""
    distinct, place, counts = np.unique(column, return_inverse=True, return_counts=True)
    if len(distinct) == len(column):
        return column
    gaps = np.diff(distinct)
    below, above = np.append(gaps[0], gaps)[place] / 2, np.append(gaps, gaps[-1])[place] / 2
    anywhere = column - below + rng.random(len(column)) * (below + above)
    return np.where(counts[place] > 1, anywhere, column)
