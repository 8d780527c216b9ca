"""How far the true mechanisms may lie from the learned ones.

Shapes: B draws, N rows, D variables, F inputs of one column, C curves, S functions, K outputs of a predictor.
Each column is regressed once more: on all columns that the order allows to cause it, so that an edge that was not found
may still be there, and on curves, so that a mechanism may bend where the rows do not tell. What the learned mechanism
lacks is drawn from the posterior of this regression:

    deviation = (Phi' Phi + penalty)^-1 (Phi' residual + Phi' (error * normal) + sqrt(penalty) * spread * normal)

with Phi (N, S) the functions at the rows, and the residual that of the learned mechanism. The second term is the
sampling error, for noise of any law (a sandwich with the errors of HC3); the third is the error of smoothing.
Where a predictor has several outputs, each has its regression. Of levels and counts, residuals are those of the
location, and of rows weighted by how much they say about it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg

from fipscm.arrays import Array, Labels, Mask, Order
from fipscm.factorisation import lower_factor
from fipscm.mechanism.inputs import Inputs
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.mechanism import Mechanism
from fipscm.mechanism.parts import Arrays, Part, within
from fipscm.mechanism.weights import cell_weights
from fipscm.questions.known_levels import category_sizes
from fipscm.threads import on_one_thread

_DRAWS = 40  # a standard deviation over them has an error of 11 %, which the quantile of an interval allows for
CURVES = 100  # functions of the learned mechanism, and as many waves of one or two inputs
LEAST_HEIGHT = 0.1  # of a curve that few rows see: what it is elsewhere must not be anything
_MOST_ROWS = 10_000  # that the regressions use: with more rows, intervals get no narrower
_CHUNK = 4_096  # rows at a time: the curves of a million rows do not fit into memory
# Variance of the noise over that of the smooth part: from hardly any noise to hardly anything else.
NOISE_RATIOS = (10.0 ** np.arange(-6, 4.5, 0.5)).astype(np.float64)
_STEEPEST = 25.0  # variance of curves of a location whose noise is known, at most
_HIGHEST_LEVERAGE = 0.9  # of one row; an error divided by less than what is left would be arbitrary

Functions = Callable[[Array], Array]  # (N, F) -> (N, S)


@dataclass(frozen=True)
class Deviation(Part):
    """What plausible mechanisms add to the learned one of a column.

    It is in units of its location that move the column by a standard deviation.

    Attributes:
        inputs: all possible causes.
        own: those of the inputs that the learned mechanism has.
        learned: which functions of the learned mechanism it may change.
        frequencies: (F, M) of the waves, each of which reads one or two inputs.
        phases: (M,).
        sizes: (C,) by which curves are multiplied: of the learned functions, then of the waves.
        coefficients: (B + 1, 1 + F + C, K) of 1, of the inputs, and of the curves; the first draw is the mean of all.
    """

    inputs: Inputs
    own: Order
    learned: Order
    frequencies: Array
    phases: Array
    sizes: Array
    coefficients: Array
    kind = "deviation"
    parts: ClassVar[Mapping[str, Mapping[str, type[Part]]]] = {"inputs": {Inputs.kind: Inputs}}

    @classmethod
    def without_draws(cls, mechanism: Mechanism, inputs: Inputs, z: Array, rng: np.random.Generator) -> Self:
        """Of a mechanism with such possible causes, as they are in rows (N, F)."""
        owners, nothing = inputs.causes[inputs.owners], np.zeros(0, dtype=np.intp)
        own = np.concatenate([nothing, *(np.flatnonzero(owners == cause) for cause in mechanism.causes)])
        functions = mechanism.predictor.basis.functions(z[:, own])
        straight = 1 + len(mechanism.predictor.basis.reads)
        curved = functions.shape[1] - straight
        learned = straight + np.linspace(0, curved - 1, min(curved, CURVES)).astype(np.intp)
        frequencies, phases = _waves(z.shape[1], rng)
        curves = np.hstack([functions[:, learned], np.cos(z @ frequencies + phases)])
        height = np.maximum(np.sqrt(np.square(curves).mean(axis=0)), LEAST_HEIGHT)
        sizes = 1 / height / max(curves.shape[1], 1) ** 0.5
        return cls(inputs, own, learned, frequencies, phases, sizes, np.zeros((0, 0, 0)))

    def functions(self, z: Array, learned: Functions) -> Array:
        """(N, F) -> (N, S), 1, the inputs and the curves, which together have unit mean square."""
        angles = (z @ self.frequencies + self.phases).astype(np.float32)  # several times faster, and good enough
        curves = np.hstack([learned(z[:, self.own])[:, self.learned], np.cos(angles)])
        return np.hstack([np.ones((len(z), 1)), z, curves * self.sizes])

    def __call__(self, draw: int, z: Array, learned: Functions) -> tuple[Array, Array]:
        """(N, F) -> (N, K), (N, K), what one draw adds at the nearest points of the range, and to the rise beyond."""
        added = partial(self._added, draw, learned)
        return added(self.inputs.range.nearest(z)), self.inputs.range.rise(z, added, np.ones_like, False)

    def _added(self, draw: int, learned: Functions, z: Array) -> Array:
        parts = [self.functions(z[start : start + _CHUNK], learned) for start in range(0, max(len(z), 1), _CHUNK)]
        return np.concatenate([part @ self.coefficients[draw] for part in parts])


@dataclass(frozen=True)
class Deviations:
    """What plausible mechanisms add to the learned ones.

    Attributes:
        columns: of the D columns.
        possible: (D, D) mask, which column may cause which; row = effect.
    """

    columns: tuple[Deviation, ...]
    possible: Mask

    def __len__(self) -> int:
        """How many models the draws make, B + 1."""
        return len(self.columns[0].coefficients)

    def arrays(self) -> Arrays:
        """Everything, by name."""
        named: Arrays = {"possible": self.possible}
        for node, deviation in enumerate(self.columns):
            named |= {f"{node}.{name}": array for name, array in deviation.arrays().items()}
        return named

    @classmethod
    def restore(cls, arrays: Mapping[str, np.ndarray[Any, Any]]) -> Self:
        """From `arrays()`."""
        possible = arrays["possible"]
        return cls(tuple(Deviation.restore(within(arrays, str(node))) for node in range(len(possible))), possible)


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
    """Draw what the rows (N, D) leave open, for each column on those in which it was not `intervened` (N, D) on.

    Rows with the same label in `clusters` (N,) belong together, as the years of one country do: their errors are drawn
    together, so that as much is left open as so many clusters leave, and not so many rows.

    If cells of the rows were missing, `redrawn` has the same rows with other values in their place: the draws are
    spread over all these tables, so that what the missing cells leave open is in them, too.
    """
    usable: Mask = np.ones(rows.shape, dtype=np.bool_) if intervened is None else np.logical_not(intervened)
    if len(rows) > _MOST_ROWS:
        kept = rng.choice(len(rows), _MOST_ROWS, replace=False)
        rows, usable, redrawn = rows[kept], usable[kept], [table[kept] for table in redrawn]
        clusters = None if clusters is None else clusters[kept]
    levels, found = category_sizes(scm), []
    for node, mechanism in enumerate(scm.mechanisms):
        causes, here = np.flatnonzero(possible[node] | scm.allowed[node]), usable[:, node]
        inputs = Inputs.of(causes, levels[causes].tolist(), rows[:, causes])
        deviation = Deviation.without_draws(mechanism, inputs, inputs(rows[here][:, causes]), rng)
        together = None if clusters is None else clusters[here]
        by_table = [
            _drawn(mechanism, deviation, table[here], node, _DRAWS // (1 + len(redrawn)), rng, together)
            for table in (rows, *redrawn)
        ]
        # First the average of the tables' means, then all draws of all tables.
        mean = np.mean([draws[:1] for draws in by_table], axis=0)
        pooled = np.concatenate([mean, *(draws[1:] for draws in by_table)]).astype(np.float32)
        found.append(replace(deviation, coefficients=pooled))
    return Deviations(tuple(found), possible)


def _waves(inputs: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Frequencies (F, M) and phases (M,) of waves that each read one or two inputs."""
    count = CURVES if inputs else 0
    wave, place = np.arange(count), np.arange(inputs)[:, None]
    first, second = wave % max(inputs, 1), wave // max(inputs, 1) % max(inputs, 1)
    frequencies = rng.standard_normal((inputs, count))
    return np.where((place == first) | (place == second), frequencies, 0.0), rng.uniform(0, 2 * np.pi, count)


