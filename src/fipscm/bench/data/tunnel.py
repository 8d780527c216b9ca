"""A light tunnel, measured with and without interventions (Gamella et al., The Causal Chambers). Shapes: N rows.

The table is the tunnel left alone. In each other file one column was set in every row, two of the three far beyond the
table; the means of its descendants there are the truth.
"""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from fipscm.bench.data.problem import DataSet, Problem
from fipscm.errors import DataError
from fipscm.simulate import CounterfactualTest

NODES, TUNNEL_ROWS = 20, 4_000
TUNNEL = {f"tunnel-{column}": column for column in ("red", "pol_1", "l_21")}  # data sets by the column that is set
PLACE = Path("measured/chamber")


def tunnel_problem(data: DataSet, folder: Path | None) -> Problem:
    """One of TUNNEL: the table, the graph among its columns, and the rows in which one column was set."""
    if folder is None or not (folder / PLACE).is_dir():
        raise DataError(f"The light tunnel is not part of the package: name the folder with {PLACE} by --data.")
    place, target = folder / PLACE, TUNNEL[data.name]
    table, changed = (pd.read_csv(place / f"{name}.csv") for name in ("reference", f"set_{target}"))
    edges = pd.read_csv(place / "graph.csv")
    is_cause = pd.crosstab(edges.source, edges.target).clip(upper=1)
    adjacency = is_cause.reindex(index=table.columns, columns=table.columns, fill_value=0).to_numpy(dtype="int8")

    def tests() -> Iterator[CounterfactualTest]:
        """Other units than those in which the column was set: their means can be compared, single rows cannot."""
        factual = table.sample(len(changed), random_state=data.seed).reset_index(drop=True)
        yield CounterfactualTest(factual, {target: changed[target].to_numpy()}, changed)

    return Problem(table, adjacency, table.std(ddof=0).to_numpy(), tests, judged_by="far")
