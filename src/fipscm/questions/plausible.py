"""Models that the rows leave plausible. Shapes: N rows, P possible causes of one column, F inputs, K outputs."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from fipscm.arrays import Array, Order
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.mechanism import Mechanism, Situation
from fipscm.questions.deviations import Deviation, Deviations


@dataclass(frozen=True)
class Deviated(Mechanism):
    """A learned mechanism, with one draw of deviations added to its location.

    Attributes:
        deviation: all draws; it may read more columns than the causes.
        draw: which one.
    """

    deviation: Deviation
    draw: int

    @property
    def causes(self) -> Order:
        """(P,), all possible ones."""
        return self.deviation.inputs.causes

    def at(self, causes: Array) -> Situation:
        """What possible causes (N, P) say; beyond the rows the deviation, too, goes on along its tangent."""
        z, own = self.deviation.inputs(causes), self.inputs(causes[:, self._own])
        added, added_rise = self.deviation(self.draw, z, self.predictor.basis.functions)
        response, nearest = self.response, self.inputs.range.nearest(own)
        rise = self.inputs.range.rise(own, self.predictor, response.steepness, self.predictor.is_curved)
        location = self.predictor(nearest) + response.stretch * added
        further = response.steepness(location) * response.stretch * added_rise
        return Situation(response.continued(location, rise + further), nearest)

    @cached_property
    def _own(self) -> Order:
        """Which of the possible causes are the learned ones, in their order."""
        return np.searchsorted(self.deviation.inputs.causes, self.inputs.causes)


def plausible_model(
    scm: LearnedSCM, deviations: Deviations, draw: int, columns: Collection[int] | None = None
) -> LearnedSCM:
    """The model of one draw, in which all columns or some deviate; the first draw is the most plausible one."""
    deviating = range(len(scm.names)) if columns is None else columns
    mechanisms = [
        _deviated(mechanism, deviations.columns[node], draw) if node in deviating else mechanism
        for node, mechanism in enumerate(scm.mechanisms)
    ]
    return replace(scm, mechanisms=tuple(mechanisms))


def plausible_models(scm: LearnedSCM, deviations: Deviations) -> Iterator[LearnedSCM]:
    """The most plausible one first, then the drawn ones."""
    for draw in range(len(deviations)):
        yield plausible_model(scm, deviations, draw)


def _deviated(mechanism: Mechanism, deviation: Deviation, draw: int) -> Deviated:
    learned = {field.name: getattr(mechanism, field.name) for field in fields(Mechanism)}
    return Deviated(**learned, deviation=deviation, draw=draw)
