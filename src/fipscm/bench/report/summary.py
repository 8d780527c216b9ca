"""The tables that sum up a whole benchmark, as they stand in the README and in docs/results."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean

import pandas as pd

from fipscm.bench.data.sources import COLLECTIONS
from fipscm.bench.report.entries import number
from fipscm.bench.report.layout import markdown_table
from fipscm.bench.report.quotes import quote
from fipscm.bench.run.results import DONE, read_results
from fipscm.errors import DataError, unknown_name
from fipscm.metrics import SCORES
from fipscm.order import SCALES
from fipscm.simulate.effects import SIZES
from fipscm.simulate.metadatasets import DIMENSIONS, ROWS
from fipscm.simulate.mixed.draw import MIXED
from fipscm.simulate.mixed.holes import PATTERNS
from fipscm.simulate.non_additive import NON_ADDITIVE
from fipscm.simulate.worlds import PLAIN, VARIANTS

SHARED_DIMS = (10, 20)  # where every rival was run too
STRESSED_COLLECTIONS = ("lin-out", "rff-out")
_CLASSICAL = ("variance", "r2", "direct-lingam", "score", "nogam")
NOISE_RIVALS = ("causal-nf", "carefl", "dowhy-order", "dowhy-post-nonlinear")
# Who else answers from rows alone: run here, and as the paper printed them.
RIVALS = {
    "f1": ("pc", "ges", "direct-lingam", "golem", "dag-gnn", "gran-dag", "notears-mlp"),
    "counterfactual": ("dowhy-predicted",),
}
QUOTED = {
    "f1": ("avici", "golem", "deci", "dag-gnn", "gran-dag", "pc", "ges"),
    "counterfactual": ("deci", "dowhy-avici"),
}


def summary(name: str, results: Path) -> str:
    """Return one of SUMMARIES as Markdown, made from a results file."""
    if name not in SUMMARIES:
        raise unknown_name("summary", name, SUMMARIES)
    return SUMMARIES[name](read_scores(results))


def read_scores(results: Path) -> pd.DataFrame:
    """Return a row for each data set and method that is done, with a column for every score."""
    done = pd.DataFrame([line for line in read_results(results) if line["status"] == DONE])
    if done.empty:
        raise DataError(f"{results} holds no result yet: name the folder of a benchmark, or run `fipscm bench` first.")
    return done.reindex(columns=list(dict.fromkeys([*done.columns, *SCORES])))


def plain_scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Those on the random collections as they are: no assumption broken, the usual number of rows."""
    return scores[(scores.variant == PLAIN) & (scores.rows == ROWS) & scores["name"].isin(COLLECTIONS)]


def scoreboard(scores: pd.DataFrame) -> str:
    """Our pipeline, the paper's and the strongest rivals: raw scales, preset `released`, means of d = 10 and 20."""
    cells = _released(scores)
    cells = cells[cells.nodes.isin(SHARED_DIMS)]
    header = ["", "score", "fipscm", "the paper's FiP", "strongest rival run here", "strongest rival in the paper"]
    rows = []
    for (figure, rivals), name in product(RIVALS.items(), COLLECTIONS):
        here = cells[cells["name"] == name]
        if "fip" not in set(here.method):
            continue
        ours = _mean_over_dims(here[here.method == "fip"], figure)
        paper = {method: _quoted(figure, method, name) for method in ("fip", *QUOTED[figure])}
        best = max(QUOTED[figure], key=lambda method: _merit(figure, paper[method]))
        strongest = _strongest(here, "fip", rivals, figure)
        title = SCORES[figure].title
        rows.append([name, title, number(ours), number(paper["fip"]), strongest, f"{number(paper[best])} {best}"])
    return _table(header, rows)


def orders(scores: pd.DataFrame) -> str:
    """Zero-shot orders and graphs by dimension, beside the best classical order on the same data sets."""
    kind = ["name", "preset", "scale"]
    header = ["", *kind[1:], "TOS by d", "SCMs", "mean of d = 10, 20, 50", "F1", "best classical order"]
    rows = []
    for key, everyone in plain_scores(scores).groupby(kind):
        cells = everyone[everyone.method == "zero-shot"]
        if cells.empty:
            continue
        by_dim = cells.groupby("nodes").tos
        means = " / ".join(f"{mean:.3f} ({nodes})" for nodes, mean in by_dim.mean().items())
        counts = " / ".join(map(str, by_dim.size()))
        usual = everyone[everyone.nodes.isin(DIMENSIONS)]
        tos, f1 = (f"{_mean_over_dims(usual[usual.method == 'zero-shot'], figure):.3f}" for figure in ("tos", "f1"))
        rows.append([*key, means, counts, tos, f1, _strongest(usual, "zero-shot", _CLASSICAL, "tos")])
    return _table(header, rows)


