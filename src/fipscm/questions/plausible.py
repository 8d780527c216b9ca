"""Models that the rows leave plausible. Shapes: N rows, D variables."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from fipscm.arrays import Adjacency, Array, Order
from fipscm.graph import adjacency_from_allowed
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise.distribution import EmpiricalNoise
from fipscm.mechanism.responding import Blocks, RespondingSCM
from fipscm.mechanism.response.base import Response
from fipscm.questions.deviations import Deviations


@dataclass(frozen=True, repr=False)
class PlausibleSCM(RespondingSCM):
    """A learned SCM, with one draw of deviations added to the locations of its nodes."""

    names: tuple[Hashable, ...]
    order: Order
    noise: EmpiricalNoise
    responses: tuple[Response, ...]
    blocks: Blocks
    learned: LearnedSCM
    deviations: Deviations
    draw: int

    @property
    def adjacency(self) -> Adjacency:
        """(D, D), 1 where the row may cause the column."""
        return adjacency_from_allowed(self.deviations.possible)

    def situation(self, node: int, rows: Array) -> tuple[Array, Array]:
        """The location, with its deviation, and the causes; what deviates may read more columns than the causes."""
        scm, response, possible = self.learned, self.responses[node], self.deviations.possible[node]
        causes, centre, scale = scm.causes(node, rows), scm.centre[possible], scm.scale[possible]
        z, box = (rows[:, possible] - centre) / scale, scm.box.of_columns(possible).standardized(centre, scale)
        nearest, rise = scm.tangent(node, causes)
        added, added_rise = self.deviations.of_node(self.draw, node, z, box)
        location = response.moved(nearest, added)
        further = response.steepness(location) * (response.moved(location, added_rise) - location)
        return response.continued(location, rise + further), causes


def plausible_models(scm: LearnedSCM, deviations: Deviations) -> Iterator[PlausibleSCM]:
    """The most plausible one first, then the drawn ones."""
    for draw in range(len(deviations)):
        yield PlausibleSCM(scm.names, scm.order, scm.noise, scm.responses, scm.blocks, scm, deviations, draw)
