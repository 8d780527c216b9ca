"""A second opinion on an average effect: do mechanisms and doubly robust estimates agree? Shapes: N rows.

Both rest on the same order, and on nothing else together. Where they agree within their errors, the more precise one is
told. Where they do not, the interval holds both.
"""

from dataclasses import replace

import numpy as np

from fipscm.arrays import Array
from fipscm.errors import DataError
from fipscm.mechanism.learned import LearnedSCM
from fipscm.questions.adjustment import Adjustment
from fipscm.questions.deviations import Deviations
from fipscm.questions.doubly_robust import partialled_out_effect, weighted_effect
from fipscm.questions.effect import Effect, Question, with_asked_edge
from fipscm.questions.methods import MODEL_METHOD, MethodEstimate, Overlap
from fipscm.scm.nodewise import NodewiseSCM
from fipscm.tables.training import TrainingTable

CURVE_VALUES, CURVE_UNITS = 9, 500  # of the treatment and of the units on which a curve is averaged
MANY_UNLIKELY = 0.05  # share of rows without overlap that can move an average
NO_ROWS = "A saved model holds no rows. Give them: effect(..., rows=df), or the table after the model in the command."


def with_second_opinion(
    found: Effect, scm: LearnedSCM, deviations: Deviations, table: TrainingTable, rng: np.random.Generator
) -> Effect:
    """The effect that a model on one order tells, compared with what rows say without mechanisms."""
    asked, own = found.question, MethodEstimate(MODEL_METHOD, found.estimate, found.low, found.high)
    rows = Adjustment.of(asked, found.level_told, scm, deviations.possible, table)
    found = replace(found, methods=(own,), adjusted_for=rows.names)
    model = with_asked_edge(asked, scm, deviations)
    try:
        if asked.compares_levels:
            other, overlap, spread = weighted_effect(rows, asked.treated, asked.control, found.level, rng)
            return _compared(replace(found, overlap=overlap), other, _reason(asked, model, overlap, spread, rng))
        curve = _curve(asked, model, found, rows.treatment, rng)
        other = partialled_out_effect(rows, asked.treated, asked.control, curve, found.level, rng)
        return _compared(found, other, "partialling out takes the effect to be alike in all rows")
    except DataError as error:
        return replace(found, no_second_opinion=str(error))


def _compared(found: Effect, other: MethodEstimate, reason: str) -> Effect:
    """The effect with both figures, of which the more precise one is told, or all that both hold."""
    (own,) = found.methods
    methods = (own, other)
    if own.disagrees(other):
        # Of two levels the doubly robust estimate is right if one of two predictions is, g-computation if all
        # mechanisms are; of numbers it needs one slope for all rows as well.
        estimate = other.estimate if found.question.compares_levels else own.estimate
        told = MethodEstimate("", estimate, min(own.low, other.low), max(own.high, other.high))
    else:
        reason, told = "", min(methods, key=lambda each: each.high - each.low)
    if len(found.by_level) > 1:  # of a category the other levels have one figure alone
        told = replace(told, estimate=own.estimate, low=min(told.low, own.low), high=max(told.high, own.high))
    by_level = tuple(
        each._replace(estimate=told.estimate, low=told.low, high=told.high) if each.level == found.level_told else each
        for each in found.by_level
    )
    return replace(
        found,
        estimate=told.estimate,
        low=told.low,
        high=told.high,
        by_level=by_level,
        methods=methods,
        reason=reason,
    )


def _reason(asked: Question, model: NodewiseSCM, overlap: Overlap, spread: float, rng: np.random.Generator) -> str:
    """Why the methods may disagree about two levels, in words; empty where nothing suggests itself."""
    if overlap.unlikely > MANY_UNLIKELY * overlap.rows:
        return f"{overlap}, so what would be there with the other level is extrapolated"
    differences = asked.differences(model, model.noise.sample(CURVE_UNITS, rng))
    if np.std(differences, axis=0).max() < 0.5 * spread:
        return "the effect differs between rows, which the model's mechanism does not know (a missed interaction)"
    return ""


def _curve(asked: Question, model: NodewiseSCM, found: Effect, values: Array, rng: np.random.Generator) -> Array:
    """(N + 2,) the model's average outcome for values (N,) of the treatment and the two compared, less that of one."""
    asked_about = np.append(values, [asked.treated, asked.control])
    grid = np.unique(np.append(np.quantile(values, np.linspace(0, 1, CURVE_VALUES)), asked_about[-2:]))
    noise, level = model.noise.sample(CURVE_UNITS, rng), asked.place_of(found.level_told)
    means = [
        replace(asked, treated=value).differences(model, noise).reshape(len(noise), -1)[:, level].mean()
        for value in grid
    ]
    return np.asarray(np.interp(asked_about, grid, means))
