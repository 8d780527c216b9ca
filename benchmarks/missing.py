"""What missing cells cost: python benchmarks/missing.py times, or errors 0 1 2, or orders 0 1 2 for three SCMs.

The bars, with one cell in ten missing: a fit of 10 columns and 5,000 rows takes at most three times as long as that of
the complete table, and filling in is better than dropping rows. Half of the columns are discrete. Times are processor
seconds of one thread, so that whatever else the machine does matters little.
"""

import time
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import torch
import typer

from fipscm import FiP, infer_order
from fipscm.bench.data.problem import DataSet
from fipscm.bench.data.sources import make_problem
from fipscm.bench.methods.ours import Estimator
from fipscm.bench.run.scoring import score_answer
from fipscm.metrics import tos
from fipscm.simulate.mixed.draw import MIXED
from fipscm.simulate.worlds import PLAIN

app = typer.Typer(help=__doc__)


def seconds(variant: str, nodes: int, rows: int, seed: int, told: bool) -> float:
    """Of one fit, which is told the true graph or infers it."""
    problem = make_problem(DataSet(MIXED, nodes, rows=rows, seed=seed, variant=variant))
    started = time.process_time()
    FiP(graph=problem.adjacency if told else None, n_jobs=1, random_state=seed).fit(problem.table)
    return time.process_time() - started


@app.command()
def times(nodes: int = 10, rows: int = 5_000, seed: int = 1_000) -> None:
    """Fit one table with and without its missing cells."""
    print("| given | complete | one cell in ten missing | ratio | wanted |\n| --- | --- | --- | --- | --- |")
    for told in (False, True):
        complete, missing = (seconds(variant, nodes, rows, seed, told) for variant in ("plain", "missing-10"))
        given = "graph" if told else "rows alone"
        print(f"| {given} | {complete:.1f} s | {missing:.1f} s | {missing / complete:.1f} | <= 3 |", flush=True)


def scores(variant: str, nodes: int, rows: int, seed: int, given: str, missing: str) -> dict[str, float]:
    """Of one fit, which is given the rows, the true order or the true graph."""
    problem, rng = make_problem(DataSet(MIXED, nodes, rows=rows, seed=seed, variant=variant)), np.random.default_rng(0)
    answer = Estimator("fip", "", given, missing=missing, n_jobs=1).solve(problem, rng)
    return score_answer(replace(answer, doubts=None), problem, rng)


@app.command()
def errors(seeds: list[int], nodes: int = 10, rows: int = 1_000, given: str = "graph") -> None:
    """Fill in or drop in several SCMs: means over them of F1, the error of effects and that of counterfactuals."""
    print("| cells | F1: filled in / dropped | effects | counterfactuals |\n| --- | --- | --- | --- |")
    for variant in ("missing-10", "missing-depending-10"):
        filled, dropped = (
            pd.DataFrame([scores(variant, nodes, rows, seed, given, missing) for seed in seeds]).mean()
            for missing in ("impute", "drop")
        )
        pairs = (f"{filled[key]:.3f} / {dropped[key]:.3f}" for key in ("f1", "effects", "counterfactual"))
        print(f"| {variant} | {' | '.join(pairs)} |", flush=True)


@app.command()
def orders(seeds: list[int], nodes: int = 10, rows: int = 1_000) -> None:
    """Infer orders from complete tables, tables with holes, and complete rows alone: means of their ordering scores."""
    print("| cells | complete table | filled in | complete rows alone |\n| --- | --- | --- | --- |")
    for variant in ("missing-10", "missing-depending-10"):
        asked = ((PLAIN, False), (variant, False), (variant, True))
        means = (np.mean([ordering_score(cells, nodes, rows, seed, drop) for seed in seeds]) for cells, drop in asked)
        print(f"| {variant} | {' | '.join(f'{mean:.3f}' for mean in means)} |", flush=True)


def ordering_score(variant: str, nodes: int, rows: int, seed: int, drop: bool) -> float:
    """Of the order inferred from one table, or from its complete rows."""
    problem = make_problem(DataSet(MIXED, nodes, rows=rows, seed=seed, variant=variant))
    names = list(problem.table.columns)
    order = infer_order(problem.table.dropna() if drop else problem.table)
    return tos([names.index(name) for name in order], problem.adjacency)


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    app()
