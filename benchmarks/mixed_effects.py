"""Effects from rows alone beside those of a model that is given the true graph: python benchmarks/mixed_effects.py 0 1.

The bar: within 10 %, half of the columns discrete, 10 columns, 5,000 rows. Distances are shares of the length of the
effects, over all contrasts of `fipscm bench mixed`: between the two models, and from each model to the truth. Beside
them stand the edges that the rows alone missed, made up, or turned round.
"""

import warnings

import numpy as np
import torch
import typer

from fipscm import FiP
from fipscm.arrays import Adjacency
from fipscm.bench.data.problem import DataSet
from fipscm.bench.data.sources import make_problem
from fipscm.bench.methods.ours import FittedFiP
from fipscm.bench.run.scoring import mean_changes
from fipscm.metrics import SCORES
from fipscm.simulate.mixed.draw import MIXED


def wrong_edges(found: Adjacency, true: Adjacency) -> str:
    """Which edges are missed, made up and turned round, as names of columns."""
    missed, added = (true == 1) & (found == 0), (found == 1) & (true == 0)
    turned = missed & added.T
    kinds = {"missed": missed & ~turned, "made up": added & ~turned.T, "turned": turned}
    lists = {
        kind: ", ".join(f"x{i}->x{j}" for i, j in zip(*np.nonzero(edges), strict=True)) for kind, edges in kinds.items()
    }
    return "; ".join(f"{kind} {edges}" for kind, edges in lists.items() if edges) or "none"


def compare(nodes: int, rows: int, seed: int) -> str:
    """One SCM, as a line of the table."""
    problem = make_problem(DataSet(MIXED, nodes, rows=rows, seed=seed))
    assert problem.mixed is not None
    alone, told = (
        FiP(graph=graph, n_jobs=1, random_state=seed).fit(problem.table) for graph in (None, problem.adjacency)
    )
    true = [contrast.truth for contrast in problem.mixed.contrasts]
    by_rows, by_graph = (mean_changes(FittedFiP(model), problem.mixed, seed) for model in (alone, told))
    pairs = (by_graph, by_rows), (true, by_rows), (true, by_graph)
    distances = (SCORES["effects"](one, other, problem.unit) for one, other in pairs)
    return " | ".join(
        [str(seed), *(f"{each:.3f}" for each in distances), wrong_edges(alone.adjacency_.to_numpy(), problem.adjacency)]
    )


def main(seeds: list[int], nodes: int = 10, rows: int = 5_000) -> None:
    """Compare the two models on some SCMs."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    print("| SCM | rows alone to graph | rows alone to truth | graph to truth | wrong edges of rows alone |")
    print("| --- | --- | --- | --- | --- |")
    for seed in seeds:
        print(f"| {compare(nodes, rows, seed)} |", flush=True)


if __name__ == "__main__":
    typer.run(main)
