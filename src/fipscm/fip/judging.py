"""How sure the answers are: effects with intervals, plausible orders, checks of the assumptions, the report."""

import warnings
from collections.abc import Hashable
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fipscm.errors import DataError
from fipscm.fip.learning import Learning, kinds_of
from fipscm.fip.rows import Rows
from fipscm.fip.state import generator_of
from fipscm.mechanism.learned import LearnedSCM
from fipscm.questions.contrast import compared_values
from fipscm.questions.deviations import Deviations
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
    from fipscm.report import Report

PLAUSIBLE_ORDERS = 20  # a share of them has a standard error of at most 0.11


class Judging(Rows, Learning):
    """Questions whose answers need other orders or other rows beside the model."""

    def effect(
        self,
        treatment: Hashable,
        on: Hashable,
        treated: Level | None = None,
        control: Level | None = None,
        *,
        level: float = 0.95,
        orders: int = 0,
        rows: Any = None,
        random_state: Any = 0,
    ) -> Effect:
        """Average effect on one column of setting another to `treated` instead of `control`, with an interval.

        Values that are not given are the second and the first of two levels, or else the upper and the lower quartile
        of the column.

        The interval holds at its level if the causal order is right. It takes into account that an edge may have been
        missed, that the rows are finite, and that a curve may bend between them; with a graph given, only its edges
        may matter. The direct edge is fitted even if it was weighed away. Where the order puts the outcome before the
        treatment, the effect is zero and `possible` is false. If that order was inferred and the model
        holds its table, `if_first` is the effect by a second model, on the likeliest order with the treatment first.
        After `assess`, `precedes` tells the probability that the treatment comes first.

        `methods` has the model's own answer beside a doubly robust estimate from the rows, without any mechanism. If
        they agree, the more precise one is told; if not, the interval holds both. The rows are those of the training
        table; a loaded model needs `rows`, and rows from experiments do not belong in these.

        On a column with two levels, the effect is the difference of the probabilities of the second one. On a category
        it is that of the level whose probability changes most; `by_level` has those of all levels.

        With `orders`, so many plausible orders are drawn and fitted as well; the estimate is the average over all of
        them, the interval holds those of all, and a warning says so if they disagree about its sign.
        """
        scm, rng = self._fitted, generator_of(random_state)
        question = self._question(treatment, on, treated, control)
        warn_of_extrapolation(scm, values_set(scm, question.intervention(scm.names)))
        require_level(level)
        table = self._table if rows is None else self._observations(rows)
        models = [(scm, self._deviations), *self._models_on_other_orders(orders, rng)]
        found = average_effect(question, models, level, rng)
        if found.possible and not orders and treatment != on:
            found = _checked(found, *models[0], table, rng)
        found = replace(found, randomised=treatment in self._constraints.knowledge.randomised)
        if not found.possible and self._rule_out(treatment, on):
            return replace(found, ruled_out=True)
        if self._assessment is not None and not orders and not self._constraints.fix_the_order:
            places = self.blocks_.outer.index(treatment), self.blocks_.outer.index(on)
            precedes, agreeing = (float(frame.to_numpy()[places]) for frame in self._assessment)
            found = replace(found, precedes=None if treatment == on else precedes, agreement=agreeing)
        if not found.possible and not orders and self._table is not None and table is not None:
            turned = self._model_with_first(treatment, on, rng)
            first = average_effect(question, [turned], level, rng)
            found = replace(found, if_first=_checked(first, *turned, table, rng) if first.possible else None)
        if doubt := found.disagreement:
            warnings.warn(f"Plausible causal orders disagree about {doubt}.", UserWarning, stacklevel=2)
        return found

    def sensitivity(
        self,
        treatment: Hashable,
        on: Hashable,
        treated: Level | None = None,
        control: Level | None = None,
        *,
        strength: float | None = None,
        level: float = 0.95,
        rows: Any = None,
    ) -> "Sensitivity":
        """How strong a hidden common cause of treatment and outcome must be to explain the effect away.

        After Cinelli and Hazlett (2020), for the effect by least squares with the columns before the treatment held
        fixed. `robustness` is the share of the remaining variance of both that brings it to zero, `.table` has the
        strongest measured causes to compare with, `.plot()` draws the effect left over both shares. A `strength`
        between 0 and 1 asks between which bounds the effect lies beside a hidden cause that explains this share of
        both. A loaded model needs `rows`.
        """
        from fipscm.questions.adjustment import Adjustment
        from fipscm.questions.sensitivity import Sensitivity, require_strength

        scm, question = self._fitted, self._question(treatment, on, treated, control)
        require_strength(strength)
        require_level(level)
        if treatment == on:
            raise DataError(f"'{on}' is asked about as its own cause: name two columns.")
        if self.causal_order_.index(treatment) > self.causal_order_.index(on):
            raise DataError(f"The order puts '{on}' before '{treatment}', so there is no effect to explain away.")
        table = self._training_table if rows is None else self._observations(rows)
        outcome = scm.responses[question.nodes_of(on, scm.names)[0]]
        found = (
            Sensitivity.of(
                question,
                each,
                Adjustment.of(question, each, scm, self._deviations.possible, table),
                level,
                strength,
            )
            for each in question.levels_of(outcome) or (None,)
        )
        return max(found, key=lambda each: abs(each.estimate))

    def _question(self, treatment: Hashable, on: Hashable, treated: Level | None, control: Level | None) -> Question:
        """A question about columns and levels that there are; values that are not given are the usual ones."""
        scm = self._fitted
        for name in (treatment, on):
            self.columns_.require(name)
        above, below = compared_values(scm, self.columns_, treatment, treated, control)
        question = Question(treatment, on, above, below, self.columns_)
        require_known_levels(scm, values_set(scm, question.intervention(scm.names)))
        return question

    def _rule_out(self, cause: Hashable, effect: Hashable) -> bool:
        """Whether what was given, not the inferred order, leaves no path: with the cause first, edges are forbidden."""
        is_first = self.causal_order_.index(cause) < self.causal_order_.index(effect)
        return is_first or self._constraints.rule_out(cause, effect, self.blocks_.outer)

    def assess(self, X: Any = None) -> Self:
        """Find out how far the answers depend on the inferred order, by drawing 20 orders that the rows make plausible.

        Afterwards `order_confidence_` and `agreement_` exist, and are saved with the model. The rows are those of the
        training table, unless another table is given: a loaded model needs one. Rows from experiments do not belong
        in it.
        """
        return self._assess(self._training_table if X is None else self._observations(X))

    def _assess(self, table: TrainingTable) -> Self:
        from fipscm.order.confidence import confidence
        from fipscm.order.evidence.observations import Observations

        orders = self._draw_orders(PLAUSIBLE_ORDERS, generator_of(self.random_state), table)
        possible = self._constraints.knowledge.allowed(self.blocks_.outer)
        order = self.blocks_.outer_order(self._fitted.order)
        numbers = Observations.of(table.values, kinds_of(table.blocks)).numbers
        shares = agreement(numbers, order, orders, possible, table.intervened)
        sure = confidence(orders, self._given_precedence(table), bool(table.intervened.any()))
        return self._adopt_assessment(sure, shares)

    def check(self, X: Any, random_state: Any = 0) -> "CheckResult":
        """Test the model's assumptions on a table: a result with .table, .passed and a verdict in words.

        Rows from experiments do not belong in it: a column that was set does not follow its causes. Missing cells are
        drawn from the model, and rows with and without them are compared: do their other columns differ? After
        `assess`, the verdict tells how many of the edges have an open direction.
        """
        from fipscm.order.classical.hidden_causes import hidden_causes, suspects
        from fipscm.order.evidence.observations import Observations
        from fipscm.questions.check import check_model
        from fipscm.questions.findings import CheckResult
        from fipscm.questions.model_findings import direction_findings, hidden_cause_findings
        from fipscm.questions.table_findings import missing_findings

        rng, frame = generator_of(random_state), self._frame(X)
        inferred_on = None if self._constraints.fix_the_order else self.scale
        graph = self.adjacency_.loc[frame.columns, frame.columns].to_numpy()
        hidden = hidden_causes(Observations.of(frame.to_numpy(), kinds_of(self.blocks_)), graph, self._raw)
        directions = () if self._assessment is None or inferred_on is None else direction_findings(self.graph_)
        asides = *missing_findings(frame), *hidden_cause_findings(self.blocks_.outer, hidden), *directions
        pairs = None if hidden is None else tuple(suspects(self.blocks_.outer, hidden))
        if frame.isna().any(axis=None):
            coded = self._coded(self.impute(X, draws=1, random_state=rng)[0])[list(self._fitted.names)]
        else:
            coded = self.blocks_.encode(frame)
        found = check_model(self._fitted, coded, rng, inferred_on, self.columns_.dependence).findings
        return CheckResult((*found, *asides), pairs)

    def report(self, X: Any, *, target: Hashable | None = None, random_state: Any = 0) -> "Report":
        """Everything the model says about a table, as one page for a browser: `model.report(df).save("report.html")`.

        The verdict comes first, then order, graph, effects, mechanisms, noises, and what the model must not be used
        for. `target` is the column whose variation is explained, by default the last of the order that has
        causes. A model that has not been assessed is assessed on this table.
        """
        from fipscm.report import build_report  # needs libraries that nothing else needs

        if target is not None:
            self.columns_.require(target)
        given, table = self._constraints.fix_the_order, self._observations(X)
        model = copy(self)
        model._table = self._table or table  # a loaded model has no rows for second opinions
        model = model if given or self._assessment is not None else model._assess(table)
        return build_report(model, table, not given, target, generator_of(random_state))


def _checked(
    found: Effect, scm: LearnedSCM, deviations: Deviations, table: TrainingTable | None, rng: np.random.Generator
) -> Effect:
    """The effect with a second opinion, for which rows are needed."""
    from fipscm.questions.second_opinion import NO_ROWS, with_second_opinion  # needs models that nothing else needs

    return (
        replace(found, no_second_opinion=NO_ROWS)
        if table is None
        else with_second_opinion(found, scm, deviations, table, rng)
    )
