"""Time zero-shot orders, validate weights, pool calibration: python benchmarks/order.py --help.

The scores on the test collections are made by `fipscm bench tos`.
"""

import resource
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
import torch
import typer
from scipy.linalg import block_diag
from scipy.special import logit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from fipscm.arrays import Adjacency
from fipscm.metrics import calibration_error, directed_f1, tos
from fipscm.order import (
    SCALES,
    ZeroShot,
    load_encoder,
    order_confidence,
    zero_shot,
)
from fipscm.order.classical.hidden_causes import evidence_of
from fipscm.order.classical.shared_noise import SIGNS
from fipscm.order.inference import zero_shot_order
from fipscm.order.training.examples import training_batch
from fipscm.order.training.loss import task_loss
from fipscm.order.training.recipe import Recipe
from fipscm.order.weights import WEIGHTS
from fipscm.simulate import PRIORS, TestCase, metadataset
from fipscm.simulate.mixed.draw import mixed_scm
from fipscm.simulate.prior.training_table import TABLE_FAMILIES, SimulatedTable
from fipscm.simulate.worlds import VARIANTS, World

SCORED_WORLDS = ("plain", "post-nonlinear", "location-scale", "multiplicative", "outliers", "missing", "discrete")
COLLECTIONS = "lin-in,lin-out,rff-in,rff-out,mlp-in,mlp-out"
app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.command()
def speed(dims: str = "20,50", rows: int = 10_000, jobs: int = 1, name: str = "rff-in") -> None:
    """Time order and graph of one table per dimension: clock, processors, most memory so far."""
    for nodes in map(int, dims.split(",")):
        case = next(metadataset(name, dims=[nodes], per_family=1))
        sample = case.sample(rows)
        zero_shot(sample.iloc[:100])  # loads the weights
        clock, processor = time.perf_counter(), time.process_time()
        answer = zero_shot(sample, n_jobs=jobs)
        spent = time.perf_counter() - clock, time.process_time() - processor
        score = _tos(answer, case)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
        cost = f"{spent[0]:.1f} s, processors {spent[1]:.1f} s, {memory:.0f} MB"
        print(f"{nodes} variables, {rows} rows: {cost}, TOS {score:.3f}", flush=True)


@app.command()
def validate(weights: Path = WEIGHTS, seed: int = 11, dims: str = "10", per_family: int = 3) -> None:
    """Score weights on SCMs of P_IN that are not among the test collections, as long as the seed is not 0."""
    sizes = [int(size) for size in dims.split(",")]
    for name in ("lin-in", "rff-in"):
        for scale in SCALES:
            scores = []
            for preset in PRIORS:
                for case in metadataset(name, dims=sizes, preset=preset, per_family=per_family, seed=seed):
                    answer = zero_shot(case.sample(), scale, weights=weights)
                    scores.append((_tos(answer, case), directed_f1(answer.adjacency(), case.scm.adjacency)))
            order, edges = np.mean(scores, axis=0)
            print(f"{name}, {scale}, {len(scores)} SCMs: TOS {order:.3f}, F1 {edges:.3f}", flush=True)


@app.command()
def worlds(
    weights: Path | None = None,
    names: str = COLLECTIONS,
    variants: str = ",".join(VARIANTS),
    nodes: int = 10,
    rows: int = 4_000,
    seed: int = 0,
    scale: str = "standardized",
) -> None:
    """Score what ships, or weights, on every test world: means over collections and graph families, one SCM of each."""
    for variant in variants.split(","):
        scores = []
        for world in _worlds(variant, names, nodes, rows, seed):
            answer = zero_shot(world.table, scale, weights=weights)
            scores.append((tos(answer.positions, world.adjacency), directed_f1(answer.adjacency(), world.adjacency)))
        order, edges = np.mean(scores, axis=0)
        print(f"{variant}, {scale}, {len(scores)} SCMs: TOS {order:.3f}, F1 {edges:.3f}", flush=True)


