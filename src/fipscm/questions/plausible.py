"""Models that the rows leave plausible. Shapes: N rows, D variables."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Adjacency, Array, Order
from fipscm.graph import adjacency_from_allowed
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise import EmpiricalNoise
from fipscm.questions.deviations import Deviations
from fipscm.scm.nodewise import NodewiseSCM


@dataclass(frozen=True, repr=False)
class PlausibleSCM(NodewiseSCM):
    """A learned SCM, with one draw of deviations added to the locations of its nodes."""

    names: tuple[Hashable, ...]
    order: Order
    noise: EmpiricalNoise
    learned: LearnedSCM
    deviations: Deviations
    draw: int

    @property
    def adjacency(self) -> Adjacency:
        """(D, D), 1 where the row may cause the column."""
        return adjacency_from_allowed(self.deviations.possible)

    def node_value(self, node: int, rows: Array, noise: Array) -> Array:
        """What the learned mechanism says where its location deviates."""
        z = self.learned.causes(node, rows)
        return self.learned.responses[node].value(self._location(node, rows, z), z, noise)

    def node_noise(self, node: int, rows: Array, values: Array) -> Array:
        """What neither the learned mechanism nor the deviation from it explains."""
        z = self.learned.causes(node, rows)
        return self.learned.responses[node].noise(self._location(node, rows, z), z, values)

    def _location(self, node: int, rows: Array, causes: Array) -> Array:
        """(N, D) rows and (N, D) standardized causes -> (N,); what deviates may read more columns than the causes."""
        scm = self.learned
        z, box = (rows - scm.centre) / scm.scale, scm.box.standardized(scm.centre, scm.scale)
        return np.asarray(scm.location(node, causes) + self.deviations.of_node(self.draw, node, z, box))


def plausible_models(scm: LearnedSCM, deviations: Deviations) -> Iterator[PlausibleSCM]:
    """The most plausible one first, then the drawn ones."""
    for draw in range(len(deviations)):
        yield PlausibleSCM(scm.names, scm.order, scm.noise, scm, deviations, draw)
