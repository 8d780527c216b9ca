"""The strongest effects of a model, each with an interval. Shapes: N units, D variables."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.response.thresholds import Thresholds
from fipscm.questions.effect import Effect
from fipscm.report.model import FittedModel

UNITS = 500  # enough to rank effects; the strongest ones are then computed with care
SHOWN = 12


@dataclass(frozen=True)
class StrongEffect:
    """One effect of raising a cause by its standard deviation, in the columns' units and in standard deviations."""

    effect: Effect
    spread: float

    @property
    def cause(self) -> Hashable:
        """The column that is raised."""
        return self.effect.question.treatment

    @property
    def outcome(self) -> Hashable:
        """The column that is looked at."""
        return self.effect.question.outcome

    @property
    def standardized(self) -> tuple[float, float, float]:
        """Low, estimate and high in standard deviations of the outcome."""
        found = self.effect
        return found.low / self.spread, found.estimate / self.spread, found.high / self.spread

    @property
    def extent(self) -> float:
        """How far the interval reaches from zero, in standard deviations of the outcome."""
        return max(map(abs, self.standardized))


def strongest_effects(model: FittedModel, rng: np.random.Generator) -> list[StrongEffect]:
    """Raise each column from its mean by one standard deviation, and keep the strongest effects on others."""
    scm = model.scm_
    sizes = np.abs(standardized_effects(scm, rng))
    ranked = sorted(zip(*np.nonzero(sizes > 1e-9), strict=True), key=lambda pair: -sizes[pair])[:SHOWN]
    found = []
    for cause, outcome in ranked:
        treated, control = _raised(scm, cause)
        effect = model.effect(scm.names[cause], scm.names[outcome], treated, control, random_state=rng)
        found.append(StrongEffect(effect, float(scm.scale[outcome])))
    return sorted(found, key=lambda strong: -abs(strong.standardized[1]))


def _raised(scm: LearnedSCM, cause: int) -> tuple[float, float]:
    """One standard deviation above the mean, and the mean; of levels, the one that is nearest to it and the next."""
    mean, response = float(scm.centre[cause]), scm.responses[cause]
    if not isinstance(response, Thresholds):
        return mean + float(scm.scale[cause]), mean
    place = min(int(response.places(np.array([mean]))[0]), len(response.levels) - 2)
    return float(response.levels[place + 1]), float(response.levels[place])


def standardized_effects(scm: LearnedSCM, rng: np.random.Generator) -> Array:
    """(D, D), row = cause: the total effect of one standard deviation more, in standard deviations of the outcome."""
    noise = scm.noise.sample(UNITS, rng)
    effects = np.zeros((len(scm.names), len(scm.names)))
    for cause in np.flatnonzero(scm.adjacency.any(axis=1)):
        name, mean = scm.names[cause], scm.centre[cause]
        raised, kept = (scm.do({name: value}).noise_to_sample(noise) for value in (mean + scm.scale[cause], mean))
        effects[cause] = (raised - kept).mean(axis=0) / scm.scale
        effects[cause, cause] = 0.0
    return effects
