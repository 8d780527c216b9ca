"""Average effects of interventions, with intervals. Shapes: B resamples, N rows, D variables.

Resampling the rows and learning every mechanism anew would take minutes. Instead each mechanism f gets a first-order
correction, the least-squares fit of its residual on (1, f, causes) over resampled rows: exact for linear mechanisms,
slopes and amplitude for the others. The corrections are computed once, during the fit, and saved with the model.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.display import card, interval_picture, paragraph
from fipscm.errors import DataError
from fipscm.mechanism.learned import LearnedSCM
from fipscm.scm.base import SCM
from fipscm.scm.intervention import Intervention

RESAMPLES = 50  # of the rows, for the interval
UNITS = 2000  # simulated to average over
RESAMPLED_UNITS = 200  # enough to see how a resample moves the average


@dataclass(frozen=True)
class Question:
    """The effect of setting one variable to `treated` instead of `control`, on another one."""

    treatment: Hashable
    outcome: Hashable
    treated: float
    control: float

    def differences(self, scm: SCM, noise: Array) -> Array:
        """(N,), the effect on each of the units with these noises (N, D)."""
        column = scm.names.index(self.outcome)
        above, below = (scm.do(do).noise_to_sample(noise)[:, column] for do in self.interventions(scm.names))
        return np.asarray(above - below)

    def interventions(self, names: Sequence[Hashable]) -> tuple[Intervention, Intervention]:
        """With treatment, and without."""
        treated, control = (Intervention.parse({self.treatment: v}, names) for v in (self.treated, self.control))
        return treated, control


@dataclass(frozen=True, repr=False)
class Effect:
    """An average effect, its interval at the given level, and how far it depends on the causal order.

    Attributes:
        question: what was asked.
        estimate: the average effect.
        low: lower end of the interval.
        high: upper end of the interval.
        level: of the interval.
        by_order: the effect under this and other plausible orders, if they were asked for.
        agreement: of an assessed model, the share of plausible orders under which the total effect keeps its sign.
    """

    question: Question
    estimate: float
    low: float
    high: float
    level: float
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
        asked = self.question
        premise = "" if self.by_order else ", if the causal order is right"
        text = (
            f"Setting {asked.treatment} to {asked.treated:g} instead of {asked.control:g} changes {asked.outcome} by "
            f"{self.estimate:.4g} on average ({self.level:.0%} interval {self.low:.4g} to {self.high:.4g}{premise})."
        )
        if self.agreement is not None:
            text += f" {self.agreement:.0%} of the resampled orders agree with its sign."
        if self.by_order:
            least, most = min(self.by_order), max(self.by_order)
            text += f" Over {len(self.by_order)} plausible orders: {least:.4g} to {most:.4g}"
            absent = sum(other == 0 for other in self.by_order)
            text += f", no effect under {absent} of them" if absent else ""
            text += "; its sign depends on the order." if self.sign_flips else "."
        return text


def bootstrap_corrections(
    scm: LearnedSCM,
    rows: Array,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    intervened: Mask | None = None,
) -> Array:
    """(B, D, D + 2): for each node the coefficients of 1, of its mean, and of the D variables (zero unless causes).

    All in standardized columns, so that the same least squares serve every unit of measurement, and for each node on
    the rows in which it was not `intervened` (N, D) on.
    """
    z, means = ((values - scm.centre) / scm.scale for values in (rows, scm.predict(rows)))
    usable = np.ones(rows.shape, dtype=bool) if intervened is None else ~intervened
    corrections = np.zeros((resamples, len(scm.names), len(scm.names) + 2))
    for node in range(len(scm.names)):
        causes = np.flatnonzero(scm.allowed[node])
        own, mean = z[usable[:, node]], means[usable[:, node], node]
        design, residual = np.column_stack([np.ones(len(own)), mean, own[:, causes]]), own[:, node] - mean
        for resample in range(resamples):
            drawn = rng.integers(len(own), size=len(own))
            # Where the mean is linear in the causes, the columns are collinear: this is the solution of least norm.
            solution = np.linalg.lstsq(design[drawn], residual[drawn])[0]
            corrections[resample, node, [0, 1, *causes + 2]] = solution
    return corrections


def corrected(scm: LearnedSCM, correction: Array) -> LearnedSCM:
    """The model with each mean f replaced by c0 + (1 + c1) f + <c, z>, for a correction (D, D + 2)."""
    amplitude = 1 + correction[:, 1]
    skip = replace(
        scm.skip,
        weights=scm.skip.weights * amplitude[:, None] + correction[:, 2:],
        amplitudes=scm.skip.amplitudes * amplitude[:, None],
        intercept=scm.skip.intercept * amplitude + correction[:, 0],
    )
    return replace(scm, skip=skip, residual_scale=scm.residual_scale * amplitude)


def average_effect(
    question: Question, models: Sequence[tuple[LearnedSCM, Array]], level: float, rng: np.random.Generator
) -> Effect:
    """Answer by one model, or by the average over models on several orders; each comes with its corrections.

    The interval holds the middle `level` of the resampled effects of all models.
    """
    if not 0 < level < 1:
        raise DataError(f"The level of an interval lies between 0 and 1, but it is {level:g}: 0.95 is usual.")
    answers, possible = zip(*(_answers(question, scm, corrections, rng) for scm, corrections in models), strict=True)
    low, high = np.quantile(np.concatenate(possible), [(1 - level) / 2, (1 + level) / 2])
    return Effect(question, float(np.mean(answers)), float(low), float(high), level, answers if len(models) > 1 else ())


def _answers(question: Question, scm: LearnedSCM, corrections: Array, rng: np.random.Generator) -> tuple[float, Array]:
    """The effect, and (B,) resampled values of it.

    Every resample is evaluated on the same units, so that the values differ by the resampled rows alone; the error of
    an average over finitely many units is added.
    """
    noise = scm.noise.sample(UNITS, rng)
    differences = question.differences(scm, noise)
    few = noise[:RESAMPLED_UNITS]
    moved = [question.differences(corrected(scm, correction), few).mean() for correction in corrections]
    error = differences.std() * np.sqrt(1 / UNITS + 1 / len(scm.noise.ordered))
    possible = differences.mean() + moved - differences[:RESAMPLED_UNITS].mean()
    return float(differences.mean()), possible + rng.normal(0.0, error, len(corrections))
