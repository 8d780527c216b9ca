"""How far the true mechanisms may lie from the learned ones.

Shapes: B draws, N rows, D variables, P possible causes of one node, M waves, F functions.
Each node is regressed once more: on all columns that the order allows to cause it, so that an edge that was not found
may still be there, and on waves, so that a mechanism may bend where the rows do not tell. What the learned mechanism
lacks is drawn from the posterior of this regression:

    deviation = (Phi' Phi + penalty)^-1 (Phi' residual + Phi' (error * normal) + sqrt(penalty) * spread * normal)

with Phi (N, F) the functions at the rows, and the residual that of the learned mechanism. The second term is the
sampling error, for noise of any law (a sandwich with the errors of HC3); the third is the error of smoothing.
Of levels and counts, all three are those of the location, and of rows weighted by how much they say about it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import linalg

from fipscm.arrays import Array, Labels, Mask
from fipscm.factorisation import lower_factor
from fipscm.graph import allowed_from_order
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.regression.links import STEEPEST
from fipscm.mechanism.response.bent import Bent
from fipscm.mechanism.response.logarithm import Logarithm
from fipscm.questions.working import Working, working
from fipscm.robust import wild_cells
from fipscm.threads import on_one_thread

DRAWS = 40  # a standard deviation over them has an error of 11 %, which the quantile of an interval allows for
WAVES = 200
MOST_ROWS = 10_000  # that the regressions use: with more rows, intervals get no narrower
# Variance of the noise over that of the smooth part: from hardly any noise to hardly anything else.
NOISE_RATIOS = (10.0 ** np.arange(-6, 4.5, 0.5)).astype(np.float64)
HIGHEST_LEVERAGE = 0.9  # of one row; an error divided by less than what is left would be arbitrary


@dataclass(frozen=True)
class Deviations:
    """What plausible mechanisms add to the learned ones, in standardized columns; the first draw is the posterior mean.

    What they add to a column with a scale of its own for additive noise is in units of its location.

    Attributes:
        straight: (B + 1, D, 1 + D) coefficients of 1 and of the columns, zero outside the possible causes.
        amplitudes: (B + 1, D, M) of the waves.
        possible: (D, D) mask, which column may cause which; row = effect.
        relevance: (D, D) inverse length scales of smooth mechanisms, zero for the other ones.
        frequencies: (D, M), normally distributed.
        phases: (M,).
    """

    straight: Array
    amplitudes: Array
    possible: Mask
    relevance: Array
    frequencies: Array
    phases: Array

    def __len__(self) -> int:
        """How many models the draws make, B + 1."""
        return len(self.straight)

    def only(self, nodes: Sequence[int]) -> Self:
        """The same deviations of some nodes, and none of the others."""
        here = np.isin(np.arange(len(self.possible)), nodes)[:, None]
        return replace(self, straight=self.straight * here, amplitudes=self.amplitudes * here)

    def of_node(self, draw: int, node: int, z: Array, box: Box) -> tuple[Array, Array]:
        """What one draw adds to a node (N,) at the nearest points of the box, and (N,) to its rise beyond.

        Of z (N, P) of its possible causes and their box.
        """
        coefficients = self.straight[draw, node]
        nearest, beyond = box.split(z)
        added, rise = (part @ coefficients[1:][self.possible[node]] for part in (nearest, beyond))
        added += coefficients[0]
        amplitudes = self.amplitudes[draw, node, self.waves_of(node)]
        if amplitudes.any():
            added += self.waves(nearest, node) @ amplitudes
            outside = np.flatnonzero(beyond.any(axis=1))
            rise[outside] += self._steps(nearest[outside], node, beyond[outside]) @ amplitudes
        return added, rise

    def waves_of(self, node: int) -> slice:
        """Which waves a node has: the second half read one or two causes each, the first are of smooth mechanisms."""
        first = 0 if self.relevance[node].any() else len(self.phases) // 2
        return slice(first, len(self.phases) if self.possible[node].any() else first)

    def waves(self, z: Array, node: int) -> Array:
        """(N, P) of its possible causes -> (N, M), those of a node, which together have unit mean square."""
        directions, phases = self._directions(node), self.phases[self.waves_of(node)]
        angles = (z @ directions + phases).astype(np.float32)  # several times faster, and good enough for a spread
        return np.asarray(np.cos(angles) * np.sqrt(2 / max(len(phases), 1)))

    def _steps(self, z: Array, node: int, along: Array) -> Array:
        """(N, P) -> (N, M), what the tangents of the waves add along (N, P)."""
        directions, phases = self._directions(node), self.phases[self.waves_of(node)]
        angles = (z @ directions + phases).astype(np.float32)
        return np.asarray(-np.sin(angles) * (along @ directions) * np.sqrt(2 / max(len(phases), 1)))

    def _directions(self, node: int) -> Array:
        """(P, M), where the waves of a node run: those of a smooth mechanism have its own length scales."""
        causes, wave = self.possible[node], np.arange(len(self.phases))[self.waves_of(node)]
        count, frequencies = int(causes.sum()), self.frequencies[causes, self.waves_of(node)]
        if not count:
            return frequencies
        first, second, place = wave % count, wave // count % count, np.arange(count)[:, None]
        pairs = np.where((place == first) | (place == second), frequencies, 0.0)
        is_scaled = wave < len(self.phases) // 2
        return np.where(is_scaled, frequencies * self.relevance[node, causes, None], pairs)

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Everything, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_corrections(cls, corrections: Array, scm: LearnedSCM) -> Self:
        """What a file of an earlier version has: (B, D, 2 + D) coefficients of 1, of the mean, and of the columns.

        A change of the mean's amplitude is told by the mean's average slopes.
        """
        slopes = scm.edge_weights.T * scm.scale / scm.scale[:, None]
        weights = corrections[:, :, 2:] + corrections[:, :, 1:2] * slopes
        straight = np.concatenate([corrections[:, :, :1], weights], axis=2)
        return cls(
            np.concatenate([np.zeros_like(straight[:1]), straight]),
            np.zeros((len(straight) + 1, len(slopes), 0)),
            allowed_from_order(scm.order),
            np.zeros_like(slopes),
            np.zeros((len(slopes), 0)),
            np.zeros(0),
        )


@on_one_thread()
def draw_deviations(
    scm: LearnedSCM,
    rows: Array,
    possible: Mask,
    rng: np.random.Generator,
    intervened: Mask | None = None,
    redrawn: Sequence[Array] = (),
    clusters: Labels | None = None,
) -> Deviations:
    """Draw what the rows (N, D) leave open, for each node on those in which it was not `intervened` (N, D) on.

    Rows with the same label in `clusters` (N,) belong together, as the years of one country do: their errors are drawn
    together, so that as much is left open as so many clusters leave, and not so many rows.

    If cells of the rows were missing, `redrawn` has the same rows with other values in their place: the draws are
    spread over all these tables, so that what the missing cells leave open is in them, too.
    """
    variables = len(scm.names)
    usable: Mask = np.ones(rows.shape, dtype=np.bool_) if intervened is None else np.logical_not(intervened)
    if len(rows) > MOST_ROWS:
        kept = rng.choice(len(rows), MOST_ROWS, replace=False)
        rows, usable, redrawn = rows[kept], usable[kept], [table[kept] for table in redrawn]
        clusters = None if clusters is None else clusters[kept]
    tables = [_Told.of(scm, table) for table in (rows, *redrawn)]
    if wild_cells(rows).any():  # the mechanisms were learned without rows that they cannot explain
        usable &= ~wild_cells(tables[0].residual)
    found = Deviations(
        np.zeros((DRAWS + 1, variables, 1 + variables), dtype=np.float32),
        np.zeros((DRAWS + 1, variables, WAVES), dtype=np.float32),
        possible,
        np.where(np.any(scm.skip.amplitudes, axis=1, keepdims=True), scm.skip.relevance, 0.0),
        rng.standard_normal((variables, WAVES)),
        rng.uniform(0, 2 * np.pi, WAVES),
    )
    for node in range(variables):
        causes, here, by_table = np.flatnonzero(possible[node]), usable[:, node], []
        for table, (z, values, residual) in zip((rows, *redrawn), tables, strict=True):
            own = z[np.ix_(here, causes)]
            straight, waves = np.column_stack([np.ones(len(own)), own]), found.waves(own, node)
            if scm.responses[node].discrete:
                regression = _Regression.weighted(straight, waves, working(scm, node, table[here]))
            else:
                regression = _Regression(straight, waves, values[here, node], residual[here, node])
            by_table.append(regression.draw(DRAWS // len(tables), rng, None if clusters is None else clusters[here]))
        draws = _pooled(by_table)
        found.straight[:, node, [0, *causes + 1]] = draws[:, : len(causes) + 1]
        found.amplitudes[:, node, found.waves_of(node)] = draws[:, len(causes) + 1 :]
    return found


class _Told(NamedTuple):
    """Standardized columns (N, D), what the causes of each are to explain (N, D), and what they leave over (N, D).

    That is the column itself, or what it is on the scale on which its noise is additive.
    """

    z: Array
    values: Array
    residual: Array

    @classmethod
    def of(cls, scm: LearnedSCM, rows: Array) -> "_Told":
        z, means = ((each - scm.centre) / scm.scale for each in (rows, scm.predict(rows)))
        values, residual = z.copy(), z - means
        for node, response in enumerate(scm.responses):
            if isinstance(response, Logarithm | Bent):
                location, causes = scm.situation(node, rows)
                residual[:, node] = response.noise(location, causes, rows[:, node]) / response.scale
                values[:, node] = location + residual[:, node]
        return cls(z, values, residual)


def _pooled(by_table: Sequence[Array]) -> Array:
    """(B + 1, F) coefficients, first the average of the tables' means, then all draws of all tables."""
    return np.concatenate([np.mean([draws[:1] for draws in by_table], axis=0), *(draws[1:] for draws in by_table)])


