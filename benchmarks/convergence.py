"""Counterfactuals come close to the truth as rows grow, given the order: python benchmarks/convergence.py.

The paper proves it for every SCM that is increasing in its noises. Here its model, the transformer alone with monotone
noise, learns SCMs whose noise is not additive; beside it stands a model with additive noise of the same rows.
An error is the root mean square over all cells of rows with one variable set to a value between its outer tenths, each
column in units of its standard deviation.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import typer
from matplotlib.figure import Figure

from fipscm import FiP
from fipscm.scm.base import SCM
from fipscm.simulate.worlds import VARIANTS
from fipscm.tables.write import write_whole

WORLDS = ("non-additive", "post-nonlinear", "location-scale")
ROWS = (1_000, 3_000, 10_000, 30_000, 100_000)
MODELS = {
    "monotone noise, transformer alone": {"noise": "monotone", "skip": False},
    "additive noise": {"noise": "additive"},
}


def counterfactual_error(model: FiP, scm: SCM, test: pd.DataFrame, rng: np.random.Generator) -> float:
    """Average over the variables that have effects."""
    scale, errors = test.std(ddof=0), []
    for cause in test.columns[scm.adjacency.any(axis=1)]:
        do = {cause: float(test[cause].quantile(rng.uniform(0.1, 0.9)))}
        gap = (model.counterfactual(test, do) - scm.counterfactual(test, do)) / scale
        errors.append(np.sqrt(np.square(gap.to_numpy()).mean()))
    return float(np.mean(errors))


def measured(world: str, nodes: int, seed: int, rows: tuple[int, ...]) -> pd.DataFrame:
    """One row per model and number of rows."""
    rng = np.random.default_rng(seed)
    drawn = VARIANTS[world]("rff-in", nodes, "released", "erdos-renyi", max(rows), rng)
    assert drawn.scm is not None
    order = [drawn.scm.names[column] for column in drawn.scm.order]
    test, found = drawn.scm.sample(1_000, rng), []
    for count in rows:
        for name, options in MODELS.items():
            model = FiP(order=order, random_state=seed, **options).fit(drawn.table[:count])
            error = counterfactual_error(model, drawn.scm, test, np.random.default_rng(seed))
            found.append({"world": world, "seed": seed, "rows": count, "model": name, "error": error})
            print(*found[-1].values(), sep="\t", flush=True)
    return pd.DataFrame(found)


def draw(results: pd.DataFrame, path: Path) -> None:
    """A panel per world, a line per model; both axes are logarithmic."""
    canvas = Figure(figsize=(3.6 * len(WORLDS), 3.4), layout="constrained")
    axes = canvas.subplots(1, len(WORLDS), sharey=True, squeeze=False)[0]
    for axis, (world, part) in zip(axes, results.groupby("world", sort=False), strict=True):
        for model, scores in part.groupby("model", sort=False):
            means = scores.groupby("rows").error.mean()
            axis.loglog(means.index, means, marker="o", label=model)
        axis.set(title=world, xlabel="rows")
    axes[0].set_ylabel("counterfactual error")
    axes[0].legend(frameon=False, fontsize=8)
    write_whole(path, lambda file: canvas.savefig(file, format="png", dpi=120))


def main(
    nodes: int = 4,
    seeds: int = 1,
    most: int = ROWS[-1],
    out: Path = Path("docs/pictures/convergence.png"),
) -> None:
    """Measure, print every result, and draw them."""
    rows = tuple(count for count in ROWS if count <= most)
    draw(pd.concat([measured(world, nodes, seed, rows) for world in WORLDS for seed in range(seeds)]), out)


if __name__ == "__main__":
    typer.run(main)
