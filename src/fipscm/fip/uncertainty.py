"""How sure the answers are: effects with intervals, plausible orders, tests of the assumptions."""

import warnings
from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fipscm.errors import DataError
from fipscm.fip.fitted import Assessment, Fitted
from fipscm.fip.learning import Learned, Learning
from fipscm.fip.rows import fill_in, in_numbers, judged_table, observations
from fipscm.questions.contrast import compared_values
from fipscm.questions.effect import Effect, Question, average_effect
from fipscm.questions.extrapolation import values_set, warn_of_extrapolation
from fipscm.questions.intervals import require_level
from fipscm.questions.known_levels import require_known_levels
from fipscm.questions.uncertainty import agreement
from fipscm.tables.kinds import Level
from fipscm.tables.training import TrainingTable

if TYPE_CHECKING:
    from fipscm.questions.findings import CheckResult
    from fipscm.questions.sensitivity import Sensitivity

PLAUSIBLE_ORDERS = 20  # a share of them has a standard error of at most 0.11


def question_of(
    fitted: Fitted, treatment: Hashable, on: Hashable, treated: Level | None, control: Level | None
) -> Question:
    """A question about columns and levels that there are; values that are not given are the usual ones."""
    scm = fitted.scm
    for name in (treatment, on):
        fitted.columns.require(name)
    above, below = compared_values(scm, fitted.columns, treatment, treated, control)
    question = Question(treatment, on, above, below, fitted.columns)
    require_known_levels(scm, values_set(scm, question.intervention(scm.names)))
    return question


def effect_of(
    fitted: Fitted, question: Question, level: float, orders: int, rows: Any, rng: np.random.Generator
) -> Effect:
    """The average effect, with its interval and everything else that is known about it."""
    scm, constraints = fitted.scm, fitted.settings.constraints
    treatment, on = question.treatment, question.outcome
    warn_of_extrapolation(scm, values_set(scm, question.intervention(scm.names)))
    require_level(level)
    table = fitted.table if rows is None else observations(fitted, rows)
    models = [(scm, fitted.deviations)]
    if orders:
        learned = Learning(fitted.settings, fitted.training_table, rng, known=fitted.known).on_other_orders(orders)
        models += [(each.scm, each.deviations) for each in learned]
    found = average_effect(question, models, level, rng)
    if found.possible and not orders and treatment != on:
        found = _checked(found, fitted, table, rng)
    found = replace(found, randomised=treatment in constraints.knowledge.randomised)
    if not found.possible and _is_ruled_out(fitted, treatment, on):
        return replace(found, ruled_out=True)
    if fitted.assessment is not None and not orders and not constraints.fix_the_order:
        places = scm.names.index(treatment), scm.names.index(on)
        precedes = None if treatment == on else float(fitted.assessment.order_confidence[places])
        found = replace(found, precedes=precedes, agreement=float(fitted.assessment.agreement[places]))
    if not found.possible and not orders and fitted.table is not None and table is not None:
        turned = Learning(fitted.settings, fitted.table, rng, known=fitted.known).with_first(treatment, on)
        first = average_effect(question, [(turned.scm, turned.deviations)], level, rng)
        found = replace(found, if_first=_checked(first, turned, table, rng) if first.possible else None)
    if doubt := found.disagreement:
        warnings.warn(f"Plausible causal orders disagree about {doubt}.", UserWarning, stacklevel=3)
    return found


def sensitivity_of(
    fitted: Fitted, question: Question, strength: float | None, level: float, rows: Any
) -> "Sensitivity":
    """How strong a hidden common cause must be to explain the effect away."""
    from fipscm.questions.adjustment import Adjustment
    from fipscm.questions.sensitivity import Sensitivity, require_strength

    scm, treatment, on = fitted.scm, question.treatment, question.outcome
    require_strength(strength)
    require_level(level)
    if treatment == on:
        raise DataError(f"'{on}' is asked about as its own cause: name two columns.")
    if fitted.causal_order.index(treatment) > fitted.causal_order.index(on):
        raise DataError(f"The order puts '{on}' before '{treatment}', so there is no effect to explain away.")
    table = fitted.training_table if rows is None else observations(fitted, rows)
    found = (
        Sensitivity.of(
            question, each, Adjustment.of(question, each, scm, fitted.deviations.possible, table), level, strength
        )
        for each in question.levels_of(scm) or (None,)
    )
    return max(found, key=lambda each: abs(each.estimate))


def assessed(fitted: Fitted, table: TrainingTable, rng: np.random.Generator) -> Fitted:
    """The model, with how far its answers depend on the order."""
    from fipscm.order.confidence import confidence
    from fipscm.order.evidence.observations import Observations

    learning = Learning(fitted.settings, table, rng)
    orders = learning.draw_orders(PLAUSIBLE_ORDERS)
    possible = fitted.settings.constraints.knowledge.allowed(fitted.names)
    numbers = Observations.of(table.values, table.kinds).numbers
    shares = agreement(numbers, fitted.scm.order, orders, possible, table.intervened)
    sure = confidence(orders, learning.given_precedence, bool(table.intervened.any()))
    return replace(fitted, assessment=Assessment(sure, shares))


def checked(fitted: Fitted, X: Any, rng: np.random.Generator) -> "CheckResult":
    """Tests of the model's assumptions on a table."""
    from fipscm.order.classical.hidden_causes import hidden_causes, suspects
    from fipscm.order.evidence.observations import Observations
    from fipscm.questions.check import check_model
    from fipscm.questions.findings import CheckResult
    from fipscm.questions.model_findings import direction_findings, hidden_cause_findings
    from fipscm.questions.table_findings import missing_findings

    frame, scm, settings = judged_table(fitted, X), fitted.scm, fitted.settings
    inferred_on = None if settings.constraints.fix_the_order else ("raw" if settings.raw else "standardized")
    hidden = hidden_causes(Observations.of(frame.to_numpy(), fitted.kinds), scm.adjacency, settings.raw)
    directions = () if fitted.assessment is None or inferred_on is None else direction_findings(fitted.graph)
    asides = *missing_findings(frame), *hidden_cause_findings(fitted.names, hidden), *directions
    pairs = None if hidden is None else tuple(suspects(fitted.names, hidden))
    if frame.isna().any(axis=None):
        frame = in_numbers(fitted, fill_in(fitted, X, 1, rng)[0])[list(fitted.names)]
    found = check_model(scm, frame, rng, inferred_on, fitted.columns.dependence).findings
    return CheckResult((*found, *asides), pairs)


def _is_ruled_out(fitted: Fitted, cause: Hashable, effect: Hashable) -> bool:
    """Whether what was given, not the inferred order, leaves no path: with the cause first, edges are forbidden."""
    is_first = fitted.causal_order.index(cause) < fitted.causal_order.index(effect)
    return is_first or fitted.settings.constraints.rule_out(cause, effect, fitted.names)


def _checked(found: Effect, model: Fitted | Learned, table: TrainingTable | None, rng: np.random.Generator) -> Effect:
    """The effect with a second opinion, for which rows are needed."""
    from fipscm.questions.second_opinion import NO_ROWS, with_second_opinion  # needs models that nothing else needs

    if table is None:
        return replace(found, no_second_opinion=NO_ROWS)
    return with_second_opinion(found, model.scm, model.deviations, table, rng)
