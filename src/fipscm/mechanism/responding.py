"""SCMs whose nodes answer to a location and a noise, and categories among them. Shapes: N rows, D variables, K levels.

A category is a block of nodes, one for each level, which hold one for the level that a row has and zero for the others.
Each computes the score of its level; once the last one has, the largest score wins.
"""

from abc import abstractmethod

import numpy as np
from scipy.special import log_softmax, softmax

from fipscm.arrays import Array
from fipscm.mechanism.response.base import LogDensity, Response
from fipscm.mechanism.response.gumbel import noises_behind, one_hot
from fipscm.scm.nodewise import NodewiseSCM

Blocks = tuple[tuple[int, ...], ...]


class RespondingSCM(NodewiseSCM):
    """An SCM of locations and responses.

    Attributes:
        responses: how each node answers to its location and its noise.
        blocks: the nodes of each category, which follow each other in the order.
    """

    responses: tuple[Response, ...]
    blocks: Blocks

    @abstractmethod
    def situation(self, node: int, rows: Array) -> tuple[Array, Array]:
        """(N,) what rows (N, D) say about one node, its location, and (N, D) its standardized causes."""

    @property
    def is_discrete(self) -> bool:
        """Whether a value of some column leaves open which noise is behind it."""
        return any(response.discrete for response in self.responses)

    def node_value(self, node: int, rows: Array, noise: Array) -> Array:
        """One node from its causes and its noise; of a category the score of one level."""
        location, z = self.situation(node, rows)
        return self.responses[node].value(location, z, noise)

    def node_noise(self, node: int, rows: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """The noise with which one node takes its values, given its causes."""
        location, z = self.situation(node, rows)
        return self.responses[node].noise(location, z, values, rng)

    def node_log_density(self, node: int, rows: Array, values: Array, of_noise: LogDensity) -> Array:
        """(N,) log-densities of values (N,) of one node, given rows (N, D) that hold its causes, and of its noises.

        Of a category the node whose level a row has tells its probability, and the others nothing.
        """
        block = self.block_of(node)
        if len(block) > 1:
            told, own = np.zeros(len(rows)), np.flatnonzero(values == 1)
            if len(own):
                told[own] = log_softmax(self.scores(block, rows[own]), axis=1)[:, block.index(node)]
            return told
        location, z = self.situation(node, rows)
        return self.responses[node].log_density(location, z, values, of_noise)

    def node_means(self, nodes: tuple[int, ...], rows: Array) -> Array:
        """(N, K) what nodes, all of one category or one of its own, are on average given rows with their causes."""
        if len(nodes) > 1:
            return np.asarray(softmax(self.scores(nodes, rows), axis=1))
        location, z = self.situation(nodes[0], rows)
        return self.responses[nodes[0]].mean(location, z)[:, None]

    def block_of(self, node: int) -> tuple[int, ...]:
        """The nodes of the category that a node belongs to; otherwise the node alone."""
        return next((block for block in self.blocks if node in block), (node,))

    def scores(self, block: tuple[int, ...], rows: Array) -> Array:
        """(N, K) the locations of all levels of a category."""
        return np.column_stack([self.situation(node, rows)[0] for node in block])

    def settle(self, node: int, rows: Array) -> None:
        """Turn the scores of a category into one for the largest and zero for the others.

        What an intervention has set is one and zeros already.
        """
        for block in self.blocks:
            if node == block[-1]:
                rows[:, block] = one_hot(rows[:, block])

    def noises(self, rows: Array, values: Array, rng: np.random.Generator | None = None) -> Array:
        """(N, D), those of a category together."""
        found = super().noises(rows, values, rng)
        for block in self.blocks:
            found[:, block] = noises_behind(self.scores(block, rows), values[:, block], rng)
        return found
