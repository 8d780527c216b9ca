"""Tables of other families, some of whose columns have nothing to do with the rest. Shapes: N rows, D columns."""

from dataclasses import replace

import numpy as np

from fipscm.graph import topological_order
from fipscm.simulate.ingredients.irrelevant import irrelevant_column
from fipscm.simulate.prior.categories import bayesian_network_table
from fipscm.simulate.prior.drawn import Drawn
from fipscm.simulate.prior.ingredients import ingredients_table
from fipscm.simulate.prior.survey import survey_table


def irrelevant_table(nodes: int, rows: int, rng: np.random.Generator) -> Drawn:
    """Draw a table of which one column, or a few, are irrelevant to all others."""
    draw = (bayesian_network_table, ingredients_table, survey_table)[rng.integers(3)]
    return with_irrelevant(draw(nodes, rows, rng), int(rng.integers(1, max(nodes // 3, 1) + 1)), rng)


def with_irrelevant(drawn: Drawn, count: int, rng: np.random.Generator) -> Drawn:
    """Let so many columns that come last in causal order, which no other one misses, give way to irrelevant ones."""
    values, is_category = drawn.values.copy(), drawn.is_category.copy()
    adjacency, confounded = drawn.adjacency.copy(), drawn.confounded.copy()
    for node in topological_order(adjacency)[-count:].tolist():
        present = ~np.isnan(values[:, node])
        column = irrelevant_column(int(present.sum()), rng)
        values[present, node], is_category[node] = column.record, column.is_category
        adjacency[:, node] = 0
        confounded[:, node] = confounded[node] = False
    flags = {*drawn.flags, "irrelevant-columns"} - (set() if confounded.any() else {"hidden-cause"})
    return replace(
        drawn,
        values=values,
        is_category=is_category,
        adjacency=adjacency,
        confounded=confounded,
        flags=tuple(sorted(flags)),
    )
