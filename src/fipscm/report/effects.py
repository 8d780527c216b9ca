"""The strongest effects of a model, each with an interval.

Shapes: N units, C changes of a cause, D columns of the table, E columns of the model.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.directions import DIRECTION_THRESHOLD
from fipscm.questions.column_levels import ColumnLevels, column_levels
from fipscm.questions.contrast import ValueContrast, quartile_contrast, usual_contrast
from fipscm.questions.effect import Effect
from fipscm.report.model import FittedModel
from fipscm.report.words import number, signed
from fipscm.tables.kinds import Level

LEAST_SPREAD = 1e-6  # of a level that hardly any row has
_UNITS = 500  # enough to rank effects; the strongest ones are then computed with care
_SHOWN = 12


@dataclass(frozen=True)
class StrongEffect:
    """One effect of changing a cause, in the columns' units and in standard deviations.

    Attributes:
        effect: the answer of the model.
        spread: the standard deviation of what changes, in the unit of the answer.
        cause_levels: those of the cause, if it has levels.
        outcome_levels: those of the outcome, if it has levels.
    """

    effect: Effect
    spread: float
    cause_levels: ColumnLevels | None = None
    outcome_levels: ColumnLevels | None = None

    @property
    def cause(self) -> Hashable:
        """The column that is changed."""
        return self.effect.question.treatment

    @property
    def outcome(self) -> Hashable:
        """The column that is looked at."""
        return self.effect.question.outcome

    @property
    def premise(self) -> str:
        """What is taken for granted where it is open which of the two comes first; empty where it is not."""
        sure = self.effect.precedes
        if sure is None or sure >= DIRECTION_THRESHOLD:
            return ""
        return f"if {self.cause} comes before {self.outcome}, of which it is {sure:.0%} sure"

    @property
    def standardized(self) -> tuple[float, float, float]:
        """Low, estimate and high in standard deviations of the outcome."""
        found = self.effect
        return found.low / self.spread, found.estimate / self.spread, found.high / self.spread

    @property
    def extent(self) -> float:
        """How far the interval reaches from zero, in standard deviations of the outcome."""
        return max(map(abs, self.standardized))

    @property
    def values(self) -> tuple[str, str]:
        """What the cause is changed from and to, in words."""
        asked = self.effect.question
        if self.cause_levels is None:
            return number(asked.control), number(asked.treated)
        names = self.cause_levels.names
        control, treated = self.cause_levels.places(np.array([asked.control, asked.treated]))
        return names[control], names[treated]

    @property
    def changed(self) -> str:
        """What changes, in words."""
        return self.effect.question.change_of(self.effect.level_told)

    @property
    def amount(self) -> str:
        """The estimate, in words."""
        return f"{signed(self._factor * self.effect.estimate)}{self._unit}"

    @property
    def ends(self) -> tuple[str, str]:
        """The ends of the interval, in words."""
        return number(self._factor * self.effect.low), number(self._factor * self.effect.high)

    @property
    def second_opinion(self) -> str:
        """What the methods say, in words."""
        found = self.effect
        if found.no_second_opinion:
            return f"No second opinion: {found.no_second_opinion}"
        told = (f"{each.method} {signed(self._factor * each.estimate)}" for each in found.methods)
        overlap = f"; {found.overlap}" if found.overlap is not None and found.overlap.unlikely else ""
        return f"{'The methods disagree: ' if found.methods_disagree else ''}{', '.join(told)}{overlap}."

    @property
    def _factor(self) -> float:
        return 1.0 if self.effect.level_told is None else 100.0

    @property
    def _unit(self) -> str:
        """Of what changes: nothing for numbers, which have the column's own."""
        if self.effect.level_told is not None:
            return " percentage points"
        levels = self.outcome_levels
        return " levels" if levels is not None and not isinstance(levels.cells[0], float) else ""