def _drawn(
    mechanism: Mechanism,
    deviation: Deviation,
    rows: Array,
    node: int,
    draws: int,
    rng: np.random.Generator,
    clusters: Labels | None,
) -> Array:
    """(B + 1, S, K) coefficients, first their posterior means, of a column in rows (N, D) that tell about it."""
    response, values = mechanism.response, rows[:, node]
    location, inputs = mechanism.at(rows[:, mechanism.causes])
    z = deviation.inputs(rows[:, deviation.inputs.causes])
    functions = deviation.functions(z, mechanism.predictor.basis.functions)
    straight, found = 1 + len(deviation.inputs.centre), []
    for place, told in enumerate(response.working(location, inputs, values)):
        here = told.precision > 0
        if not told.noise_is_known:  # mechanisms were learned without outliers
            here[here] = cell_weights(told.residual[here][:, None], np.ones(1, dtype=bool))[:, 0] > 0
        precision, residual, level = told.precision[here], told.residual[here], location[here, place]
        middle = np.average(level, weights=precision**2)
        regression = _Regression(
            functions[here] * precision[:, None],
            straight,
            ((level - middle) / response.stretch[place] + residual) * precision,
            residual * precision,
            # On the scale of a location whose noise is known, curves are only so steep.
            NOISE_RATIOS[NOISE_RATIOS >= 1 / _STEEPEST] if told.noise_is_known else NOISE_RATIOS,
        )
        found.append(regression.draw(draws, rng, None if clusters is None else clusters[here]))
    return np.stack(found, axis=2)


