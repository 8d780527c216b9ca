"""Cross-fitted doubly robust estimates of an average effect. Shapes: N rows.

Two levels are compared by augmented inverse propensity weighting (Robins, Rotnitzky and Zhao 1994), numbers by
partialling out (Robinson 1988), both with predictions of rows that were not learned from (Chernozhukov and others 2018,
https://doi.org/10.1111/ectj.12097). They need either the outcome or the treatment predicted well, and no mechanism.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import stats

from fipscm.arrays import Array, Labels, Mask, Order
from fipscm.errors import DataError, counted
from fipscm.questions.adjustment import Adjustment
from fipscm.questions.cross_fitting import FOLDS, cross_fitted_means, cross_fitted_probabilities, folds_of
from fipscm.questions.methods import LEAST_PROPENSITY, MethodEstimate, Overlap

WEIGHTED, PARTIALLED_OUT = "doubly robust", "partialling out"
_FEWEST_ROWS = 2 * FOLDS  # of an arm, so that every fold has some
SPLITS, FEW_ROWS = 3, 3_000  # into folds: of fewer rows, a single split is a matter of luck
_LEAST_VARIANCE = 1e-3  # share of a treatment's variance that its predictions leave: less is their error


class Weighted(NamedTuple):
    """An effect of levels, how far their arms overlap, and the standard deviation of the effects that rows may have."""

    answer: MethodEstimate
    overlap: Overlap
    spread: float


@dataclass(frozen=True)
class _Trial:
    """What one split into folds gives."""

    estimate: float
    variance: float
    unlikely: int = 0
    spread: float = 0.0


def weighted_effect(
    rows: Adjustment, treated: float, control: float, level: float, rng: np.random.Generator
) -> Weighted:
    """The effect of one level instead of another, averaged over all rows."""
    has = [rows.treatment == value for value in (treated, control)]
    for arm in has:
        if arm.sum() < _FEWEST_ROWS:
            found = counted(int(arm.sum()), "row")
            raise DataError(f"One of the two levels is in {found} alone, which is too few: {_FEWEST_ROWS} are needed.")
    arms = np.select(has, [0, 1], 2)

    def trial(folds: Order) -> _Trial:
        means = [cross_fitted_means(rows.covariates, rows.outcome, folds, arm) for arm in has]
        first = cross_fitted_probabilities(rows.covariates, has[0], folds)
        # What is not the one of two levels is the other.
        second = 1 - first if (arms < 2).all() else cross_fitted_probabilities(rows.covariates, has[1], folds)
        unlikely = (first < LEAST_PROPENSITY) | (second < LEAST_PROPENSITY)
        if unlikely.all():
            raise DataError("There is no overlap at all: in no row could both of the levels have been expected.")
        potential = (
            mean + _weights(arm, propensity) * (rows.outcome - mean)
            for mean, arm, propensity in zip(means, has, (first, second), strict=True)
        )
        differences = np.subtract(*potential)
        effect = float(differences.mean())
        spread = float(np.std(means[0] - means[1]))
        return _Trial(effect, _variance(differences - effect, rows.clusters), int(unlikely.sum()), spread)

    trials = _trials(trial, arms, rows.clusters, rng)
    unlikely, spread = (float(np.median([getattr(each, name) for each in trials])) for name in ("unlikely", "spread"))
    return Weighted(_summary(WEIGHTED, trials, level), Overlap(len(arms), round(unlikely)), spread)


def partialled_out_effect(
    rows: Adjustment, treated: float, control: float, curve: Array, level: float, rng: np.random.Generator
) -> MethodEstimate:
    """The effect of one number instead of another, by the slope of the outcome beside a `curve` in the treatment.

    The curve (N + 2,) tells what is expected of the outcome, up to a constant, for each row's treatment, then for the
    two numbers; a flat one leaves everything to the slope. What it lacks, the slope adds.
    """
    rest, change = rows.outcome - curve[:-2], treated - control

    def trial(folds: Order) -> _Trial:
        outcome = rest - cross_fitted_means(rows.covariates, rest, folds)
        treatment = rows.treatment - cross_fitted_means(rows.covariates, rows.treatment, folds)
        unit = float(np.square(treatment).mean())
        if unit <= _LEAST_VARIANCE * rows.treatment.var():
            raise DataError("There is no overlap at all: the columns before the treatment determine it.")
        slope = float((treatment * outcome).mean()) / unit
        influence = treatment * (outcome - slope * treatment) / unit * change
        return _Trial(float(curve[-2] - curve[-1]) + slope * change, _variance(influence, rows.clusters))

    arms: Order = np.zeros(len(rest), dtype=np.intp)
    return _summary(PARTIALLED_OUT, _trials(trial, arms, rows.clusters, rng), level)


def _weights(has: Mask, propensity: Array) -> Array:
    """(N,) inverse propensities; that they count each row once on average makes them vary less (Hajek 1971)."""
    weights = has / np.maximum(propensity, LEAST_PROPENSITY)
    return np.asarray(weights / weights.mean())


def _trials(
    trial: Callable[[Order], _Trial], arms: Order, clusters: Labels | None, rng: np.random.Generator
) -> list[_Trial]:
    """One for each split into folds, each of which leaves rows of every arm to learn from."""
    found = []
    for _ in range(SPLITS if len(arms) <= FEW_ROWS else 1):
        folds = folds_of(arms, rng, clusters)
        if len(np.unique(folds)) < FOLDS or any(
            len(np.unique(arms[folds != fold])) < len(np.unique(arms)) for fold in range(FOLDS)
        ):
            raise DataError("The rows belong to too few units to leave some out.")
        found.append(trial(folds))
    return found


def _variance(influence: Array, clusters: Labels | None) -> float:
    """Of a mean whose rows have these influences (N,), together where they belong together."""
    totals = influence if clusters is None else np.bincount(np.unique(clusters, return_inverse=True)[1], influence)
    return float(np.square(totals).sum() / len(influence) ** 2)


def _summary(method: str, trials: list[_Trial], level: float) -> MethodEstimate:
    """The median of the splits; its variance knows how far they differ."""
    estimate = float(np.median([each.estimate for each in trials]))
    variance = float(np.median([each.variance + (each.estimate - estimate) ** 2 for each in trials]))
    reach = float(stats.norm.ppf((1 + level) / 2)) * variance**0.5
    return MethodEstimate(method, estimate, estimate - reach, estimate + reach)
