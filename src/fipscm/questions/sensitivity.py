"""How strong a hidden common cause must be to explain an effect away. Shapes: N rows, P covariates.

After Cinelli and Hazlett (2020, https://doi.org/10.1111/rssb.12348): what a hidden cause does to the coefficient of a
linear regression follows from two shares of variance that it would explain, that of the treatment and that of the
outcome, each of what the measured columns leave over. These are partial R2s, which measured causes have as well.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import pandas as pd
from scipy import stats

from fipscm.arrays import Array
from fipscm.display import card, digits, paragraph
from fipscm.display import table as html_table
from fipscm.errors import DataError
from fipscm.questions.adjustment import Adjustment
from fipscm.questions.effect import Question
from fipscm.tables.kinds import Level

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN = 5  # measured causes, the strongest
STRONGEST = 0.999  # a hidden cause as strong as a measured one cannot explain more than everything
_LEAST_VARIANCE = 1e-6  # share of a treatment's variance beside the covariates: less is rounding


class Strength(NamedTuple):
    """What a cause explains, as shares of the variance that the other columns leave over."""

    treatment: float
    outcome: float


class Benchmark(NamedTuple):
    """A measured cause, and the effect that would be left beside a hidden one as strong as it."""

    name: Hashable
    strength: Strength
    estimate: float
    low: float
    high: float


class AdjustedEffect(NamedTuple):
    """An effect beside a hidden cause that works against it, with its interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, repr=False)