@app.command()
def scores(
    weights: Path | None = None,
    seed: int = 77,
    per_family: int = 9,
    tables: int = 6,
    out: Path | None = None,
) -> None:
    """Score what ships, or weights, as order.md has it: the paper's collections, test worlds, columns of every kind.

    Eight lines of 54 tables for the collections (both presets together), nine times `tables` for each world, ten times
    for columns of every kind. With `--out`, every table's scores are written, for `compare`.
    """
    found = []
    for name, scale, table, adjacency in chain(_collections(seed, per_family), _other_tables(seed, tables)):
        answer = zero_shot(table, scale, weights=weights)
        line = f"{name}, {scale}", tos(answer.positions, adjacency), directed_f1(answer.adjacency(), adjacency)
        if found and found[-1][0] != line[0]:
            _print_means(found, found[-1][0])
        found.append(line)
    _print_means(found, found[-1][0])
    if out is not None:
        pd.DataFrame(found, columns=["collection", "tos", "f1"]).to_csv(out, index=False)


@app.command()
def compare(first: Path, second: Path) -> None:
    """Tell by how much the second file of `scores` is above the first, on the same tables, with standard errors."""
    before, after = pd.read_csv(first), pd.read_csv(second)
    if not before["collection"].equals(after["collection"]):
        raise typer.BadParameter("The files hold scores of different tables: make both with the same options.")
    gains = (after[["tos", "f1"]] - before[["tos", "f1"]]).assign(collection=before["collection"])
    is_paper = before["collection"].str.contains("lin-|rff-")
    parts = {**dict(iter(gains.groupby("collection", sort=False)))}
    parts["the paper's collections"], parts["the others"] = gains[is_paper], gains[~is_paper]
    for name, part in parts.items():
        cells = [f"{x.upper()} {part[x].mean():+.3f} (s.e. {part[x].sem():.3f})" for x in ("tos", "f1")]
        print(f"{name}, {len(part)} tables: {', '.join(cells)}")


@app.command()
def irrelevant(weights: Path | None = None, tables: int = 50, rows: str = "200,400,1000", levels: int = 8) -> None:
    """Count tables in which a column that has nothing to do with a cause and its effect gets an edge."""
    for count in map(int, rows.split(",")):
        told = {"category": 0, "number": 0}
        for seed, kind in product(range(tables), told):
            rng = np.random.default_rng([seed, count])
            cause, noise = rng.normal(size=count), rng.normal(size=count)
            third = rng.permutation([f"level {row % levels}" for row in range(count)])
            table = pd.DataFrame({"cause": cause, "effect": np.tanh(cause) + noise / 2})
            table["irrelevant"] = third if kind == "category" else rng.normal(size=count)
            edges = zero_shot(table, weights=weights).adjacency()
            told[kind] += int((edges[2] | edges[:, 2]).any())
        print(
            f"{count} rows: an edge in {told['category']} of {tables} with an irrelevant category of {levels} levels,"
        )
        print(f"    in {told['number']} of {tables} with an irrelevant number", flush=True)


def _collections(seed: int, per_family: int) -> Iterator[tuple[str, str, pd.DataFrame, Adjacency]]:
    """Tables of ten columns and 1,000 rows from the paper's collections, both presets, in both scales."""
    for name, scale, preset in product(("lin-in", "lin-out", "rff-in", "rff-out"), SCALES, PRIORS):
        for case in metadataset(name, dims=[10], preset=preset, per_family=per_family, seed=seed):
            yield name, scale, case.sample(1_000), case.scm.adjacency


def _other_tables(seed: int, tables: int) -> Iterator[tuple[str, str, pd.DataFrame, Adjacency]]:
    """Tables of ten columns and 1,500 rows from test worlds, and of eight columns of every kind and 1,000 rows."""
    for variant, draw in product(SCORED_WORLDS, range(tables)):
        for world in _worlds(variant, "lin-out,rff-out,mlp-out", 10, 1_500, 10 * seed + draw):
            yield variant, "standardized", world.table, world.adjacency
    for draw in range(10 * tables):
        rng = np.random.default_rng(100 * seed + draw)
        scm = mixed_scm(8, rng)
        yield "mixed", "standardized", scm.sample(1_000, rng), scm.adjacency