class _Regression:
    """One output of a column on functions of its possible causes, under each of the noise ratios."""

    def __init__(self, functions: Array, straight: int, values: Array, residual: Array, noise_ratios: Array) -> None:
        """Functions (N, S), so many of them straight, values (N,) and residuals (N,) of the learned mechanism."""
        self.functions, self.residual = functions, residual
        gram, moment = functions.T @ functions, functions.T @ values
        curves = functions.shape[1] - straight
        # Coefficients between standardized columns are about one: only what the rows cannot tell is held back by this.
        # Collinear causes of a node without noise still need more than a rounding error.
        ridge = np.full(straight, max(float(np.mean(residual**2)), 1e-10 * len(residual)))
        ratios = noise_ratios if curves else noise_ratios[-1:]
        self.penalties = [np.concatenate([ridge, np.full(curves, ratio)]) for ratio in ratios]
        self.factors = [lower_factor(gram + np.diag(penalty)) for penalty in self.penalties]
        evidence = np.array(
            [
                _log_evidence(factor, penalty, moment, values)
                for factor, penalty in zip(self.factors, self.penalties, strict=True)
            ]
        )
        odds = np.exp(np.maximum(evidence - evidence.max(), -700))  # without underflow
        self.odds = odds / odds.sum()

    def draw(self, draws: int, rng: np.random.Generator, clusters: Labels | None = None) -> Array:
        """(B + 1, S) coefficients, first their posterior mean; rows of one cluster (N,) err together."""
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
        return np.asarray(left_over / (1 - np.minimum(leverage, _HIGHEST_LEVERAGE)))


def _log_evidence(factor: Array, penalty: Array, moment: Array, values: Array) -> float:
    """The logarithm of the likelihood of the values (N,), the functions' coefficients and the noise integrated out."""
    explained = moment @ linalg.cho_solve((factor, True), moment)
    unexplained = max(float(values @ values - explained), 1e-12 * len(values))
    volume = 2 * np.log(np.diag(factor)).sum() - np.log(penalty).sum()
    return float(-0.5 * (volume + len(values) * np.log(unexplained)))
