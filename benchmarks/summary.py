"""Print the summary tables of docs/results/*.md from a benchmark's results: python benchmarks/summary.py --help."""

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from fipscm.bench.results import DONE, read_results

app = typer.Typer(no_args_is_help=True, add_completion=False)
Results = Annotated[Path, typer.Option(help="The benchmark's results.")]
RESULTS = Path("docs/results/benchmark/results.jsonl")
DIMS = (10, 20, 50)
CLASSICAL = ("variance", "r2", "direct-lingam", "score", "nogam")


@app.command()
def orders(results: Results = RESULTS) -> None:
    """Zero-shot orders and graphs by dimension, beside the best classical order on the same data sets."""
    scores = plain_scores(results)
    ours = scores[scores.method == "zero-shot"]
    _row("", "preset", "scale", "TOS by d", "SCMs", "mean of d = 10, 20, 50", "F1", "best classical order")
    _rule(8)
    for (name, preset, scale), cells in ours.groupby(["name", "preset", "scale"]):
        by_size = cells.groupby("nodes").tos
        means = " / ".join(f"{mean:.3f} ({size})" for size, mean in by_size.mean().items())
        usual = cells[cells.nodes.isin(DIMS)]
        rivals = scores[(scores[["name", "preset", "scale"]] == [name, preset, scale]).all(axis=1)]
        counts = " / ".join(map(str, by_size.size()))
        tos, f1 = (f"{_mean_over_sizes(usual, figure):.3f}" for figure in ("tos", "f1"))
        _row(name, preset, scale, means, counts, tos, f1, _best_classical(rivals[rivals.nodes.isin(DIMS)]))


@app.command()
def pipeline(method: str = "fip", results: Results = RESULTS) -> None:
    """Graphs and counterfactuals of one method by dimension: raw scales, preset `released`."""
    scores = plain_scores(results)
    ours = scores[(scores.method == method) & (scores.scale == "raw") & (scores.preset == "released")]
    _row("", "SCMs", "directed F1", "counterfactual r-l2, mean of means", "mean of medians")
    _rule(5)
    for name, cells in ours.groupby("name"):
        counts = " / ".join(f"{count} (d = {size})" for size, count in cells.groupby("nodes").size().items())
        errors = cells.groupby("nodes").counterfactual
        f1 = f"{_mean_over_sizes(cells, 'f1'):.3f}"
        _row(name, counts, f1, f"{errors.mean().mean():.4f}", f"{errors.median().mean():.4f}")
    print()
    _row("", "d", "SCMs", "TOS", "directed F1", "counterfactual r-l2, mean (std)", "processor seconds")
    _rule(7)
    for (collection, nodes), cells in ours.groupby(["name", "nodes"]):
        error = f"{cells.counterfactual.mean():.4f} ({cells.counterfactual.std():.4f})"
        tos = "" if cells.tos.isna().all() else f"{cells.tos.mean():.3f}"
        _row(collection, nodes, len(cells), tos, f"{cells.f1.mean():.3f}", error, f"{cells.seconds.mean():.0f}")


def plain_scores(results: Path) -> pd.DataFrame:
    """The scores on the random collections, without the robustness tasks' changes to them."""
    lines = pd.DataFrame(read_results(results))
    plain = (lines.variant == "plain") & (lines.rows == 10_000) & lines.preset.ne("")
    return lines[plain & (lines.status == DONE)]


def _mean_over_sizes(cells: pd.DataFrame, figure: str) -> float:
    """Every dimension counts the same, however many SCMs it has."""
    return float(cells.groupby("nodes")[figure].mean().mean())


def _best_classical(cells: pd.DataFrame) -> str:
    """The classical order that comes closest to ours, or gets furthest ahead, on the data sets that both ran on."""
    keys = ["nodes", "family", "seed"]
    ours = cells[cells.method == "zero-shot"]
    answers = []
    for method in CLASSICAL:
        shared = ours.merge(cells[cells.method == method][[*keys, "tos"]], on=keys, suffixes=("_ours", ""))
        if len(shared):
            answers.append((_mean_over_sizes(shared, "tos"), _mean_over_sizes(shared, "tos_ours"), method, len(shared)))
    theirs, own, method, count = max(answers, key=lambda answer: answer[0] - answer[1])
    return f"{theirs:.3f} {method}" + ("" if count == len(ours) else f" ({count} SCMs, ours there {own:.3f})")


def _row(*entries: object) -> None:
    print("| " + " | ".join(map(str, entries)) + " |")


def _rule(columns: int) -> None:
    _row(*["---"] * columns)


if __name__ == "__main__":
    app()
