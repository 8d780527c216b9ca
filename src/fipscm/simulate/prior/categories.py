"""Tables of categories, as Bayesian networks of experts make them. Shapes: N rows, D columns.

Some columns may be grades that are recorded as numbers, and now and then a measurement depends on the categories.
"""

import numpy as np

from fipscm.arrays import Adjacency, Array
from fipscm.graph import leaves, relabel, topological_order
from fipscm.simulate.ingredients.categories.columns import Coded, sample_coded
from fipscm.simulate.ingredients.categories.tables import PROBABILITY_TABLES
from fipscm.simulate.ingredients.columns import some
from fipscm.simulate.ingredients.functions import standardized
from fipscm.simulate.ingredients.laws import LAWS
from fipscm.simulate.ingredients.parents import sample_sparse_graph
from fipscm.simulate.prior.drawn import Drawn
from fipscm.simulate.prior.recording import recorded_rows

MOST_CONFIGURATIONS = 128  # as many as experts fill in; each also needs rows to be learned from
GRADED_SHARE, MEASUREMENTS = 0.2, 0.15  # shares of the tables in which some columns are numbers
UNSEEN_ROOT = 0.15  # share of the tables
# Levels of all columns of a table: two, up to four, up to eight, or as many as towns and trades have.
LEVEL_RANGES = ((2, 2), (2, 2), (2, 4), (2, 4), (2, 8), (2, 20))
# Shares of the roots that are rare: in most tables some, in alarms and diagnoses nearly all.
RARE_SHARES = (0.0, 0.3, 0.3, 0.9)


def bayesian_network_table(nodes: int, rows: int, rng: np.random.Generator) -> Drawn:
    """Draw a Bayesian network of categories, and a table from it; now and then, nobody sees one of its roots."""
    complete = _network(nodes + 1, rows, rng)
    unseen = _unseen(complete.adjacency, rng)
    seen = np.delete(np.arange(nodes + 1), unseen)
    moved = complete.adjacency[unseen, seen] == 1
    confounded = np.outer(moved, moved) & ~np.eye(nodes, dtype=bool)
    values, recording = recorded_rows(complete.values[:, seen], rng)
    flags = {*complete.flags, *recording} | ({"hidden-cause"} if confounded.any() else set())
    adjacency = relabel(complete.adjacency, seen)
    return Drawn(values, complete.is_category[seen], adjacency, confounded, tuple(sorted(flags)))


def _unseen(adjacency: Adjacency, rng: np.random.Generator) -> int:
    """Now and then a root with effects; else a leaf, which nobody misses."""
    roots = np.flatnonzero(~adjacency.any(axis=0) & adjacency.any(axis=1))
    is_hidden = len(roots) and rng.random() < UNSEEN_ROOT
    return int(rng.choice(roots if is_hidden else np.flatnonzero(leaves(adjacency))))


def _network(nodes: int, rows: int, rng: np.random.Generator) -> Drawn:
    """Every column, in random order, and every cell."""
    low, high = LEVEL_RANGES[rng.integers(len(LEVEL_RANGES))]
    levels = rng.integers(low, high + 1, nodes)
    adjacency = _bounded(sample_sparse_graph(nodes, rng), levels.tolist(), rng)
    kinds = some(tuple(PROBABILITY_TABLES), rng)
    rare_share = float(rng.choice(RARE_SHARES))
    columns: dict[int, Coded] = {}
    for node in topological_order(adjacency).tolist():
        parents = [columns[parent] for parent in np.flatnonzero(adjacency[:, node])]
        columns[node] = sample_coded(parents, rows, int(levels[node]), str(rng.choice(kinds)), rare_share, rng)
    values = np.column_stack([columns[node].codes for node in range(nodes)]).astype(np.float64)
    is_category = rng.random(nodes) < (0.5 if rng.random() < GRADED_SHARE else 1.0)
    flags = {column.made_with for column in columns.values()} | ({"grades"} if not is_category.all() else set())
    if rng.random() < MEASUREMENTS:
        for node in np.flatnonzero(leaves(adjacency) & (rng.random(nodes) < 0.5)).tolist():
            values[:, node], is_category[node] = _measurement(columns[node], rng), False
            flags.add("measurement")
    return Drawn(values, is_category, adjacency, np.zeros((nodes, nodes), dtype=bool), tuple(flags))


def _bounded(adjacency: Adjacency, levels: list[int], rng: np.random.Generator) -> Adjacency:
    """Drop parents at random until each node has few enough configurations of them."""
    bounded = adjacency.copy()
    for node in range(len(bounded)):
        configurations = 1
        for parent in rng.permutation(np.flatnonzero(adjacency[:, node])).tolist():
            if configurations * levels[parent] > MOST_CONFIGURATIONS:
                bounded[parent, node] = 0
            else:
                configurations *= levels[parent]
    return bounded


def _measurement(column: Coded, rng: np.random.Generator) -> Array:
    """(N,) a measurement whose mean depends on the level, recorded with two decimals."""
    means = rng.standard_normal(column.levels)[column.codes]
    noise = standardized(LAWS[str(rng.choice(list(LAWS)))](rng, means.shape))
    return np.asarray(np.round(rng.uniform(5.0, 50.0) * (means + rng.uniform(0.2, 1.5) * noise), 2))