def pipeline(scores: pd.DataFrame, method: str = "fip") -> str:
    """Graphs and counterfactuals of one method, over all dimensions and by dimension: raw scales, preset `released`."""
    ours = _released(scores)
    ours = ours[ours.method == method]
    over_all = ["", "SCMs", "directed F1", "counterfactual r-l2, mean of means", "mean of medians"]
    by_dim = ["", "d", "SCMs", "TOS", "directed F1", "counterfactual r-l2, mean (std)", "processor seconds"]
    return f"{_table(over_all, _rows_over_all(ours))}\n\n{_table(by_dim, _rows_by_dim(ours))}"


def _rows_over_all(ours: pd.DataFrame) -> Iterator[list[object]]:
    for name, cells in ours.groupby("name"):
        counts = " / ".join(f"{count} (d = {nodes})" for nodes, count in cells.groupby("nodes").size().items())
        errors = cells.groupby("nodes").counterfactual
        f1 = f"{_mean_over_dims(cells, 'f1'):.3f}"
        yield [name, counts, f1, f"{errors.mean().mean():.4f}", f"{errors.median().mean():.4f}"]


def _rows_by_dim(ours: pd.DataFrame) -> Iterator[list[object]]:
    for (name, nodes), cells in ours.groupby(["name", "nodes"]):
        error = f"{cells.counterfactual.mean():.4f} ({cells.counterfactual.std():.4f})"
        tos, f1 = f"{cells.tos.mean():.3f}", f"{cells.f1.mean():.3f}"
        yield [name, nodes, len(cells), tos, f1, error, f"{cells.seconds.mean():.0f}"]


def failures(scores: pd.DataFrame) -> str:
    """What breaking an assumption costs our pipeline: linear / Fourier SCMs of d = 10."""
    here = (scores.nodes == 10) & (scores.rows == ROWS) & (scores.seed == 0)
    fits = scores[here & scores["name"].isin(STRESSED_COLLECTIONS) & (scores.method == "fip")]
    header = ["", "directed F1, raw", "standardized", "counterfactual error, raw", "standardized", "`check` doubts"]
    rows = []
    for variant in (name for name in VARIANTS if (fits.variant == name).any()):
        cells = fits[fits.variant == variant]
        if cells.empty:
            continue
        means = cells.groupby(["scale", "name"])[["f1", "counterfactual"]].mean()
        pairs = [
            " / ".join(_shown(means[figure].get((scale, name), float("nan"))) for name in STRESSED_COLLECTIONS)
            for figure, scale in product(("f1", "counterfactual"), SCALES)
        ]
        rows.append([variant, *pairs, f"{cells.doubted.sum():.0f} of {len(cells)}"])
    return _table(header, rows)


def coverage(scores: pd.DataFrame) -> str:
    """How often intervals of effects hold the truth, over all laws of the noise, with the standard error beside."""
    asked = scores[scores.coverage.notna()]
    header = ["mechanisms", "rows", "method", "tables", "holds the truth", "no / weak / medium effect", "width"]
    rows = []
    shapes = asked["name"].str.split("-").str[1].rename("shape")
    for key, cells in asked.groupby([shapes, "rows", "method"]):
        error = f" ({cells.coverage.std() / len(cells) ** 0.5:.3f})" if len(cells) > 1 else ""
        held = f"{cells.coverage.mean():.3f}{error}"
        sizes = " / ".join(f"{cells[figure].mean():.2f}" for figure in (f"coverage_{size}" for size in SIZES))
        rows.append([*key, len(cells), held, sizes, f"{cells.width.mean():.3f}"])
    return _table(header, sorted(rows, key=lambda row: (row[0] == "curved", row[1])))


