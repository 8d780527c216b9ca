"""Print the summary tables of docs/results/*.md from a benchmark's results: python benchmarks/summary.py --help."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Annotated

import pandas as pd
import typer

from fipscm.bench.data.problem import ROWS
from fipscm.bench.data.sources import COLLECTIONS
from fipscm.bench.report.entries import number
from fipscm.bench.report.quotes import quote
from fipscm.bench.run.results import DONE, read_results
from fipscm.bench.run.scoring import SCORES
from fipscm.order import SCALES
from fipscm.simulate.worlds import VARIANTS

app = typer.Typer(no_args_is_help=True, add_completion=False)
Results = Annotated[Path, typer.Option(help="The benchmark's results.")]
RESULTS = Path("docs/results/benchmark/results.jsonl")
DIMS = (10, 20, 50)
SHARED_DIMS = (10, 20)  # where every rival was run too
STRESSED = ("lin-out", "rff-out")
CLASSICAL = ("variance", "r2", "direct-lingam", "score", "nogam")
# Who else answers from rows alone: run here, and as the paper printed them.
RIVALS = {
    "f1": ("pc", "ges", "direct-lingam", "golem", "dag-gnn", "gran-dag", "notears-mlp"),
    "counterfactual": ("dowhy-predicted",),
}
QUOTED = {
    "f1": ("avici", "golem", "deci", "dag-gnn", "gran-dag", "pc", "ges"),
    "counterfactual": ("deci", "dowhy-avici"),
}


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
        strongest = _strongest(rivals[rivals.nodes.isin(DIMS)], "zero-shot", CLASSICAL, "tos")
        _row(name, preset, scale, means, counts, tos, f1, strongest)


@app.command()
def scoreboard(results: Results = RESULTS) -> None:
    """Our pipeline, the paper's and the strongest rivals: raw scales, preset `released`, means of d = 10 and 20."""
    scores = plain_scores(results)
    cells = scores[(scores.scale == "raw") & (scores.preset == "released") & scores.nodes.isin(SHARED_DIMS)]
    _row("", "score", "fipscm", "the paper's FiP", "strongest rival run here", "strongest rival in the paper")
    _rule(6)
    for (figure, rivals), name in product(RIVALS.items(), COLLECTIONS):
        here = cells[cells["name"] == name]
        ours = _mean_over_sizes(here[here.method == "fip"], figure)
        paper = {method: _quoted(figure, method, name) for method in ("fip", *QUOTED[figure])}
        best = max(QUOTED[figure], key=lambda method: paper[method] if SCORES[figure][1] else -paper[method])
        strongest = _strongest(here, "fip", rivals, figure)
        _row(name, SCORES[figure][0], *map(number, (ours, paper["fip"])), strongest, f"{number(paper[best])} {best}")


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


@app.command()
def failures(results: Results = RESULTS) -> None:
    """What breaking an assumption costs our pipeline: linear / Fourier SCMs of d = 10."""
    lines = pd.DataFrame(read_results(results))
    at_hand = lines["name"].isin(STRESSED) & (lines.nodes == 10) & (lines.rows == ROWS) & (lines.seed == 0)
    fits = lines[at_hand & (lines.method == "fip") & (lines.status == DONE)]
    _row("", "directed F1, raw", "standardized", "counterfactual error, raw", "standardized", "`check` doubts")
    _rule(6)
    for variant in (name for name in VARIANTS if (fits.variant == name).any()):
        cells = fits[fits.variant == variant]
        figures = [
            " / ".join(
                _shown(cells[(cells["name"] == name) & (cells.scale == scale)][figure].mean()) for name in STRESSED
            )
            for figure, scale in product(("f1", "counterfactual"), SCALES)
        ]
        _row(variant, *figures, f"{cells.doubted.sum():.0f} of {len(cells)}")


def plain_scores(results: Path) -> pd.DataFrame:
    """The scores on the random collections, without the robustness tasks' changes to them."""
    lines = pd.DataFrame(read_results(results))
    plain = (lines.variant == "plain") & (lines.rows == ROWS) & lines.preset.ne("")
    return lines[plain & (lines.status == DONE)]


def _mean_over_sizes(cells: pd.DataFrame, figure: str) -> float:
    """Every dimension counts the same, however many SCMs it has."""
    return float(cells.groupby("nodes")[figure].mean().mean())


def _strongest(cells: pd.DataFrame, ours: str, rivals: Sequence[str], figure: str) -> str:
    """The rival that comes closest to ours, or gets furthest ahead, on the data sets that both ran on."""
    keys = ["nodes", "family", "seed"]
    own = cells[cells.method == ours]
    answers = []
    for method in rivals:
        shared = own.merge(cells[cells.method == method][[*keys, figure]], on=keys, suffixes=("_ours", ""))
        if len(shared):
            means = _mean_over_sizes(shared, figure), _mean_over_sizes(shared, f"{figure}_ours")
            answers.append((*means, method, len(shared)))
    sign = 1 if SCORES[figure][1] else -1
    theirs, there, method, count = max(answers, key=lambda answer: sign * (answer[0] - answer[1]))
    return f"{number(theirs)} {method}" + ("" if count == len(own) else f" ({count} SCMs, ours there {number(there)})")


def _quoted(figure: str, method: str, name: str) -> float:
    """What the paper printed, averaged over the dimensions of the scoreboard."""
    return fmean(quote(figure, method, name, nodes, ROWS).mean for nodes in SHARED_DIMS)


def _shown(mean: float) -> str:
    return "-" if pd.isna(mean) else number(mean)


def _row(*entries: object) -> None:
    print("| " + " | ".join(map(str, entries)) + " |")


def _rule(columns: int) -> None:
    _row(*["---"] * columns)


if __name__ == "__main__":
    app()