def strongest_effects(model: FittedModel, rng: np.random.Generator) -> list[StrongEffect]:
    """Change each column, and keep the strongest effects on others.

    A column goes from its lower to its upper quartile, or from the first to the second of two levels, as `FiP.effect`
    has it by default; a category goes from its most frequent level to the one that matters most.
    """
    scm, levels = model.scm_, column_levels(model.scm_, model.columns_)
    names = scm.names
    noise = scm.noise.sample(_UNITS, rng)
    rows = scm.noise_to_sample(noise)
    sizes, best = np.zeros((len(names), len(names))), dict[tuple[int, int], ValueContrast]()
    for cause in np.flatnonzero(scm.adjacency.any(axis=1)):
        tried = contrasts(model, names[cause], levels.get(names[cause]))
        for contrast, found in zip(tried, standardized_effects(model, names[cause], tried, noise, rows), strict=True):
            for outcome in np.flatnonzero(np.abs(found) > sizes[cause]):
                sizes[cause, outcome], best[cause, outcome] = abs(found[outcome]), contrast
    ranked = sorted(zip(*np.nonzero(sizes > 1e-9), strict=True), key=lambda pair: -sizes[pair])[:_SHOWN]
    strong = []
    for pair in ranked:
        cause, outcome = (names[place] for place in pair)
        treated, control = (_cell(levels.get(cause), value) for value in best[pair])
        effect = model.effect(cause, outcome, treated, control)  # the figure that Python and the command tell
        strong.append(StrongEffect(effect, _spread(model, effect, levels), levels.get(cause), levels.get(outcome)))
    return sorted(strong, key=lambda each: -abs(each.standardized[1]))


def contrasts(model: FittedModel, cause: Hashable, levels: ColumnLevels | None) -> list[ValueContrast]:
    """The changes of one column that are tried."""
    scm = model.scm_
    node = scm.names.index(cause)
    if levels is not None and scm.mechanisms[node].response.is_category:
        usual = levels.codes[levels.shares(scm.typical_rows[:, node]).argmax()]
        return [ValueContrast(float(code), float(usual)) for code in levels.codes if code != usual]
    # Of grades none is the usual one to ask about, but a report has to choose.
    choose = quartile_contrast if levels is not None and len(levels.codes) > 2 else usual_contrast
    return [choose(scm, model.columns_, cause)]


def standardized_effects(
    model: FittedModel, cause: Hashable, changes: Sequence[ValueContrast], noise: Array, rows: Array
) -> Array:
    """(C, D), total effects on units with these noises (N, E), in standard deviations of the outcomes; 0 on itself.

    The units are the rows (N, D) without an intervention, and are computed for all values at once: a wide model has
    many columns, each of which takes hardly longer for more rows. The effect on a category is that on the level which
    changes most.
    """
    scm = model.scm_
    source = scm.names.index(cause)
    values = list(dict.fromkeys(value for contrast in changes for value in contrast))
    times, reached = (len(values), 1), scm.on_the_way([source])
    tried = scm.do({cause: np.repeat(values, len(rows))})
    answers = tried.recomputed(np.tile(rows, times), np.tile(noise, times), reached)
    found = np.zeros((len(changes), len(scm.names)))
    for node in reached[reached != source]:
        told = scm.measured(node, answers[:, node])
        means = dict(zip(values, told.reshape(len(values), len(rows), -1).mean(axis=1), strict=True))
        for place, (treated, control) in enumerate(changes):
            found[place, node] = max(
                (means[treated] - means[control]) / np.maximum(scm.spread(node), LEAST_SPREAD), key=abs
            )
    return found


def _cell(levels: ColumnLevels | None, value: float) -> Level:
    """A number as the table has it."""
    return value if levels is None else levels.cells[int(levels.places(np.array([value]))[0])]


def _spread(model: FittedModel, effect: Effect, levels: dict[Hashable, ColumnLevels]) -> float:
    """The standard deviation of what changes: of a column, or of the share of one of its levels."""
    outcome = effect.question.outcome
    own, scales = levels.get(outcome), model.scm_.spread(model.scm_.names.index(outcome))
    if own is None or effect.level_told is None:
        return float(scales[0])
    if len(scales) > 1:
        return float(scales[own.cells.index(effect.level_told)])
    return float(scales[0] / np.ptp(own.codes))