def _print_means(found: list[tuple[str, float, float]], collection: str) -> None:
    scores = np.array([line[1:] for line in found if line[0] == collection])
    (order, edges), errors = scores.mean(axis=0), scores.std(axis=0, ddof=1) / np.sqrt(len(scores))
    print(
        f"{collection}, {len(scores)} tables: TOS {order:.3f} ({errors[0]:.3f}), F1 {edges:.3f} ({errors[1]:.3f})",
        flush=True,
    )


@app.command()
def losses(weights: Path = WEIGHTS, seed: int = 4242, batches: int = 30) -> None:
    """Leaf and parent loss on tables that training did not see, by family; standardized."""
    encoder = load_encoder(weights)
    sizes = replace(Recipe.read("shipped").stages[-1], nodes=((5, 15, 1.0),), rows=(400, 5_000), prefixes=3)
    for family in TABLE_FAMILIES:
        stage, found = replace(sizes, families={family: 1.0}), []
        for slab in chain(*(training_batch(stage, (seed, index)) for index in range(batches))):
            with torch.no_grad():
                answer = encoder(slab.pair, slab.node, slab.scale, torch.zeros(len(slab.pair)))
                found.append(task_loss(answer, slab.leaf, slab.parent))
        leaf_loss, parent_loss = (torch.stack(part).mean().item() for part in zip(*found, strict=True))
        print(f"{family}, {batches} batches: leaf {leaf_loss:.3f}, parent {parent_loss:.3f}", flush=True)


@app.command()
def confidence(
    names: str = "lin-out,rff-out,mlp-out",
    variants: str = ",".join(VARIANTS),
    nodes: int = 8,
    rows: int = 1_000,
    seed: int = 100,
    resamples: int = 20,
) -> None:
    """How often cause and effect are ordered right, by how sure the order is of them: are nine in ten right at 0.9?"""
    for variant in variants.split(","):
        shares = []
        for world in _worlds(variant, names, nodes, rows, seed):
            before = order_confidence(world.table, np.random.default_rng(seed), resamples=resamples).to_numpy()
            shares += before[world.adjacency == 1].tolist()
        told = np.array(shares)
        sure, right = np.maximum(told, 1 - told), np.where(told == 0.5, 0.5, told > 0.5)
        bins = [(low, (sure >= low) & (sure < high)) for low, high in ((0.5, 0.75), (0.75, 0.95), (0.95, 1.01))]
        cells = [
            f"{low}+: {right[at].mean():.2f} of {at.sum()} (told {sure[at].mean():.2f})" for low, at in bins if at.any()
        ]
        print(f"{variant}: {'; '.join(cells)}", flush=True)


@app.command()
def mixed(weights: Path | None = None, nodes: int = 10, rows: int = 2_000, scms: int = 16, seed: int = 100) -> None:
    """Score SCMs half of whose columns are discrete."""
    scores = []
    for each in range(seed, seed + scms):
        rng = np.random.default_rng(each)
        scm = mixed_scm(nodes, rng)
        answer = zero_shot(scm.sample(rows, rng), weights=weights)
        scores.append((tos(answer.positions, scm.adjacency), directed_f1(answer.adjacency(), scm.adjacency)))
    order, edges = np.mean(scores, axis=0)
    print(f"mixed, d = {nodes}, {rows} rows, {scms} SCMs: TOS {order:.3f}, F1 {edges:.3f}", flush=True)


