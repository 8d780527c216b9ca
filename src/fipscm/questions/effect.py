"""Average effects of interventions, with intervals. Shapes: N rows, D variables."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fipscm.arrays import Array
from fipscm.display import card, interval_picture, paragraph
from fipscm.graph import descendants
from fipscm.mechanism.learned import LearnedSCM
from fipscm.questions.deviations import Deviations
from fipscm.questions.intervals import averages, require_level
from fipscm.scm.intervention import Intervention
from fipscm.scm.nodewise import NodewiseSCM

UNITS = 2000  # simulated to average over
FEW_UNITS = 32  # enough to see how a deviation moves the average


@dataclass(frozen=True)
class Question:
    """The effect of setting one variable to `treated` instead of `control`, on another one."""

    treatment: Hashable
    outcome: Hashable
    treated: float
    control: float

    def differences(self, scm: NodewiseSCM, noise: Array) -> Array:
        """(N,), the effect on each of the units with these noises (N, D)."""
        column = scm.names.index(self.outcome)
        last = int(np.flatnonzero(scm.order == column)[0])
        # What comes after the outcome need not be computed.
        needed = replace(scm, order=scm.order[: last + 1])  # type: ignore[call-arg]
        twice = needed.do(self.intervention(scm.names, len(noise))).noise_to_sample(np.vstack([noise, noise]))
        above, below = np.split(twice[:, column], 2)
        return np.asarray(above - below)

    def intervention(self, names: Sequence[Hashable], units: int = 1) -> Intervention:
        """On twice so many units: the first half is treated, the other is not."""
        return Intervention.parse({self.treatment: np.repeat([self.treated, self.control], units)}, names)


@dataclass(frozen=True, repr=False)
class Effect:
    """An average effect, its interval at the given level, and how far it depends on the causal order.

    Attributes:
        question: what was asked.
        estimate: the average effect.
        low: lower end of the interval.
        high: upper end of the interval.
        level: of the interval.
        possible: whether the causal order lets the treatment act on the outcome at all; if not, the effect is zero.
        by_order: the effect under this and other plausible orders, if they were asked for.
        agreement: of an assessed model, the share of plausible orders under which the total effect keeps its sign.
    """

    question: Question
    estimate: float
    low: float
    high: float
    level: float
    possible: bool = True
    by_order: tuple[float, ...] = ()
    agreement: float | None = None

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
        return card(
            f"{asked.treatment} → {asked.outcome}: {self.estimate:+.4g}", f"<div>{ends}</div>", paragraph(str(self))
        )

    def __float__(self) -> float:
        return self.estimate

    def __str__(self) -> str:
        text = self._finding()
        if self.agreement is not None:
            text += f" {self.agreement:.0%} of the resampled orders agree with its sign."
        if self.by_order:
            least, most = min(self.by_order), max(self.by_order)
            text += f" Over {len(self.by_order)} plausible orders: {least:.4g} to {most:.4g}"
            absent = sum(other == 0 for other in self.by_order)
            text += f", no effect under {absent} of them" if absent else ""
            text += "; its sign depends on the order." if self.sign_flips else "."
        return text

    def _finding(self) -> str:
        """The effect and its interval, in a sentence."""
        asked = self.question
        values = f"to {asked.treated:g} instead of {asked.control:g}"
        if not self.possible:
            return (
                f"By the causal order, {asked.treatment} cannot act on {asked.outcome}: setting it {values} changes "
                "nothing, if that order is right."
            )
        setting = f"Setting {asked.treatment} {values}"
        premise = "" if self.by_order else ", if the causal order is right"
        if self.estimate == 0:
            return (
                f"{setting}: no effect on {asked.outcome} found; if there is one, it lies between {self.low:.4g} and "
                f"{self.high:.4g} on average ({self.level:.0%} interval{premise})."
            )
        ends = f"{self.level:.0%} interval {self.low:.4g} to {self.high:.4g}"
        return f"{setting} changes {asked.outcome} by {self.estimate:.4g} on average ({ends}{premise})."


def average_effect(
    question: Question, models: Sequence[tuple[LearnedSCM, Deviations]], level: float, rng: np.random.Generator
) -> Effect:
    """Answer by one model, or by the average over models on several orders; each comes with its deviations.

    With several models the interval holds those of all: it is right if one of the orders is.
    """
    require_level(level)
    possible = any(_possible(question, scm.names, deviations) for scm, deviations in models)
    answers = [
        averages(question.differences, scm, deviations, scm.noise.sample(UNITS, rng), level, FEW_UNITS)
        for scm, deviations in models
    ]
    estimates, lows, highs = (tuple(map(float, ends)) for ends in zip(*answers, strict=True))
    by_order = estimates if len(models) > 1 else ()
    return Effect(question, float(np.mean(estimates)), min(lows), max(highs), level, possible, by_order)


def _possible(question: Question, names: Sequence[Hashable], deviations: Deviations) -> bool:
    """Whether a path of possible causes leads from the treatment to the outcome."""
    cause, effect = names.index(question.treatment), names.index(question.outcome)
    return cause == effect or bool(descendants(deviations.possible.T)[cause, effect])
