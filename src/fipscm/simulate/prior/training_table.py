"""What the order model trains on: tables as varied as measured ones. Shapes: N rows, D visible columns.

A table is drawn from one of the TABLE_FAMILIES; how often from which is told by the caller. The graphs, Laplace noise
and parameter ranges of P_OUT never appear, and neither do the test worlds' forms: arcsinh and kinks for post-nonlinear
values, bumps for noise scales, bounded factors, networks of logistic units.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Adjacency, Array, Mask
from fipscm.errors import DataError, GraphError, unknown_name
from fipscm.simulate.prior.altered import altered_table
from fipscm.simulate.prior.categories import bayesian_network_table
from fipscm.simulate.prior.drawn import Drawn, numeric
from fipscm.simulate.prior.ingredients import ingredients_table
from fipscm.simulate.prior.irrelevant import irrelevant_table
from fipscm.simulate.prior.p_in import training_scm
from fipscm.simulate.prior.survey import survey_table
from fipscm.tables.kinds import kind_of_numbers

FEWEST_NODES, FEWEST_TRAINING_ROWS = 2, 30


@dataclass(frozen=True)
class SimulatedTable:
    """A simulated table and the truth about it.

    Attributes:
        values: (N, D), NaN where a cell is missing; a category holds codes from 0 in an arbitrary order.
        kinds: what each column is, one of `tables.kinds.KINDS`.
        adjacency: (D, D) the true graph of the columns.
        confounded: (D, D) symmetric, true for two columns with a hidden cause in common.
        family: from which the table was drawn, one of TABLE_FAMILIES.
        flags: names of the ingredients used, sorted.
    """

    values: Array
    kinds: tuple[str, ...]
    adjacency: Adjacency
    confounded: Mask
    family: str
    flags: tuple[str, ...]


Sampler = Callable[[int, int, np.random.Generator], SimulatedTable]


def plain_table(nodes: int, rows: int, rng: np.random.Generator) -> Drawn:
    """P_IN as it is, in raw scales."""
    scm = training_scm(nodes, rng)
    values, _ = scm.sample_arrays(rows, rng)
    return numeric(values, scm.adjacency, np.zeros((nodes, nodes), dtype=bool), {"p-in"})


def _family(name: str, draw: Callable[[int, int, np.random.Generator], Drawn]) -> Sampler:
    def sample(nodes: int, rows: int, rng: np.random.Generator) -> SimulatedTable:
        drawn = draw(nodes, rows, rng)
        values = np.column_stack(
            [
                _relabelled(column, rng) if is_category else column
                for column, is_category in zip(drawn.values.T, drawn.is_category, strict=True)
            ]
        )
        kinds = tuple(map(_kind, values.T, drawn.is_category.tolist()))
        return SimulatedTable(values, kinds, drawn.adjacency, drawn.confounded, name, drawn.flags)

    return sample


TABLE_FAMILIES: dict[str, Sampler] = {
    "p-in": _family("p-in", plain_table),
    "altered": _family("altered", altered_table),
    "ingredients": _family("ingredients", ingredients_table),
    "categories": _family("categories", bayesian_network_table),
    "survey": _family("survey", survey_table),
    "irrelevant": _family("irrelevant", irrelevant_table),
}


def draw_nodes(ranges: Sequence[tuple[int, int, float]], rng: np.random.Generator) -> int:
    """Draw the number of variables of a table from one of these ranges, each of which has a weight."""
    weights = np.array([weight for _, _, weight in ranges])
    low, high, _ = ranges[rng.choice(len(weights), p=weights / weights.sum())]
    return int(rng.integers(low, high + 1))


def draw_rows(low: int, high: int, rng: np.random.Generator) -> int:
    """Draw the number of rows of a table: the larger of two draws, because few rows have little to teach."""
    return round(math.exp(rng.uniform(math.log(low), math.log(high), 2).max()))


def sample_training_table(
    nodes: int, rows: int, rng: np.random.Generator, shares: Mapping[str, float]
) -> SimulatedTable:
    """Draw one table from a family that is drawn with these shares.

    >>> sample_training_table(5, 200, np.random.default_rng(0), {"p-in": 1, "survey": 3}).values.shape
    (200, 5)
    """
    if nodes < FEWEST_NODES:
        raise GraphError(f"A training table with {nodes} variables has no order: ask for at least {FEWEST_NODES}.")
    if rows < FEWEST_TRAINING_ROWS:
        raise DataError(f"{rows} rows are too few to train on: ask for at least {FEWEST_TRAINING_ROWS}.")
    for name in shares:
        if name not in TABLE_FAMILIES:
            raise unknown_name("family of training tables", name, TABLE_FAMILIES)
    weights = np.array(list(shares.values()), dtype=np.float64)
    if not (weights >= 0).all() or not weights.sum() > 0:
        raise DataError("Shares of families of training tables are to be at least 0, and one of them above 0.")
    return TABLE_FAMILIES[str(rng.choice(list(shares), p=weights / weights.sum()))](nodes, rows, rng)


def _relabelled(codes: Array, rng: np.random.Generator) -> Array:
    """(N,) the levels that occur as 0, 1, ... in an arbitrary order; NaN stays."""
    present = ~np.isnan(codes)
    levels, places = np.unique(codes[present], return_inverse=True)
    relabelled = np.full_like(codes, np.nan)
    relabelled[present] = rng.permutation(len(levels))[places]
    return relabelled


def _kind(column: Array, is_category: bool) -> str:
    if not is_category:
        return kind_of_numbers(column)
    return "binary" if np.nanmax(column) == 1 else "categorical"
