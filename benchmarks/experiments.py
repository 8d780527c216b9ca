"""What rows from experiments are worth to an order: python benchmarks/experiments.py simulated, or measured FOLDER.

Each table is read without its experiments (its reference alone, or all rows as if nothing had been done), and with
their targets told as set, told as changed somehow, or untold: rows that belong together.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import typer

from fipscm.arrays import Adjacency, Array
from fipscm.metrics import directed_f1, tos
from fipscm.order import zero_shot
from fipscm.scm.standard import StandardSCM
from fipscm.simulate import sample_scm

app = typer.Typer(help=__doc__)
SCMS = "lin-in", "lin-out", "rff-in", "rff-out"
# What each reagent acts on, by the literature on these cells (Sachs and others, 2005): most change an activity.
SACHS = {
    "aktinhib": "akt",
    "g0076": "pkc",
    "psitect": "pip2",
    "u0126": "mek",
    "ly": "akt",
    "pma": "pkc",
    "b2camp": "pka",
}
TUNNEL = "red", "pol_1", "l_21"


class Trial(NamedTuple):
    """A table with experiments: its rows, the experiment of each ("" in the reference), and targets by experiment."""

    table: pd.DataFrame
    arm: pd.Series
    targets: dict[str, str]
    adjacency: Adjacency

    def cells(self) -> dict[str, list[str]]:
        """What `intervened` is told, row by row; an experiment whose target is not known is a setting."""
        named = {arm: self.targets.get(arm, f"?{arm}") for arm in self.arm.unique()}
        changed = {arm: f"~{name}" if arm in self.targets else name for arm, name in named.items()}
        settings = {arm: f"?{arm}" for arm in named}
        kinds = {"set": named, "changed": changed, "settings": settings}
        return {told: list(self.arm.map({**cell, "": ""})) for told, cell in kinds.items()}

    def scores(self) -> Iterator[tuple[str, float, float]]:
        """What is told, the ordering score and the directed F1."""
        reference = self.table[(self.arm == "").to_numpy()]
        yield "nothing, reference alone", *self.score(reference, None)
        yield "nothing, all rows", *self.score(self.table, None)
        for told, cells in self.cells().items():
            yield told, *self.score(self.table, cells)

    def score(self, table: pd.DataFrame, intervened: list[str] | None) -> tuple[float, float]:
        """The ordering score and the directed F1 of a zero-shot order and graph."""
        found = zero_shot(table, intervened=intervened, keep=list(table.columns))
        return tos(found.positions, self.adjacency), directed_f1(found.adjacency(), self.adjacency)


def simulated_trial(seed: int, hard: bool, drift: float, nodes: int, reference: int, rows: int, arms: int) -> Trial:
    """A random SCM with rows of a reference, and of experiments on one column each.

    A hard one sets the column, to a number or to random ones; a soft one shifts and rescales its values, which still
    depend on its causes. With drift, each experiment shifts every column a little, in standard deviations.
    """
    rng = np.random.default_rng(seed)
    scm = sample_scm(SCMS[seed % len(SCMS)], nodes, rng)
    observed, _ = scm.sample_arrays(2_000, rng)
    mean, spread = observed.mean(axis=0), observed.std(axis=0)
    arm = np.repeat(np.arange(arms + 1), [reference] + [rows] * arms)
    targets = rng.permutation(nodes)[:arms]
    values = _acted_on(scm, arm, targets, hard, mean, spread, rng)
    values += (rng.normal(size=(arms + 1, nodes)) * drift * spread)[arm]
    table = pd.DataFrame(values, columns=list(scm.names))
    named = {f"on {scm.names[target]}": str(scm.names[target]) for target in targets}
    return Trial(table, pd.Series(np.array(["", *named])[arm]), named, np.asarray(scm.adjacency))


def _acted_on(
    scm: StandardSCM,
    arm: Array,
    targets: Array,
    hard: bool,
    mean: Array,
    spread: Array,
    rng: np.random.Generator,
) -> Array:
    """(N, D) rows, of which those of each arm were acted on at its target."""
    noise, values = scm.sample_arrays(len(arm), rng)[1], np.zeros((len(arm), len(mean)))
    for node in scm.order:
        values[:, node] = scm.node_value(node, values, noise[:, node])
        for place, target in enumerate(targets):
            inside = arm == place + 1
            if target == node:
                natural = (values[inside, node] - mean[node]) / spread[node]
                shift = rng.choice([-1, 1]) * rng.uniform(0.5, 2)
                random = rng.uniform(-2, 2, len(natural)) if rng.random() < 0.5 else 0.0
                acted = shift + (random if hard else rng.uniform(0.2, 2) * natural)
                values[inside, node] = mean[node] + spread[node] * acted
    return values


@app.command()
def simulated(
    tables: int = 400, nodes: int = 6, reference: int = 500, rows: int = 100, arms: int = 3, drift: float = 0.0
) -> None:
    """Mean scores over random SCMs, a quarter each linear or not, with normal or Laplace noise."""
    print("| experiments | told | TOS | F1 | tables |\n| --- | --- | --- | --- | --- |")
    for hard in (True, False):
        trials = (simulated_trial(seed, hard, drift, nodes, reference, rows, arms) for seed in range(tables))
        scores = pd.DataFrame([score for trial in trials for score in trial.scores()], columns=["told", "tos", "f1"])
        for told, found in scores.groupby("told", sort=False):
            figures = (f"{found[key].mean():.3f} ± {found[key].sem():.3f}" for key in ("tos", "f1"))
            print(f"| {'hard' if hard else 'soft'} | {told} | {' | '.join(figures)} | {len(found)} |", flush=True)


@app.command()
def measured(folder: Path) -> None:
    """The scores of the light tunnel and of the Sachs cells; the folder holds measured/chamber and sachs."""
    print("| table | told | TOS | F1 |\n| --- | --- | --- | --- |")
    for name, trial in (("light tunnel", tunnel(folder / "measured/chamber")), ("Sachs", sachs(folder / "sachs"))):
        for told, *scores in trial.scores():
            print(f"| {name} | {told} | {' | '.join(f'{score:.2f}' for score in scores)} |", flush=True)


def tunnel(folder: Path) -> Trial:
    """The light tunnel: a reference, and three experiments that set a column."""
    parts = [pd.read_csv(folder / f"{name}.csv") for name in ("reference", *(f"set_{name}" for name in TUNNEL))]
    arm = pd.Series(np.repeat(["", *(f"set {name}" for name in TUNNEL)], [len(part) for part in parts]))
    names, edges = list(parts[0].columns), pd.read_csv(folder / "graph.csv")
    edges = edges[edges["source"].isin(names) & edges["target"].isin(names)]
    adjacency = np.zeros((len(names), len(names)), dtype=np.int8)
    adjacency[[names.index(name) for name in edges["source"]], [names.index(name) for name in edges["target"]]] = 1
    return Trial(pd.concat(parts, ignore_index=True), arm, {f"set {name}": name for name in TUNNEL}, adjacency)


def sachs(folder: Path) -> Trial:
    """Eleven proteins in nine conditions, of which the reference is a general stimulus that eight have in common."""
    table, graph = pd.read_csv(folder / "experiments.csv"), pd.read_csv(folder / "graph.csv", index_col=0)
    proteins = list(table.columns[: len(graph)])
    reagents = table.drop(columns=[*proteins, "cd3_cd28"])
    arm = reagents.idxmax(axis=1).where(reagents.any(axis=1), "")
    return Trial(table[proteins], arm, SACHS, graph.to_numpy(dtype=np.int8))


if __name__ == "__main__":
    app()
