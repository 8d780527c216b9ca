"""What points on a scale, ratings and rain are best taken for: python benchmarks/scales.py.

Three made-up tables: a column `y` of whole numbers with two causes and one effect, the graph given, `y` taken for each
kind in turn. Distances of quantiles between samples of model and truth, and errors of the mean of `y` under
interventions, in standard deviations of `y`.
"""

import warnings
from collections.abc import Callable

import networkx as nx
import numpy as np
import pandas as pd
import torch
import typer

from fipscm import FiP
from fipscm.arrays import Array

GRAPH = nx.DiGraph([("other", "y"), ("cause", "y"), ("y", "effect")])
UNITS = 20_000
Draw = Callable[[np.random.Generator, Array, Array], Array]


def points(rng: np.random.Generator, other: Array, cause: Array) -> Array:
    """From 0 to 10: a rounded sum."""
    return (5 + 0.6 * other - 1.2 * cause + 1.6 * rng.normal(size=len(cause))).round().clip(0, 10)


def rating(rng: np.random.Generator, other: Array, cause: Array) -> Array:
    """From 0 to 4: how many thresholds a sum passes."""
    return np.digitize(cause + 0.5 * other + rng.logistic(size=len(cause)), [-1.5, -0.4, 0.4, 1.5]).astype(np.float64)


def rain(rng: np.random.Generator, other: Array, cause: Array) -> Array:
    """Nothing, or a rounded amount."""
    wet = rng.random(len(cause)) < 1 / (1 + np.exp(-cause - 0.5 * other))
    return (rng.gamma(1.2, 1, len(cause)) * np.exp(1 + 0.4 * cause) * wet).round()


def table(draw: Draw, rng: np.random.Generator, rows: int, cause: float | None = None) -> pd.DataFrame:
    """Rows of one of them; the cause may be set."""
    other, own = rng.normal(size=(2, rows))
    own = own if cause is None else np.full(rows, cause)
    y = draw(rng, other, own)
    return pd.DataFrame({"other": other, "cause": own, "y": y.astype(int), "effect": 0.5 * y + rng.normal(size=rows)})


def figures(draw: Draw, kind: str, rows: int, seed: int) -> tuple[float, float, float]:
    """The distance of samples, the error of an effect, and that of a mean far beyond the rows."""
    truth = table(draw, np.random.default_rng(0), UNITS)["y"]
    model = FiP(graph=GRAPH, kinds={"y": kind}, random_state=0).fit(table(draw, np.random.default_rng([1, seed]), rows))
    shares = np.linspace(0.005, 0.995, 199)
    distance = np.abs(truth.quantile(shares) - model.sample(UNITS, 0)["y"].quantile(shares)).mean()

    def error(cause: float) -> float:
        learned = model.intervene({"cause": cause}, UNITS, 0)["y"].mean()
        return float(learned - table(draw, np.random.default_rng(0), UNITS, cause)["y"].mean())

    return tuple(float(each / truth.std()) for each in (distance, abs(error(1.0) - error(-1.0)), abs(error(3.5))))


def main(rows: int = 2_000, tables: int = 3) -> None:
    """Compare what each column may be taken for."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    print("| column | taken for | samples | effect | far beyond |\n| --- | --- | --- | --- | --- |")
    for draw in (points, rating, rain):
        for kind in ("count", "ordinal", "continuous"):
            means = np.mean([figures(draw, kind, rows, seed) for seed in range(tables)], axis=0)
            print(f"| {draw.__name__} | {kind} | {' | '.join(f'{mean:.3f}' for mean in means)} |", flush=True)


if __name__ == "__main__":
    typer.run(main)
