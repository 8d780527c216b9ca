"""Tables of categories, as Bayesian networks of experts make them. Shapes: N rows, D columns.

Some columns may be grades that are recorded as numbers, and now and then a measurement depends on the categories.
"""

import numpy as np

from fipscm.arrays import Adjacency, Array
from fipscm.graph import topological_order
from fipscm.order.training.families.drawn import Drawn
from fipscm.order.training.families.recording import recorded_rows
from fipscm.simulate.ingredients.categories.columns import Coded, sample_coded
from fipscm.simulate.ingredients.categories.tables import TABLES
from fipscm.simulate.ingredients.columns import some
from fipscm.simulate.ingredients.functions import standardized
from fipscm.simulate.ingredients.laws import LAWS
from fipscm.simulate.ingredients.parents import sample_sparse_graph

MOST_CONFIGURATIONS = 128  # as many as experts fill in; each also needs rows to be learned from
GRADES, MEASUREMENTS = 0.2, 0.15  # shares of the tables in which some columns are numbers
# Levels of all columns of a table: two, up to four, or up to eight.
LEVELS = ((2, 2), (2, 4), (2, 4), (2, 8))


def categories_table(nodes: int, rows: int, rng: np.random.Generator) -> Drawn:
    """Draw a Bayesian network of categories, and a table from it."""
    adjacency = sample_sparse_graph(nodes, rng)
    low, high = LEVELS[rng.integers(len(LEVELS))]
    levels = rng.integers(low, high + 1, nodes)
    adjacency = _bounded(adjacency, levels.tolist(), rng)
    kinds = some(tuple(TABLES), rng)
    columns: dict[int, Coded] = {}
    for node in topological_order(adjacency).tolist():
        parents = [columns[parent] for parent in np.flatnonzero(adjacency[:, node])]
        columns[node] = sample_coded(parents, rows, int(levels[node]), str(rng.choice(kinds)), rng)
    values = np.column_stack([columns[node].codes for node in range(nodes)]).astype(np.float64)
    is_category = np.ones(nodes, dtype=bool)
    flags = {columns[node].made_with for node in range(nodes)}
    if rng.random() < GRADES:
        is_category &= rng.random(nodes) < 0.5
        flags.add("grades")
    if rng.random() < MEASUREMENTS:
        for node in np.flatnonzero(~adjacency.any(axis=1) & (rng.random(nodes) < 0.5)):
            values[:, node], is_category[node] = _measurement(columns[int(node)], rng), False
            flags.add("measurement")
    values, recording = recorded_rows(values, rng)
    unconfounded = np.zeros((nodes, nodes), dtype=bool)
    return Drawn(values, is_category, adjacency, unconfounded, tuple(sorted(flags | recording)))


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
