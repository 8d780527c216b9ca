"""Score zero-shot orders and graphs: python benchmarks/order.py run --help, then python benchmarks/order.py table.

`run` appends one line per data set, scale and method to a jsonl file and skips what is already there; `table` turns the
file into the Markdown tables of docs/results/order.md.
"""

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from fipscm.metrics import directed_f1, tos
from fipscm.order import METHODS, SCALES, infer_order, load_encoder, zero_shot
from fipscm.order.checkpoint import load_tensors
from fipscm.order.weights import WEIGHTS, save_encoder
from fipscm.simulate import PRIORS, metadataset

app = typer.Typer(no_args_is_help=True, add_completion=False)
RESULTS = Path("benchmarks/results/order.jsonl")
USUAL = (10, 20, 50)
NAMES = ("lin-in", "lin-out", "rff-in", "rff-out")


@dataclass(frozen=True)
class Cell:
    """One score: who was asked, on what scale, about which data set."""

    method: str
    scale: str
    name: str
    preset: str
    family: str
    nodes: int
    replicate: int
    rows: int


def _listed(text: str) -> list[str]:
    return text.split(",")


def _done(results: Path) -> set[Cell]:
    if not results.exists():
        return set()
    keys = Cell.__dataclass_fields__
    return {Cell(**{key: line[key] for key in keys}) for line in map(json.loads, results.read_text().splitlines())}


@app.command()
def run(
    methods: Annotated[str, typer.Option(help=f"Comma-separated: {', '.join(METHODS)}.")] = "evidence,variance,r2",
    scales: str = ",".join(SCALES),
    names: str = ",".join(NAMES),
    presets: str = ",".join(PRIORS),
    dims: str = "10,20,50",
    per_family: int = 3,
    rows: int = 10_000,
    seed: int = 0,
    jobs: int = 1,
    weights: Path = WEIGHTS,
    results: Path = RESULTS,
) -> None:
    encoder = load_encoder(weights)
    results.parent.mkdir(parents=True, exist_ok=True)
    done = _done(results)
    for preset in _listed(presets):
        for name in _listed(names):
            for case in metadataset(
                name, dims=[int(d) for d in _listed(dims)], preset=preset, per_family=per_family, seed=seed
            ):
                table = None
                for method in _listed(methods):
                    for scale in _listed(scales):
                        cell = Cell(method, scale, name, preset, case.family, case.nodes, case.replicate, rows)
                        if cell in done:
                            continue
                        table = case.sample(rows) if table is None else table
                        line = asdict(cell) | _scores(method, scale, table, case.scm.adjacency, encoder, jobs)
                        with results.open("a") as file:
                            file.write(json.dumps(line) + "\n")


def _scores(method, scale, table, adjacency, encoder, jobs):
    began = time.perf_counter()
    if method == "evidence":
        answer = zero_shot(table, scale, n_jobs=jobs, encoder=encoder)
        seconds = time.perf_counter() - began
        names = answer.order
        edges = answer.edges.to_numpy()
        graph = {
            "f1": directed_f1(answer.adjacency(), adjacency),
            "calibration": _calibration_counts(edges, adjacency).tolist(),
        }
    else:
        names = infer_order(table, scale, method=method)
        seconds, graph = time.perf_counter() - began, {}
    positions = [table.columns.get_loc(name) for name in names]
    return {"tos": tos(positions, adjacency), "seconds": round(seconds, 3), **graph}


def _calibration_counts(probabilities, adjacency, bins=10):
    """(bins, 3): how many candidate edges fell into each bin, the sum of their probabilities, how many are edges.

    Candidates are the pairs the order allows: the others have probability zero by construction.
    """
    off = ~np.eye(len(adjacency), dtype=bool) & (probabilities > 0)
    chosen, truth = probabilities[off], adjacency[off]
    place = np.minimum((chosen * bins).astype(int), bins - 1)
    return np.stack([np.bincount(place, weights, bins) for weights in (np.ones_like(chosen), chosen, truth)], axis=1)