class _Regression:
    """One node on functions of its possible causes, under each of the noise ratios."""

    def __init__(
        self, straight: Array, waves: Array, values: Array, residual: Array, noise_ratios: Array = NOISE_RATIOS
    ) -> None:
        """Straight functions (N, P), waves (N, M), values (N,) and residuals (N,) of the learned mechanism."""
        self.functions = np.hstack([straight, waves])
        self.residual = residual
        gram, moment = self.functions.T @ self.functions, self.functions.T @ values
        # Coefficients between standardized columns are about one: only what the rows cannot tell is held back by this.
        # Collinear causes of a node without noise still need more than a rounding error.
        ridge = np.full(straight.shape[1], max(float(np.mean(residual**2)), 1e-10 * len(residual)))
        ratios = noise_ratios if waves.shape[1] else noise_ratios[-1:]
        self.penalties = [np.concatenate([ridge, np.full(waves.shape[1], ratio)]) for ratio in ratios]
        self.factors = [lower_factor(gram + np.diag(penalty)) for penalty in self.penalties]
        evidence = np.array(
            [
                _log_evidence(factor, penalty, moment, values)
                for factor, penalty in zip(self.factors, self.penalties, strict=True)
            ]
        )
        odds = np.exp(np.maximum(evidence - evidence.max(), -700))  # without underflow
        self.odds = odds / odds.sum()

    @classmethod
    def weighted(cls, straight: Array, waves: Array, told: Working) -> Self:
        """Of what rows say about a location: on its own scale, where the noise is one, curves are only so steep."""
        weight = told.precision[:, None]
        values, residual = told.values * told.precision, told.residual * told.precision
        return cls(straight * weight, waves * weight, values, residual, NOISE_RATIOS[NOISE_RATIOS >= 1 / STEEPEST])

    def draw(self, draws: int, rng: np.random.Generator, clusters: Labels | None = None) -> Array:
        """(B + 1, F) coefficients, first their posterior mean; rows of one cluster (N,) err together."""
        missing = self.functions.T @ self.residual
        means = np.array([linalg.cho_solve((factor, True), missing) for factor in self.factors])
        mean = self.odds @ means
        errors = self._errors(mean)
        place = np.arange(len(errors)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
        sampled = self.functions.T @ (errors[:, None] * rng.standard_normal((place.max() + 1, draws))[place])
        bent = np.sqrt(np.mean(errors**2)) * rng.standard_normal(sampled.shape)
        chosen = rng.choice(len(self.odds), draws, p=self.odds)
        coefficients = np.empty((draws + 1, len(mean)))
        coefficients[0] = mean
        for ratio in np.unique(chosen):
            here = np.flatnonzero(chosen == ratio)
            moved = sampled[:, here] + np.sqrt(self.penalties[ratio])[:, None] * bent[:, here]
            coefficients[here + 1] = means[ratio] + linalg.cho_solve((self.factors[ratio], True), moved).T
        return coefficients

    def _errors(self, mean: Array) -> Array:
        """(N,), each row's error as if the row had been left out."""
        left_over = self.residual - self.functions @ mean
        root = linalg.solve_triangular(self.factors[self.odds.argmax()], self.functions.T, lower=True)
        leverage = np.square(root).sum(axis=0)
        return np.asarray(left_over / (1 - np.minimum(leverage, HIGHEST_LEVERAGE)))


def _log_evidence(factor: Array, penalty: Array, moment: Array, values: Array) -> float:
    """The logarithm of the likelihood of the values (N,), the functions' coefficients and the noise integrated out."""
    explained = moment @ linalg.cho_solve((factor, True), moment)
    unexplained = max(float(values @ values - explained), 1e-12 * len(values))
    volume = 2 * np.log(np.diag(factor)).sum() - np.log(penalty).sum()
    return float(-0.5 * (volume + len(values) * np.log(unexplained)))
