"""What regressions along a graph say about hidden common causes. Shapes: N rows, D variables, F features.

A cause acts by its value, a hidden common cause by what it adds to the noises of two columns. So where the earlier of
the two has causes of its own, its noise explains the later one better than its value does. Where it has none, value and
noise are the same, and nothing is said.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch

from fipscm.arrays import Adjacency, Array
from fipscm.factorisation import inverse
from fipscm.graph import topological_order
from fipscm.order.evidence.interactions import INTERACTIONS
from fipscm.order.evidence.leave_one_out import SmoothColumns

# Of a pair of columns, the first of which comes earlier; evidence and correlations on the scale of logarithms.
SIGNS = (
    "edge",  # the graph has one between the two
    "related",  # it has, or their noises are correlated
    "has causes",  # they are related, and the earlier one has causes
    "noise",  # evidence of the earlier one's noise as a cause, above that of its value
    "correlation",  # of the noises
)
CauseSet = frozenset[int]


@dataclass(frozen=True)
class RegressionConfig:
    """What the regressions look at."""

    rows: int = 2_000  # at most: more would tell more, but slowly
    correlated: float = 3.0  # standard errors from which two noises count as correlated
    waves: int = 80  # for causes that act together
    frequency: float = 1.8  # of waves, divided by the root of how many variables they depend on
    ridges: tuple[float, float, float] = (1e-6, 1e-3, 3e-3)  # of lines, bumps and waves


REGRESSION = RegressionConfig()
_rng = np.random.default_rng(0)
# The same for every table, and more than any column needs: few have as many causes.
_DIRECTIONS, _PHASES = _rng.standard_normal((50, REGRESSION.waves)), _rng.uniform(0, 2 * np.pi, REGRESSION.waves)


def signs_of_hidden_causes(values: Array, adjacency: Adjacency) -> Array:
    """(N, D) rows and the graph of their columns -> (D, D, SIGNS), symmetric."""
    rows = np.unique(np.linspace(0, len(values) - 1, REGRESSION.rows).round().astype(int))
    regressions = Regressions(values[rows], adjacency)
    order, signs = topological_order(adjacency).tolist(), np.zeros((*adjacency.shape, len(SIGNS)))
    for place, effect in enumerate(order):
        for cause in order[:place]:
            signs[cause, effect] = regressions.signs(cause, effect)
    return signs + signs.transpose(1, 0, 2)


class Regressions:
    """Ridge regressions of columns on smooth functions of some others, compared by their evidence."""

    def __init__(self, values: Array, adjacency: Adjacency):
        columns = SmoothColumns.of(values)
        self._values = columns.values.clamp(-INTERACTIONS.clip, INTERACTIONS.clip).numpy()
        self._bumps = columns.bumps(slice(None)).double().numpy()
        nodes = range(len(adjacency))
        self._causes = [frozenset(np.flatnonzero(adjacency[:, node]).tolist()) for node in nodes]
        residuals = np.column_stack([self._fit(node, self._causes[node])[0] for node in nodes])
        self._noises = residuals / np.maximum(residuals.std(axis=0), 1e-9)
        self._correlations = self._noises.T @ self._noises / len(values)
        self._known: dict[
            tuple[int, CauseSet], float
        ] = {}  # evidence: most pairs of one effect ask for the same causes

    def signs(self, cause: int, effect: int) -> Array:
        """(SIGNS,) of an earlier and a later column."""
        causes, above = self._causes[effect], self._causes[cause]
        correlation = math.sqrt(len(self._values)) * abs(self._correlations[cause, effect])
        is_edge = cause in causes
        if not (is_edge or correlation > REGRESSION.correlated):
            return np.array([0.0, 0.0, 0.0, 0.0, np.log1p(correlation)])
        by_noise = self._above_value(effect, causes, cause) if above else 0.0
        return np.array([is_edge, 1.0, bool(above), by_noise, np.log1p(correlation)])

    def _above_value(self, effect: int, causes: CauseSet, cause: int) -> float:
        """Evidence of the noise of a cause above that of its value: as a curve, as a line, or not at all."""
        others, line = causes - {cause}, self._values[:, cause]
        by_value = max(
            self._evidence_of(effect, causes | {cause}),
            self._evidence(effect, others, line),
            self._evidence_of(effect, causes),
        )
        difference = self._evidence_of_noise(effect, others, cause) - by_value
        return math.copysign(math.log1p(abs(difference)), difference)

    def _evidence_of_noise(self, effect: int, causes: CauseSet, cause: int) -> float:
        """Of the causes given and the noise of another; those that only stood for the causes of that one may go."""
        noise, spare = self._noises[:, cause], causes & self._causes[cause]
        best = self._evidence(effect, causes, noise)
        while spare:
            without, least = max((self._evidence(effect, causes - {one}, noise), one) for one in spare)
            if without <= best:
                break
            best, causes, spare = without, causes - {least}, spare - {least}
        return best

    def _evidence_of(self, effect: int, causes: CauseSet) -> float:
        """That of the causes alone, computed once."""
        if (effect, causes) not in self._known:
            self._known[effect, causes] = self._evidence(effect, causes)
        return self._known[effect, causes]

    def _evidence(self, target: int, causes: CauseSet, line: Array | None = None) -> float:
        """The log likelihood of a column, less half the log of the rows for each degree of freedom (Schwarz, 1978)."""
        residuals, freedom = self._fit(target, causes, line)
        rows, variance = len(residuals), float(np.mean(residuals**2))
        return -rows / 2 * math.log(max(variance, 1e-12)) - freedom / 2 * math.log(rows)

    def _fit(self, target: int, causes: CauseSet, line: Array | None = None) -> tuple[Array, float]:
        """(N,) what smooth functions of the causes, and a line, leave of a column; and their degrees of freedom."""
        features, ridge = self._features(causes, line)
        column, rows = self._values[:, target], len(self._values)
        products = features.T @ features / rows
        covariance = inverse(products + np.diag(ridge))
        return column - features @ (covariance @ (features.T @ column / rows)), float((covariance * products).sum())

    def _features(self, causes: CauseSet, line: Array | None) -> tuple[Array, Array]:
        """(N, F) features and their ridges (F,): of each cause a line and bumps, of several causes waves."""
        chosen = sorted(causes)
        lines = self._values[:, chosen] if line is None else np.column_stack([self._values[:, chosen], line])
        bumps = self._bumps[:, chosen].reshape(len(lines), -1)
        parts = [lines - lines.mean(axis=0), bumps]
        if len(chosen) > 1:
            directions = (
                np.resize(_DIRECTIONS, (len(chosen), REGRESSION.waves)) * REGRESSION.frequency / math.sqrt(len(chosen))
            )
            # PyTorch's cosine is several times faster than NumPy's, and takes most of the time.
            waves = torch.from_numpy(self._values[:, chosen] @ directions + _PHASES).cos_().numpy()
            parts.append(waves - waves.mean(axis=0))
        return np.hstack(parts), np.repeat(REGRESSION.ridges[: len(parts)], [part.shape[1] for part in parts])