class Sensitivity:
    """How an effect depends on what was not measured.

    Attributes:
        question: what was asked.
        outcome_level: whose probability is looked at, if the outcome has levels without a scale.
        estimate: the effect by least squares, with the columns before the treatment held fixed.
        error: its standard error, with the same number of rows and degrees of freedom.
        degrees: of freedom.
        level: of the intervals.
        robustness: a hidden common cause that explains this share of treatment and outcome brings the effect to zero.
        robustness_interval: this share brings the interval to include zero; 0 if it does already.
        outcome_strength: the share of the outcome that the treatment explains: a hidden cause of the outcome that
            determines it wholly would have to explain as much of the treatment.
        benchmarks: the strongest measured causes, and what a hidden one as strong as each would leave.
        strength: that of a hidden cause which was asked about; None if none was.
    """

    question: Question
    outcome_level: Level | None
    estimate: float
    error: float
    degrees: int
    level: float
    robustness: float
    robustness_interval: float
    outcome_strength: float
    benchmarks: tuple[Benchmark, ...]
    strength: float | None = None

    @classmethod
    def of(
        cls,
        question: Question,
        outcome_level: Level | None,
        rows: Adjustment,
        level: float,
        strength: float | None = None,
    ) -> Self:
        """Of the rows and columns that an effect is estimated from."""
        rows, change = _compared(question, rows)
        fitted = _Regression.of(rows)
        alone = cls(
            question,
            outcome_level,
            fitted.slope * change,
            fitted.error * abs(change),
            fitted.degrees,
            level,
            robustness_value(fitted.f2),
            _robustness_of_interval(fitted.f2, level, fitted.degrees),
            fitted.f2 / (1 + fitted.f2),
            (),
            strength,
        )
        measured = [(name, _as_strong_as(rows, place)) for place, name in enumerate(rows.names)]
        found = [Benchmark(name, hidden, *alone.beside(hidden)) for name, hidden in measured]
        strongest = sorted(found, key=lambda each: -abs(each.estimate - alone.estimate))[:_SHOWN]
        return replace(alone, benchmarks=tuple(strongest))

    def beside(self, hidden: Strength) -> AdjustedEffect:
        """The effect that is left if a hidden common cause of this strength works against it."""
        for share in hidden:
            require_strength(share)
        bias = self.error * (self.degrees * hidden.outcome * hidden.treatment / (1 - hidden.treatment)) ** 0.5
        estimate = self.estimate - np.sign(self.estimate) * bias
        error = self.error * ((1 - hidden.outcome) / (1 - hidden.treatment) * self.degrees / (self.degrees - 1)) ** 0.5
        reach = error * float(stats.t.ppf((1 + self.level) / 2, self.degrees - 1))
        return AdjustedEffect(float(estimate), float(estimate - reach), float(estimate + reach))

    def bounds(self, strength: float) -> AdjustedEffect:
        """The smallest and largest ends of intervals beside hidden causes that explain so much, whatever their sign."""
        against = self.beside(Strength(strength, strength))
        reach, shift = against.estimate - against.low, abs(self.estimate - against.estimate)
        return AdjustedEffect(self.estimate, self.estimate - shift - reach, self.estimate + shift + reach)

    @property
    def table(self) -> pd.DataFrame:
        """One row for each of the strongest measured causes: its partial R2s, and the effect beside one as strong."""
        rows = [(*each.strength, each.estimate, each.low, each.high) for each in self.benchmarks]
        names = pd.Index([each.name for each in self.benchmarks], dtype=object, name="as strong as")
        return pd.DataFrame(rows, names, ["r2_treatment", "r2_outcome", "estimate", "low", "high"])

    def plot(self, axes: "Axes | None" = None) -> "Axes":
        """Contours of the effect that a hidden common cause leaves, over its two strengths; measured causes as dots."""
        from fipscm.questions.sensitivity_plot import plot_sensitivity  # drawing libraries are imported where used

        return plot_sensitivity(self, axes)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        asked = self.question
        heading = f"Sensitivity of the effect of {asked.treatment} on {asked.outcome}: {self.robustness:.1%}"
        header = ("as strong as", "of the treatment", "of the outcome", "effect left", "low", "high")
        rows = [(each.name, *each.strength, each.estimate, each.low, each.high) for each in self.benchmarks]
        return card(heading, paragraph(str(self)), html_table(header, rows))

    def __str__(self) -> str:
        asked = self.question
        treated, control = (asked.shown(asked.treatment, value) for value in (asked.treated, asked.control))
        text = (
            f"By least squares, setting {asked.treatment} to {treated} instead of {control} changes "
            f"{asked.change_of(self.outcome_level)} by {digits(self.estimate)}. A hidden common cause that explains "
            f"{self.robustness:.1%} of what the columns before leave of both would bring it to zero; "
        )
        if self.robustness_interval:
            text += f"{self.robustness_interval:.1%} would bring the {self.level:.0%} interval to include zero."
        else:
            text += f"the {self.level:.0%} interval includes zero as it is."
        if self.benchmarks:
            first = self.benchmarks[0]
            text += (
                f" One as strong as {first.name}, the strongest measured cause, explains "
                f"{first.strength.treatment:.1%} of {asked.treatment} and {first.strength.outcome:.1%} of "
                f"{asked.outcome}, and would leave {digits(first.estimate)} ({digits(first.low)} to "
                f"{digits(first.high)})."
            )
        else:
            text += " No column comes before the treatment, so there is none to compare with."
        if self.strength is not None:
            told = self.bounds(self.strength)
            text += (
                f" One that explains {self.strength:.1%} of both would leave {digits(told.low)} to {digits(told.high)}."
            )
        return text


def require_strength(strength: float | None) -> None:
    """Refuse a share of variance that is none."""
    if strength is not None and not 0 <= strength < 1:
        raise DataError(
            f"The strength of a hidden cause is a share of variance, at least 0 and below 1, not {strength:g}."
        )


def robustness_value(f2: float) -> float:
    """The share of both variances that brings an estimate with this partial f2 to zero.

    >>> round(robustness_value(0.0), 3), round(robustness_value(0.5), 3), round(robustness_value(100.0), 3)
    (0.0, 0.5, 0.99)
    """
    return 0.5 * (float(np.sqrt(f2**2 + 4 * f2)) - f2)


