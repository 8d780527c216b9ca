"""What missing cells cost in time: python benchmarks/missing.py.

The bar: a fit of 10 columns and 5,000 rows, one cell in ten missing, takes at most three times as long as that of the
complete table. Half of the columns are discrete. Times are processor seconds of one thread, so that whatever else the
machine does matters little.
"""

import time
import warnings

import torch
import typer

from fipscm import FiP
from fipscm.bench.data.problem import DataSet
from fipscm.bench.data.sources import make_problem
from fipscm.simulate.mixed.draw import MIXED


def seconds(variant: str, nodes: int, rows: int, seed: int, told: bool) -> float:
    """Of one fit, which is told the true graph or infers it."""
    problem = make_problem(DataSet(MIXED, nodes, rows=rows, seed=seed, variant=variant))
    started = time.process_time()
    FiP(graph=problem.adjacency if told else None, n_jobs=1, random_state=seed).fit(problem.table)
    return time.process_time() - started


def main(nodes: int = 10, rows: int = 5_000, seed: int = 1_000) -> None:
    """Fit one table with and without its missing cells."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    print("| given | complete | one cell in ten missing | ratio | wanted |\n| --- | --- | --- | --- | --- |")
    for told in (False, True):
        complete, missing = (seconds(variant, nodes, rows, seed, told) for variant in ("plain", "missing-10"))
        given = "graph" if told else "rows alone"
        print(f"| {given} | {complete:.1f} s | {missing:.1f} s | {missing / complete:.1f} | <= 3 |", flush=True)


if __name__ == "__main__":
    typer.run(main)