def noises(scores: pd.DataFrame) -> str:
    """Counterfactual errors where noise is not additive: ours as it is and held to additive noise, and the rivals."""
    header = ["", "d", "rows", "SCMs", "order given", "additive", "strongest rival", "rows alone", "additive"]
    here = _ranked(scores[scores["name"].isin(NON_ADDITIVE)], "name", NON_ADDITIVE)
    rows = []
    for (nodes, count, name), drawn in here.groupby(["nodes", "rows", "name"], observed=True):
        cells, scms = _beside(drawn, "fip-order")
        rivals = _strongest(cells, "fip-order", NOISE_RIVALS, "counterfactual")
        told = _means(cells, "counterfactual", ("fip-order", "fip-order-additive"))
        alone = _means(cells, "counterfactual", ("fip", "fip-additive"))
        rows.append([name, nodes, count, scms, *told, rivals, *alone])
    return _table(header, rows)


def mixed(scores: pd.DataFrame) -> str:
    """Tables with columns of every kind: missing cells filled in, rows with missing cells dropped, true graph given."""
    header = ["d", "rows", "cells", "SCMs", "F1: filled in / dropped"]
    header.append("error of effects: filled in / dropped / graph / dowhy")
    header.append("counterfactual error: filled in / dropped / graph / dowhy, codes")
    here = _ranked(scores[scores["name"] == MIXED], "variant", PATTERNS)
    rows = []
    for key, drawn in here.groupby(["nodes", "rows", "variant"], observed=True):
        cells, scms = _beside(drawn, "fip")
        ours = ("fip", "fip-drop")
        f1 = _means(cells, "f1", ours)
        effects = _means(cells, "effects", (*ours, "fip-graph", "dowhy-mixed"))
        errors = _means(cells, "counterfactual", (*ours, "fip-graph", "dowhy-codes"))
        rows.append([*key, scms, *(" / ".join(means) for means in (f1, effects, errors))])
    return _table(header, rows)


def _ranked(scores: pd.DataFrame, column: str, names: Iterable[str]) -> pd.DataFrame:
    """The same scores, with a column that sorts as the names are listed."""
    return scores.assign(**{column: pd.Categorical(scores[column], list(names))})


def _beside(cells: pd.DataFrame, ours: str) -> tuple[pd.DataFrame, int]:
    """What was measured on the SCMs that our method ran on, so that means compare like with like; and their number."""
    seeds = cells[cells.method == ours].seed.unique()
    return cells[cells.seed.isin(seeds)], len(seeds)


def _means(cells: pd.DataFrame, figure: str, methods: Sequence[str]) -> list[str]:
    """Of each method, as a table shows them."""
    return [_shown(cells[cells.method == method][figure].mean()) for method in methods]


SUMMARIES: dict[str, Callable[[pd.DataFrame], str]] = {
    "scoreboard": scoreboard,
    "orders": orders,
    "pipeline": pipeline,
    "pipeline-order": lambda scores: pipeline(scores, "fip-order"),
    "failures": failures,
    "coverage": coverage,
    "noises": noises,
    "mixed": mixed,
}


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    body = list(rows)
    if not body:
        raise DataError("These results hold nothing that this summary shows: run more of the tasks of `fipscm bench`.")
    return markdown_table(header, body)


def _released(scores: pd.DataFrame) -> pd.DataFrame:
    """The paper's setting: its released priors, and columns in their own units."""
    plain = plain_scores(scores)
    return plain[(plain.scale == "raw") & (plain.preset == "released")]


def _mean_over_dims(cells: pd.DataFrame, figure: str) -> float:
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
            theirs, there = (_mean_over_dims(shared, column) for column in (figure, f"{figure}_ours"))
            answers.append((theirs, there, method, len(shared)))
    if not answers:
        return "-"
    theirs, there, method, count = max(answers, key=lambda answer: _merit(figure, answer[0] - answer[1]))
    return f"{number(theirs)} {method}" + ("" if count == len(own) else f" ({count} SCMs, ours there {number(there)})")


def _merit(figure: str, value: float) -> float:
    """The higher, the better."""
    return value if SCORES[figure].higher_is_better else -value


def _quoted(figure: str, method: str, name: str) -> float:
    """What the paper printed, averaged over the dimensions of the scoreboard."""
    return fmean(_printed(figure, method, name, nodes) for nodes in SHARED_DIMS)


def _printed(figure: str, method: str, name: str, nodes: int) -> float:
    found = quote(figure, method, name, nodes, ROWS)
    if found is None:
        raise DataError(f"The paper has no {figure} of '{method}' on {name} with {nodes} variables: correct QUOTED.")
    return found.mean


def _shown(mean: float) -> str:
    return "-" if pd.isna(mean) else number(mean)