def _robustness_of_interval(f2: float, level: float, degrees: int) -> float:
    """The share of both variances that brings the interval to include zero."""
    critical = float(stats.t.ppf((1 + level) / 2, degrees - 1)) / float(np.sqrt(degrees - 1))
    f = float(np.sqrt(f2))
    if f <= critical:
        return 0.0
    if f > 1 / critical:  # the error, too, shrinks with what a hidden cause explains of the outcome
        return (f2 - critical**2) / (1 + f2)
    return robustness_value((f - critical) ** 2)


class _Regression(NamedTuple):
    """The coefficient of the treatment beside the covariates, with its standard error and degrees of freedom."""

    slope: float
    error: float
    degrees: int

    @classmethod
    def of(cls, rows: Adjustment) -> "_Regression":
        """By partialling the covariates out of both."""
        (y, x), rank = (
            (_residual(each, rows.covariates) for each in (rows.outcome, rows.treatment)),
            _rank(rows.covariates),
        )
        if x @ x <= _LEAST_VARIANCE * len(x) * rows.treatment.var():
            raise DataError("There is no overlap at all: the columns before the treatment determine it.")
        degrees = len(y) - rank - 1
        if degrees < 2:
            raise DataError(f"There are {len(y)} rows for {rank + 1} coefficients: sensitivity needs more rows.")
        slope = float(x @ y / (x @ x))
        return cls(slope, float((np.square(y - slope * x).sum() / degrees / (x @ x)) ** 0.5), degrees)

    @property
    def f2(self) -> float:
        """Cohen's partial f2 of the treatment."""
        return self.slope**2 / max(self.error**2, np.finfo(float).tiny) / self.degrees


def _compared(question: Question, rows: Adjustment) -> tuple[Adjustment, float]:
    """The rows in question with the treatment as a number, and how much it changes."""
    if len(np.unique(rows.treatment)) < 2:
        raise DataError(f"'{question.treatment}' has the same value in all rows, so nothing can be compared.")
    if not question.compares_levels:
        return rows, question.treated - question.control
    for value in (question.treated, question.control):
        if not (rows.treatment == value).any():
            raise DataError(f"No row has {question.treatment} = {question.shown(question.treatment, value)}.")
    rows = rows.at(np.isin(rows.treatment, (question.treated, question.control)))
    return replace(rows, treatment=(rows.treatment == question.treated).astype(float)), 1.0


def _as_strong_as(rows: Adjustment, place: int) -> Strength:
    """The largest partial R2s of a hidden cause that explains no more than one of the measured ones does."""
    own = rows.owners == place
    others = rows.covariates[:, ~own]
    of_treatment = _partial_r2(rows.treatment, others, rows.covariates)
    beside = np.column_stack([rows.treatment, others])
    of_outcome = _partial_r2(rows.outcome, beside, np.column_stack([rows.treatment, rows.covariates]))
    # Cinelli and Hazlett, section 4.4: what is left of a hidden cause once measured ones are held fixed.
    odds = of_treatment / (1 - of_treatment)
    shared = min(odds**2, STRONGEST)
    outcome = ((1 + shared**0.5) / (1 - shared) ** 0.5) ** 2 * of_outcome / (1 - of_outcome)
    return Strength(min(odds, STRONGEST), min(outcome, STRONGEST))


def _partial_r2(values: Array, fewer: Array, more: Array) -> float:
    """The share of what some columns leave of a variance that more columns explain."""
    before, after = (float(np.square(_residual(values, columns)).sum()) for columns in (fewer, more))
    return min(max(1 - after / max(before, np.finfo(float).tiny), 0.0), STRONGEST)


def _residual(values: Array, columns: Array) -> Array:
    """(N,) what columns (N, P) and a constant leave of values (N,)."""
    centred, y = _centred(columns), values - values.mean()
    return np.asarray(y - centred @ np.linalg.lstsq(centred, y)[0])


def _rank(columns: Array) -> int:
    """How many coefficients columns (N, P) and a constant have."""
    return 1 + int(np.linalg.matrix_rank(_centred(columns))) if columns.shape[1] else 1


def _centred(columns: Array) -> Array:
    spread = columns.std(axis=0)
    return np.asarray((columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
