"""Average effects of interventions, with intervals. Shapes: N rows, D variables, E noises, K levels."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from fipscm.arrays import Array
from fipscm.display import card, digits, interval_picture, paragraph
from fipscm.graph import descendants
from fipscm.mechanism.learned import LearnedSCM
from fipscm.questions.deviations import Deviations
from fipscm.questions.extrapolation import MARGIN, distances, values_set
from fipscm.questions.intervals import averages, require_level
from fipscm.questions.methods import MethodEstimate, Overlap
from fipscm.questions.plausible import plausible_model
from fipscm.scm.intervention import Intervention
from fipscm.scm.nodewise import NodewiseSCM
from fipscm.tables.columns import Columns
from fipscm.tables.kinds import Level

_UNITS = 2000  # simulated to average over
FEW_UNITS = 32  # enough to see how a deviation moves the average
WITH_LEVELS = ("binary", "ordinal", "categorical")
SOME_UNITS = 128  # of a model with discrete columns, which a deviation moves in few units only


@dataclass(frozen=True)
class Question:
    """The effect of setting one variable to `treated` instead of `control`, on another one.

    Names of levels are told by their codes; `columns` knows which names those are, and what is a category.
    """

    treatment: Hashable
    outcome: Hashable
    treated: float
    control: float
    columns: Columns | None = None

    def differences(self, scm: NodewiseSCM, noise: Array, within: tuple[float, float] = (-np.inf, np.inf)) -> Array:
        """(N,), the effect on each of the units with these noises (N, E); (N, K) if the outcome is a category.

        On a column of levels, counts or amounts with zeros it is the difference of what is expected of it: of two
        levels, or of each level of a category, the difference of probabilities. Other outcomes lie `within` a range.
        """
        treatment, outcome = (scm.names.index(name) for name in (self.treatment, self.outcome))
        treated, control = (scm.do({self.treatment: value}) for value in (self.treated, self.control))
        # What does not lead to the outcome need not be computed, and what the treatment does not reach only once.
        nothing = np.zeros((len(noise), len(scm.names)))
        below = control.recomputed(nothing, noise, scm.on_the_way(range(len(scm.names)), [outcome]))
        above = treated.recomputed(below, noise, scm.on_the_way([treatment], [outcome]))
        twice = np.vstack([above, below])
        values, unit = twice[:, outcome], 1.0
        if isinstance(scm, LearnedSCM):
            response = scm.mechanisms[outcome].response
            if response.discrete and treatment != outcome:
                values, unit = scm.mean(outcome, twice), unit_of(scm, outcome)
            elif response.is_category:
                values = scm.measured(outcome, values)
        if values.ndim == 1:
            values = np.clip(values, *within)
        higher, lower = np.split(values, 2)
        return np.asarray((higher - lower) / unit)

    def intervention(self, names: Sequence[Hashable]) -> Intervention:
        """On two units: the first is treated, the other is not."""
        return Intervention.parse({self.treatment: np.array([self.treated, self.control])}, names)

    def shown(self, name: Hashable, value: float) -> str:
        """A value of a column in words: the name of a level, or a number."""
        levels = self.columns.levels.get(name) if self.columns is not None else None
        if self.columns is not None and self.columns.forms.get(name) == "truth values":
            return str(bool(value))
        return f"{value:g}" if levels is None else str(levels[round(value)])

    def change_of(self, level: Level | None) -> str:
        """What changes, in words: the outcome, or the probability of one of its levels."""
        if level is None:
            return str(self.outcome)
        return f"the probability that {self.outcome} is {f'{level:g}' if isinstance(level, float) else level}"

    def levels_of(self, scm: LearnedSCM) -> tuple[Level, ...]:
        """The levels of the outcome whose probabilities change: the second of two, or all of a category."""
        response = scm.mechanisms[scm.names.index(self.outcome)].response
        named = () if self.columns is None else self.columns.levels.get(self.outcome, ())
        if response.levels is None:
            return ()
        if response.is_category:
            return named or tuple(response.levels.tolist())
        if len(response.levels) != 2:
            return ()
        is_truth = self.columns is not None and self.columns.forms.get(self.outcome) == "truth values"
        return (named[1] if named else is_truth or float(response.levels[1]),)

    @property
    def compares_levels(self) -> bool:
        """Whether the treatment has levels, so that rows have one of the two or not."""
        return self.columns is not None and self.columns.kinds[self.treatment] in WITH_LEVELS

    def place_of(self, level: Level | None) -> int:
        """Which of several differences is that of a level; the only one if the outcome is no category."""
        categories = {} if self.columns is None else self.columns.categories
        return 0 if level is None or self.outcome not in categories else categories[self.outcome].index(level)


def unit_of(scm: LearnedSCM, outcome: int) -> float:
    """By which a difference of means is divided: of two levels, whatever their numbers, it is one of probabilities."""
    levels = scm.mechanisms[outcome].response.levels
    return 1.0 if levels is None or len(levels) != 2 else float(np.ptp(levels))


class LevelEffect(NamedTuple):
    """The effect on the probability of one level of a category, and its interval."""

    level: Level
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, repr=False)
class Effect:
    """An average effect, its interval at the given level, and how far it depends on the causal order.

    Attributes:
        question: what was asked.
        estimate: the average effect. If the outcome has two levels, that on the probability of the second one; if it is
            a category, that on the probability of the level which changes most.
        low: lower end of the interval.
        high: upper end of the interval.
        level: of the interval.
        possible: whether the causal order lets the treatment act on the outcome at all; if not, the effect is zero.
        by_order: the effect under this and other plausible orders, if they were asked for.
        agreement: of an assessed model, the share of plausible orders under which the total effect keeps its sign.
        precedes: of an assessed model whose order was inferred, the probability that the treatment comes before the
            outcome.
        randomised: whether the treatment is known to have been set by chance.
        ruled_out: whether what the user gave (an order, a graph, knowledge) lets no treatment act on the outcome.
        if_first: where only an inferred order rules the effect out, the effect on an order with the treatment first.
        by_level: the effect on the probability of each level of a category, or of the second of two levels.
        methods: what g-computation through the model says, and what a doubly robust estimate says that needs no
            mechanism. The more precise one is told where they agree; where not, the interval holds both.
        reason: why they may disagree, in words; empty where they agree or nothing suggests itself.
        overlap: how many rows could hardly have had one of the two levels that are compared.
        adjusted_for: the columns that the doubly robust estimate holds fixed.
        no_second_opinion: why there is no such estimate; empty if there is one, or if there is no effect to check.
    """

    question: Question
    estimate: float
    low: float
    high: float
    level: float
    possible: bool = True
    by_order: tuple[float, ...] = ()
    agreement: float | None = None
    by_level: tuple[LevelEffect, ...] = ()
    precedes: float | None = None
    randomised: bool = False
    ruled_out: bool = False
    if_first: "Effect | None" = None
    methods: tuple[MethodEstimate, ...] = ()
    reason: str = ""
    overlap: Overlap | None = None
    adjusted_for: tuple[Hashable, ...] = ()
    no_second_opinion: str = ""

    @property
    def level_told(self) -> Level | None:
        """The level of which `estimate` tells the probability; None if the outcome has more than two in an order."""
        return max(self.by_level, key=lambda each: abs(each.estimate)).level if self.by_level else None

    @property
    def methods_disagree(self) -> bool:
        """Whether two methods differ by more than their errors."""
        return len(self.methods) == 2 and self.methods[0].disagrees(self.methods[1])

    @property
    def sign_flips(self) -> bool:
        """Whether plausible orders disagree about the direction; an order without any effect has none."""
        return min(self.by_order, default=0.0) < 0 < max(self.by_order, default=0.0)

    @property
    def disagreement(self) -> str:
        """What plausible orders disagree about, in words; empty if they agree."""
        if self.sign_flips:
            return "the sign of this effect"
        return "whether there is an effect" if 0.0 in self.by_order and any(self.by_order) else ""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        asked = self.question
        ends = interval_picture(self.low, self.estimate, self.high)
        heading = f"Effect of {asked.treatment} on {asked.outcome}: {digits(self.estimate, '+')}"
        return card(heading, f"<div>{ends}</div>", paragraph(str(self)))

    def __float__(self) -> float:
        return self.estimate

    def __str__(self) -> str:
        text = f"{self._finding()}{self._second_opinion()}{self._doubt()}"
        if self.by_order:
            least, most = min(self.by_order), max(self.by_order)
            text += f" Over {len(self.by_order)} plausible orders: {digits(least)} to {digits(most)}"
            absent = sum(other == 0 for other in self.by_order)
            text += f", no effect under {absent} of them" if absent else ""
            text += "; its sign depends on the order." if self.sign_flips else "."
        others = [each for each in self.by_level if each.level != self.level_told]
        if others and self.possible:
            told = (f"{level} {digits(by, '+')} ({digits(low)} to {digits(high)})" for level, by, low, high in others)
            text += f" The other levels: {', '.join(told)}."
        return text

    def _finding(self) -> str:
        """The effect and its interval, in a sentence."""
        asked = self.question
        treated, control = (asked.shown(asked.treatment, value) for value in (asked.treated, asked.control))
        values, changed = f"to {treated} instead of {control}", asked.change_of(self.level_told)
        setting = f"Setting {asked.treatment} {values}"
        if not self.possible and self.ruled_out:
            return f"By what was given, {asked.treatment} cannot act on {asked.outcome}. {setting} changes nothing."
        if not self.possible:
            return self._against_the_order(setting)
        premise = "" if self.by_order or self.randomised else ", if the causal order is right"
        if self.estimate == 0:
            return (
                f"{setting}: no effect on {changed} found; if there is one, it lies between {digits(self.low)} and "
                f"{digits(self.high)} on average ({self.level:.0%} interval{premise})."
            )
        ends = f"{self.level:.0%} interval {digits(self.low)} to {digits(self.high)}"
        return f"{setting} changes {changed} by {digits(self.estimate)} on average ({ends}{premise})."

    def _against_the_order(self, setting: str) -> str:
        """What an inferred order says that puts the outcome first, and what would be if it were wrong."""
        treatment, outcome = self.question.treatment, self.question.outcome
        share = "how sure that is was not assessed" if self.precedes is None else f"{1 - self.precedes:.0%} sure"
        text = (
            f"The order that was inferred puts {outcome} before {treatment} ({share}). {setting} changes nothing, if "
            "that is right."
        )
        if self.if_first is not None:
            return f"{text} If {treatment} comes first instead: {self.if_first._finding().replace('S', 's', 1)}"
        return (
            f"{text} A model that still holds its table tells what the effect would be if {treatment} came first: ask "
            f"with the table. If you know that {treatment} comes first, say so and fit again."
        )

    def _second_opinion(self) -> str:
        """What both methods say, and why they may differ."""
        if self.no_second_opinion:
            return f" There is no second opinion. {self.no_second_opinion}"
        if len(self.methods) < 2:
            return ""
        both = " and ".join(map(str, self.methods))
        if not self.methods_disagree:
            return f" Two methods agree: {both}."
        because = f"; {self.reason}" if self.reason else ""
        return f" Two methods disagree, so the interval holds both: {both}{because}."

    def _doubt(self) -> str:
        """How sure the direction is, and how many of the resampled orders say the same; nothing where it is known."""
        if not self.possible:
            return ""
        asked, text = self.question, ""
        if self.randomised:
            return f" {asked.treatment} was randomised: nothing that precedes it confounds this effect."
        if self.precedes is not None and self.precedes < 1:  # what is known needs no figure
            text += f" It is {self.precedes:.0%} sure that {asked.treatment} comes before {asked.outcome}."
        if self.agreement is not None and self.estimate:
            text += f" {self.agreement:.0%} of the resampled orders agree with its sign."
        elif self.agreement is not None:
            text += (
                f" {self.agreement:.0%} of the resampled orders show none either; that is no proof, for they come from "
                "the same rows."
            )
        return text


def average_effect(
    question: Question, models: Sequence[tuple[LearnedSCM, Deviations]], level: float, rng: np.random.Generator
) -> Effect:
    """Answer by one model, or by the average over models on several orders; each comes with its deviations.

    With several models the interval holds those of all: it is right if one of the orders is.
    """
    require_level(level)
    scm = models[0][0]
    levels = question.levels_of(scm)
    if not any(_possible(question, scm.names, deviations) for scm, deviations in models):
        absent = tuple(LevelEffect(name, 0.0, 0.0, 0.0) for name in levels)
        by_order = (0.0,) * len(models) if len(models) > 1 else ()
        return Effect(question, 0.0, 0.0, 0.0, level, possible=False, by_order=by_order, by_level=absent)
    few = SOME_UNITS if any(scm.is_discrete for scm, _ in models) else FEW_UNITS
    answers = [
        averages(
            partial(question.differences, within=_reach(question, scm)),
            *(scm, deviations, scm.noise.sample(_UNITS, rng), level, few, _resolution(question, scm)),
            answering=with_asked_edge(question, scm, deviations),
        )
        for scm, deviations in models
    ]
    # One row for each model, and one column for each level of a category.
    estimates, lows, highs = (np.array(ends).reshape(len(models), -1) for ends in zip(*answers, strict=True))
    ends = np.column_stack([estimates.mean(axis=0), lows.min(axis=0), highs.max(axis=0)]).tolist()
    most = int(np.abs(estimates.mean(axis=0)).argmax())
    by_order = tuple(estimates[:, most].tolist()) if len(models) > 1 else ()
    by_level = tuple(LevelEffect(name, *told) for name, told in zip(levels, ends, strict=True)) if levels else ()
    estimate, low, high = ends[most]
    return Effect(question, estimate, low, high, level, True, by_order, by_level=by_level)


def with_asked_edge(question: Question, scm: LearnedSCM, deviations: Deviations) -> LearnedSCM:
    """The model; if the direct edge asked about is possible but was weighed away, with the outcome fitted on it.

    An edge that few rows show is weighed away, which is no reason to be sure that it does nothing.
    """
    edge = scm.names.index(question.outcome), scm.names.index(question.treatment)
    if scm.allowed[edge] or not deviations.possible[edge]:
        return scm
    return plausible_model(scm, deviations, 0, columns=edge[:1])


def _reach(question: Question, scm: LearnedSCM) -> tuple[float, float]:
    """Where outcomes may lie: half a width beyond the rows, if the treatment is set to values near the rows.

    A few units for which a nonlinear scale leads far away would make an average that no row suggests.
    """
    for name, values in values_set(scm, question.intervention(scm.names)).items():
        column = scm.names.index(name)
        if (distances(values, scm.low[column], scm.high[column]) > MARGIN).any():
            return -np.inf, np.inf
    outcome = scm.names.index(question.outcome)
    low, high = float(scm.low[outcome]), float(scm.high[outcome])
    return low - 0.5 * (high - low), high + 0.5 * (high - low)


def _resolution(question: Question, scm: LearnedSCM) -> Array | float:
    """(K,), by how much one row moves the average of the outcome: where levels are separated, models agree too well."""
    outcome = scm.names.index(question.outcome)
    known, response = scm.mechanisms[outcome].evidence, scm.mechanisms[outcome].response
    if response.is_category:
        shares = scm.mean(outcome, scm.typical_rows).mean(axis=0)
        return np.asarray(np.sqrt(shares * (1 - shares)) / max(known.rows, 1))
    return known.scale / max(known.rows, 1) / unit_of(scm, outcome)


def _possible(question: Question, names: Sequence[Hashable], deviations: Deviations) -> bool:
    """Whether a path of possible causes leads from the treatment to the outcome."""
    cause, effect = (names.index(name) for name in (question.treatment, question.outcome))
    return cause == effect or bool(descendants(deviations.possible.T)[cause, effect])