def calibration_error(counts):
    """Expected calibration error of summed counts (bins, 3)."""
    counts = np.asarray(counts)
    return float(np.abs(counts[:, 1] - counts[:, 2]).sum() / counts[:, 0].sum())


def _markdown(title, frame):
    """A pivot table under a title, as Markdown."""
    flat = frame.reset_index()
    flat.columns = [" ".join(str(part) for part in np.atleast_1d(column) if str(part)) for column in flat.columns]
    rows = [flat.columns, ["---"] * flat.shape[1], *flat.itertuples(index=False)]
    cells = [[f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    return "\n".join([f"\n### {title}\n", *("| " + " | ".join(row) + " |" for row in cells)])


def _by_dimension(frame, figure):
    """One row per distribution and preset, one column per scale and dimension, with the mean of the usual three."""
    means = frame.pivot_table(index=["name", "preset"], columns=["scale", "nodes"], values=figure)
    for scale in means.columns.levels[0]:
        usual = [(scale, nodes) for nodes in USUAL if (scale, nodes) in means.columns]
        means[scale, "mean"] = means[usual].mean(axis=1)
    return means.sort_index(axis=1, key=lambda level: level.map(str))


@app.command()
def table(results: Path = RESULTS) -> None:
    frame = pd.read_json(results, lines=True)
    ours = frame[frame.method == "evidence"]
    print(_markdown("TOS of the shipped model", _by_dimension(ours, "tos")))
    print(_markdown("Directed F1 of its graph at probability 0.5", _by_dimension(ours, "f1")))
    usual = frame[frame.nodes.isin(USUAL)]
    by_cell = usual.groupby(["scale", "name", "preset", "method", "nodes"], as_index=False).tos.mean()
    methods = by_cell.pivot_table(index=["scale", "name", "preset"], columns="method", values="tos")
    print(_markdown("TOS of every method, mean of its dimensions", methods))
    counts = ours.groupby(["scale", "name", "preset"]).calibration
    errors = counts.apply(lambda lists: calibration_error(np.sum(lists.tolist(), axis=0))).reset_index()
    errors = errors.pivot_table(index=["name", "preset"], columns="scale", values="calibration")
    print(_markdown("Expected calibration error of the edge probabilities", errors))
    seconds = frame.pivot_table(index="method", columns="nodes", values="seconds", aggfunc="median")
    print(_markdown("Median seconds per table", seconds))


@app.command()
def speed(dims: str = "20,50", rows: int = 10_000, jobs: int = 1, name: str = "rff-in") -> None:
    """Time order and graph of one table per dimension: seconds on the clock, and of all processors together."""
    for nodes in map(int, _listed(dims)):
        case = next(metadataset(name, dims=[nodes], per_family=1))
        sample = case.sample(rows)
        zero_shot(sample.iloc[:100])  # loads the weights
        clock, processor = time.perf_counter(), time.process_time()
        answer = zero_shot(sample, n_jobs=jobs)
        spent = time.perf_counter() - clock, time.process_time() - processor
        score = tos([sample.columns.get_loc(column) for column in answer.order], case.scm.adjacency)
        times = f"{spent[0]:.1f} s, processors {spent[1]:.1f} s"
        print(f"{nodes} variables, {rows} rows: {times}, TOS {score:.3f}", flush=True)


@app.command()
def record(results: Path = RESULTS, weights: Path = WEIGHTS) -> None:
    """Write the mean scores into the header of the weights that made them."""
    frame = pd.read_json(results, lines=True)
    ours = frame[(frame.method == "evidence") & frame.nodes.isin(USUAL)]
    means = ours.groupby(["name", "preset", "scale", "nodes"])[["tos", "f1"]].mean().round(3)
    scores = {" ".join(map(str, cell)): figures for cell, figures in means.to_dict("index").items()}
    _, facts = load_tensors(weights)
    save_encoder(load_encoder(weights), weights, facts | {"scores": scores})


if __name__ == "__main__":
    app()
