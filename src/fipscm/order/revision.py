"""A second opinion on an order: edges are turned where the rows are much likelier the other way round.

Shapes: N rows, D variables. The network knows what rows look like that are made like those of training; a likelihood
knows rows of any smooth make. What it says counts where it outweighs the lead by which the network decided.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array, Mask, Order
from fipscm.graph import allowed_from_order
from fipscm.order.likelihood import RowLikelihood

# What the logarithm of one plus the gain in standard errors counts, in log odds of a leaf: learned on tables of
# training (`python benchmarks/order.py revisions`).
WORTH = 1.6
LARGEST_LEAD = 5.0  # few gains outweigh more
MOST_PAIRS = 60  # in doubt, the closest first: each takes its time
ROUNDS = 15
RELATED = 0.02  # the least probability of an edge between two columns that may matter to each other


@dataclass(frozen=True)
class Revision:
    """An order and, at [i, j], the log odds that rows add to i being a cause of j where they turned an edge."""

    order: Order
    evidence: Array


@dataclass(frozen=True)
class Turn:
    """An order in which some pairs stand the other way round, and what speaks for and against it.

    Attributes:
        order: of the columns.
        pairs: (i, j), the pairs of related columns of which i stood before j; first the one that it is about.
        evidence: what the rows say for it, in log odds of a leaf.
        lead: what the network said against it.
    """

    order: list[int]
    pairs: list[tuple[int, int]]
    evidence: float
    lead: float

    @property
    def pair(self) -> tuple[int, int]:
        """What the turn is about."""
        return self.pairs[0]


def revised(rows: Array, order: Order, edges: Array, leads: Array, before: Mask | None = None) -> Revision:
    """Turn edges of an order for which complete rows (N, D) speak more strongly than the network does against it.

    edges: (D, D) probabilities along the order; leads: (D, D) at [i, j], by how much j was likelier a leaf than i when
    it was removed; before: (D, D), true at [i, j] where i is known to stand before j.
    """
    likelihood = RowLikelihood.of(rows, np.random.default_rng(0))
    related, leads = _related(edges), leads.copy()
    current, evidence = [int(column) for column in order], np.zeros_like(leads)
    for _ in range(ROUNDS):
        possible = _turns(likelihood, current, related, leads, before)
        best = max(possible, key=lambda turn: turn.evidence - turn.lead, default=None)
        if best is None or best.evidence <= best.lead:
            break
        for cause, effect in best.pairs:
            leads[effect, cause] = -leads[cause, effect]
            evidence[effect, cause], evidence[cause, effect] = best.evidence, 0.0
        current = best.order
    return Revision(np.array(current, dtype=np.intp), evidence)


def turns(rows: Array, order: Order, edges: Array, leads: Array) -> list[Turn]:
    """What speaks for and against turning each related pair of an order; arguments as in `revised`."""
    likelihood = RowLikelihood.of(rows, np.random.default_rng(0))
    return list(_turns(likelihood, [int(column) for column in order], _related(edges), leads, None))


def _related(edges: Array) -> Mask:
    return np.asarray(np.maximum(edges, edges.T) > RELATED)


def _turns(
    likelihood: RowLikelihood, order: list[int], related: Mask, leads: Array, before: Mask | None
) -> Iterator[Turn]:
    causes = _causes(order, related)
    for pair, new in _neighbours(order, related, leads):
        changed = {column: after for column, after in _causes(new, related).items() if after != causes[column]}
        pairs = [(cause, column) for column, after in changed.items() for cause in causes[column] - after]
        lead = max(float(leads[each]) for each in pairs)
        if lead < LARGEST_LEAD and (before is None or not (before & allowed_from_order(np.array(new))).any()):
            gains = np.sum(
                [likelihood.given(c, after) - likelihood.given(c, causes[c]) for c, after in changed.items()], 0
            )
            yield Turn(new, sorted(pairs, key=lambda each: each != pair), WORTH * _signed_log(_in_errors(gains)), lead)


def _neighbours(order: list[int], related: Mask, leads: Array) -> Iterator[tuple[tuple[int, int], list[int]]]:
    """Orders in which one pair of related columns stands the other way round, closest decisions first."""
    place = {column: at for at, column in enumerate(order)}
    pairs = [(i, j) for at, j in enumerate(order) for i in order[:at] if related[i, j] and leads[i, j] < LARGEST_LEAD]
    for i, j in sorted(pairs, key=lambda pair: leads[pair])[:MOST_PAIRS]:
        first, last = place[i], place[j]
        between = order[first + 1 : last]
        yield (i, j), [*order[:first], j, i, *between, *order[last + 1 :]]
        if between:
            yield (i, j), [*order[:first], *between, j, i, *order[last + 1 :]]


def _in_errors(gains: Array) -> float:
    """The mean of gains (N,) in its standard errors."""
    error = gains.std() / np.sqrt(len(gains))
    return float(gains.mean() / max(error, np.finfo(np.float64).tiny))


def _signed_log(size: float) -> float:
    return float(np.sign(size) * np.log1p(abs(size)))


def _causes(order: list[int], related: Mask) -> dict[int, frozenset[int]]:
    """Of each column those that stand before it and may matter to it."""
    return {column: frozenset(c for c in order[:at] if related[c, column]) for at, column in enumerate(order)}