@app.command()
def hidden(weights: Path | None = None, nodes: int = 10, rows: int = 2_000, seed: int = 100) -> None:
    """How well weights tell pairs with a hidden common cause, in tables with one and in as many without."""
    pairs, told, truth = np.triu_indices(nodes, 1), {}, {}
    for variant in ("hidden-confounder", "plain"):
        tables = list(_worlds(variant, COLLECTIONS, nodes, rows, seed))
        answers = [zero_shot(world.table, weights=weights).confounded.to_numpy()[pairs] for world in tables]
        shared = [world.confounded[pairs] for world in tables if world.confounded is not None]
        told[variant] = np.concatenate(answers)
        truth[variant] = np.concatenate(shared) if shared else np.zeros_like(told[variant], dtype=bool)
    area = roc_auc_score(truth["hidden-confounder"], told["hidden-confounder"])
    all_told, all_truth = (np.concatenate(list(parts.values())) for parts in (told, truth))
    likely = all_told > 0.5
    print(f"AUROC {area:.3f} among the pairs of {len(tables)} tables with a hidden cause", flush=True)
    print(
        f"mean probability {all_told[all_truth].mean():.2f} of its pairs, {all_told[~all_truth].mean():.2f} of others"
    )
    print(f"of {likely.sum()} pairs that are likely, {all_truth[likely].sum()} have one")


@app.command()
def shared(tables: int = 300, seed: int = 9_000) -> None:
    """Learn what speaks for a hidden common cause of two columns, from tables of training with additive noise.

    Every second one has hidden causes. One that moves many columns counts no more than one of two columns: all pairs
    with hidden causes of a table count as one. The first number is for as many of them as training has, 45 in 1,000.
    """
    evidence, truth, counts = [], [], []
    for each in range(seed, seed + tables):
        rng = np.random.default_rng(each)
        nodes, rows = int(rng.integers(4, 13)), round(np.exp(rng.uniform(np.log(500), np.log(4_000))))
        drawn, pairs = _additive_table(nodes, rows, bool(each % 2), rng), np.triu_indices(nodes, 1)
        found = zero_shot_order(drawn.values, drawn.kinds)
        evidence.append(evidence_of(found.confounded, drawn.values, (found.edges > 0.5).astype(np.int8))[pairs])
        truth.append(drawn.confounded[pairs])
        counts.append(np.where(truth[-1], 1 / max(1, truth[-1].sum()), 1.0))
    answers, weights = np.concatenate(truth), np.concatenate(counts)
    learned = LogisticRegression(C=10.0, max_iter=1_000).fit(np.concatenate(evidence), answers, sample_weight=weights)
    before = learned.intercept_[0] + logit(0.045) - logit(np.average(answers, weights=weights))
    print(f"before all {before:.2f}, of {answers.sum()} in {len(answers)} pairs")
    for name, weight in zip(("network", *SIGNS), learned.coef_[0], strict=True):
        print(f"{name}: {weight:.2f}")


def _additive_table(nodes: int, rows: int, hidden: bool, rng: np.random.Generator) -> SimulatedTable:
    """A table of training without sensors or noise of another kind, with hidden causes or without."""
    allowed = {"p-in", "other-functions", "hidden-cause"}
    drawn = (TABLE_FAMILIES["altered"](nodes, rows, rng) for _ in range(1_000))
    return next(table for table in drawn if set(table.flags) <= allowed and ("hidden-cause" in table.flags) == hidden)


@app.command()
def calibration(preset: str = "released", dims: str = "10,20", per_family: int = 3) -> None:
    """Pool the edge probabilities of a collection: the expected calibration error of all its tables together."""
    for name in ("lin-in", "lin-out", "rff-in", "rff-out"):
        cases = list(metadataset(name, dims=[int(d) for d in dims.split(",")], preset=preset, per_family=per_family))
        truth = block_diag(*(case.scm.adjacency for case in cases))
        for scale in SCALES:
            edges = block_diag(*(zero_shot(case.sample(), scale).probabilities() for case in cases))
            print(f"{name}, {preset}, {scale}: {calibration_error(edges, truth):.3f}", flush=True)


def _worlds(variant: str, names: str, nodes: int, rows: int, seed: int) -> Iterator[World]:
    """One table of a test world for each collection and each of its graph families."""
    for name in names.split(","):
        for family in PRIORS["released"][name].families:
            rng = np.random.default_rng([seed, crc32(f"{name}/{family}/{variant}".encode())])
            yield VARIANTS[variant](name, nodes, "released", family, rows, rng)


def _tos(answer: ZeroShot, case: TestCase) -> float:
    return tos(answer.positions, case.scm.adjacency)


if __name__ == "__main__":
    app()
