"""Graphs of tables about people, places and things: attributes first, outcomes last. Shapes: H hidden, D visible nodes.

Nodes stand in causal order: hidden roots, then attributes, intermediate columns and outcomes.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fipscm.arrays import Adjacency, Mask

# Shares of the graphs: an outcome that every other column may move; a group or a time that moves most columns; one
# quantity at several times; hidden causes.
STAR, GROUPED, TIMED, REPEATED_MEASUREMENT, CONFOUNDED_BY = 0.12, 0.12, 0.12, 0.12, 0.25
MOST_CAUSES = 8
MOST_TIMES = 5
ATTRIBUTE_HAS_CAUSE, NO_CAUSE = 0.15, 0.08


class PlannedNode(NamedTuple):
    """A node: its role, and for each wave of a quantity, which wave comes before it (-1 for the first)."""

    role: str
    before: int = -1


@dataclass(frozen=True)
class Plan:
    """A graph in causal order: edges (H + D, H + D), its hidden roots first, and what each node is."""

    edges: Adjacency
    hidden: int
    nodes: tuple[PlannedNode, ...]

    @property
    def confounded(self) -> Mask:
        """(D, D) symmetric, true for two visible columns with a hidden cause in common."""
        moved = self.edges[: self.hidden, self.hidden :].astype(np.int64)
        return np.asarray((moved.T @ moved > 0) & ~np.eye(moved.shape[1], dtype=bool))

    @property
    def special(self) -> set[str]:
        """The roles beyond attributes, intermediate columns and outcomes that occur."""
        return {node.role for node in self.nodes} & {"star", "group", "time", "wave"}


def sample_plan(visible: int, rng: np.random.Generator) -> Plan:
    """Draw a graph."""
    nodes = _roles(visible, rng)
    has_trait = any(node.role == "wave" for node in nodes)
    count = int(rng.integers(1, max(visible // 6, 1) + 1)) if rng.random() < CONFOUNDED_BY and visible > 2 else 0
    hidden = count + has_trait
    edges = np.zeros((hidden + visible,) * 2, dtype=np.int8)
    edges[hidden:, hidden:] = _edges(nodes, rng)
    for root in range(count):
        edges[root, hidden + rng.choice(visible, min(visible, int(rng.integers(2, 5))), replace=False)] = 1
    if has_trait:
        edges[count, [hidden + place for place, node in enumerate(nodes) if node.role == "wave"]] = 1
    shifted = [PlannedNode(node.role, node.before + hidden if node.before >= 0 else -1) for node in nodes]
    return Plan(edges, hidden, (*[PlannedNode("hidden")] * count, *[PlannedNode("trait")] * has_trait, *shifted))


def _roles(visible: int, rng: np.random.Generator) -> list[PlannedNode]:
    """Draw what each visible node is, in causal order."""
    roots = ["time"] if rng.random() < TIMED else []
    roots += ["group"] if rng.random() < GROUPED and visible > len(roots) + 1 else []
    waves = int(rng.integers(2, MOST_TIMES + 1)) if rng.random() < REPEATED_MEASUREMENT else 0
    waves = waves if waves + len(roots) < visible else 0
    others = visible - waves - len(roots)
    attributes = round(others * rng.uniform(0.2, 0.6))
    outcomes = max(1, round(others * rng.uniform(0.1, 0.35))) if others > attributes else 0
    last = ["star"] if outcomes and rng.random() < STAR else ["outcome"][:outcomes]
    middle = ["intermediate"] * (others - attributes - outcomes)
    plain = roots + ["attribute"] * attributes
    start = len(plain)
    measured = [PlannedNode("wave", start + wave - 1 if wave else -1) for wave in range(waves)]
    later = middle + ["outcome"] * (outcomes - len(last)) + last
    return [*map(PlannedNode, plain), *measured, *map(PlannedNode, later)]


def _edges(nodes: list[PlannedNode], rng: np.random.Generator) -> Adjacency:
    """Draw the edges among the visible nodes."""
    edges = np.zeros((len(nodes),) * 2, dtype=np.int8)
    # A star has weak predictors that have little to do with each other.
    density = rng.uniform(0.1, 0.6) if nodes[-1].role == "star" else rng.uniform(0.3, 3.0)
    spread = rng.uniform(0.7, 1.0)
    for place, node in enumerate(nodes[1:], start=1):
        edges[_causes(node, place, density, rng), place] = 1
        if node.role not in ("time", "group"):
            moving = [root for root in range(place) if nodes[root].role in ("time", "group")]
            edges[moving, place] |= rng.random(len(moving)) < spread
        if node.before >= 0:
            edges[node.before, place] = 1
    return edges


def _causes(node: PlannedNode, place: int, density: float, rng: np.random.Generator) -> list[int]:
    """Draw the causes of a node among those that come before it."""
    if node.role == "star":
        return list(range(place))
    if node.role in ("time", "group"):
        return []
    if node.role == "attribute":
        return [int(rng.integers(place))] if rng.random() < ATTRIBUTE_HAS_CAUSE else []
    if rng.random() < NO_CAUSE:
        return []
    count = min(place, MOST_CAUSES, 1 + int(rng.poisson(density)))
    return [int(cause) for cause in rng.choice(place, count, replace=False)]
