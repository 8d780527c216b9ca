"""Score the mechanism model on true orders: python benchmarks/mechanism_accuracy.py run, then ... table.

The whole pipeline, with inferred orders, is scored by `fipscm bench`.
`run` appends one line per SCM to a jsonl file and skips what is already there, every cell's first SCM before any
cell's second; `table` turns the file into the Markdown tables of docs/results/mechanism.md.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import torch
import typer

from fipscm.graph import allowed_from_order
from fipscm.mechanism import LearnedSCM, fit_mechanism
from fipscm.metrics import directed_f1, rescaled_l2
from fipscm.scm.standard import StandardSCM
from fipscm.simulate import counterfactual_tests, known_scm, metadataset
from fipscm.simulate.metadatasets import ROWS

app = typer.Typer(no_args_is_help=True, add_completion=False)
RESULTS = Path("benchmarks/results/mechanism.jsonl")
NAMES = ("lin-in", "lin-out", "rff-in", "rff-out")
# Directed F1 and counterfactual error.
PAPER = {"lin-in": (0.79, 0.066), "lin-out": (0.77, 0.11), "rff-in": (0.90, 0.10), "rff-out": (0.92, 0.12)}
# The comparison with Causal NF: intervened nodes, and the paper's error.
KNOWN = {"triangle": ((0, 1), 0.094), "simpson": ((0, 1, 2), 0.12), "large_bd": ((0, 1, 2, 4), 0.024)}


@dataclass(frozen=True)
class Cell:
    """One SCM to learn: a member of a random collection, or a known SCM and the seed of its rows."""

    name: str
    family: str
    nodes: int
    replicate: int


@app.command()
def run(
    results: Annotated[Path, typer.Option(help="Where to append the scores.")] = RESULTS,
    names: Annotated[str, typer.Option(help="Which collections, separated by commas.")] = ",".join((*KNOWN, *NAMES)),
    dims: Annotated[str, typer.Option(help="Which dimensions, separated by commas.")] = "10,20,50",
    per_family: Annotated[int, typer.Option(help="SCMs per graph family and dimension.")] = 3,
    threads: Annotated[int, typer.Option(help="Threads per fit.")] = 1,
) -> None:
    """Fit and score every SCM that has no score yet."""
    torch.set_num_threads(threads)
    results.parent.mkdir(parents=True, exist_ok=True)
    done = set(_scores(results)["cell"]) if results.exists() else set()
    for cell in _cells(names.split(","), [int(size) for size in dims.split(",")], per_family):
        if str(cell) in done:
            continue
        line = {"cell": str(cell), **asdict(cell), **_score(cell)}
        with results.open("a") as file:
            file.write(json.dumps(line) + "\n")
        typer.echo(line, err=True)


@app.command()
def table(
    results: Annotated[Path, typer.Option(help="The scores.")] = RESULTS,
) -> None:
    """Print the tables."""
    scores = _scores(results)
    print("| | SCMs (d = 10 / 20 / 50) | directed F1 | the paper | counterfactual r-l2, mean | median | the paper |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in NAMES:
        rows = scores[scores.name == name]
        if len(rows):
            counts = " / ".join(str((rows.nodes == size).sum()) for size in (10, 20, 50))
            f1, error = (rows.groupby("nodes")[column].mean().mean() for column in ("f1", "error"))
            median = rows.groupby("nodes")["error"].median().mean()
            paper = PAPER[name]
            print(f"| {name} | {counts} | {f1:.3f} | {paper[0]} | {error:.4f} | {median:.4f} | {paper[1]} |")
    print("\n| | d | SCMs | directed F1 | counterfactual r-l2, mean (std) | seconds per fit |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (name, nodes), rows in scores[scores.name.isin(NAMES)].groupby(["name", "nodes"]):
        error = f"{rows.error.mean():.4f} ({rows.error.std():.4f})"
        print(f"| {name} | {nodes} | {len(rows)} | {rows.f1.mean():.3f} | {error} | {rows.seconds.mean():.0f} |")
    print("\n| | seeds | counterfactual l2, mean (std) | the paper |")
    print("| --- | --- | --- | --- |")
    for name, (_, published) in KNOWN.items():
        rows = scores[scores.name == name]
        if len(rows):
            print(f"| {name} | {len(rows)} | {rows.error.mean():.4f} ({rows.error.std():.4f}) | {published} |")


def _scores(results: Path) -> pd.DataFrame:
    return pd.DataFrame([json.loads(line) for line in results.read_text().splitlines()]).drop_duplicates("cell")


def _cells(names: list[str], dims: list[int], per_family: int) -> Iterator[Cell]:
    for name in names:
        if name in KNOWN:
            yield from (Cell(name, "known", len(known_scm(name).names), seed) for seed in range(5))
    for replicate in range(per_family):
        for nodes in dims:
            for name in (name for name in names if name in NAMES):
                families = [case.family for case in metadataset(name, dims=[nodes], per_family=1)]
                yield from (Cell(name, family, nodes, replicate) for family in families)


def _score(cell: Cell) -> dict[str, Any]:
    if cell.name in KNOWN:
        return _known_score(known_scm(cell.name), KNOWN[cell.name][0], cell.replicate)
    case = next(
        case
        for case in metadataset(cell.name, dims=[cell.nodes], per_family=cell.replicate + 1)
        if (case.family, case.replicate) == (cell.family, cell.replicate)
    )
    frame = case.sample(ROWS)
    model, seconds = _timed_fit(frame, case.scm)
    scale = frame.to_numpy().std(axis=0)
    errors = [
        rescaled_l2(test.truth.to_numpy(), model.counterfactual(test.factual, test.do).to_numpy(), scale)
        for test in counterfactual_tests(case.scm, frame, case.generator("counterfactuals"))
    ]
    f1 = directed_f1(model.adjacency, case.scm.adjacency)
    return {"f1": f1, "error": float(np.mean(errors)), "seconds": seconds, "network_nodes": len(model.nodes)}


def _known_score(scm: StandardSCM, targets: tuple[int, ...], seed: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, len(targets)])
    frame = scm.sample(ROWS, rng)
    model, seconds = _timed_fit(frame, scm)
    errors = []
    for target in targets:
        for share in (0.25, 0.5, 0.75):
            do = {scm.names[target]: round(float(frame.iloc[:, target].quantile(share)), 2)}
            factual = scm.sample(1_000, rng)
            difference = model.counterfactual(factual, do) - scm.counterfactual(factual, do)
            errors.append(np.linalg.norm(difference.to_numpy(), axis=1).mean())
    f1 = directed_f1(model.adjacency, scm.adjacency)
    return {"f1": f1, "error": float(np.mean(errors)), "seconds": seconds, "network_nodes": len(model.nodes)}


def _timed_fit(frame: pd.DataFrame, scm: StandardSCM) -> tuple[LearnedSCM, float]:
    started = time.perf_counter()
    model = fit_mechanism(frame, allowed_from_order(scm.order))
    return model, time.perf_counter() - started


if __name__ == "__main__":
    app()
