"""A fixed selection of cells of every task, beside what they were at an earlier commit: what has a change made worse?

The earlier figures are lines of results in a folder beside this module. To renew them, run the gate with it as `--out`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fipscm.bench.data.tunnel import TUNNEL
from fipscm.bench.measured.known_orders import chosen_orders
from fipscm.bench.measured.order_scores import ORDER_LINES, run_orders
from fipscm.bench.measured.run import read_lines
from fipscm.bench.report.layout import markdown_table
from fipscm.bench.run.engine import RunSettings
from fipscm.bench.run.results import RESULTS, Cell, Line, read_results
from fipscm.bench.run.runner import Told, run_task
from fipscm.bench.tasks import Grid
from fipscm.metrics import SCORES
from fipscm.simulate import C_SUITE, CAUSAL_NF
from fipscm.simulate.continued import CONTINUATIONS
from fipscm.simulate.mixed.draw import MIXED
from fipscm.simulate.non_additive import NON_ADDITIVE

BEFORE = Path(__file__).parent / "gate_before"
_TIERS = "tiers"  # measured tables, judged by their orders alone
ERRORS = 2.0  # standard errors: a collection that is worse by more is named


@dataclass(frozen=True)
class Collection:
    """Cells of one kind: what answers, the score that is compared, and the data sets."""

    method: str
    figure: str
    grid: Grid


_RANDOM = Grid(("lin-out", "rff-in", "rff-out"), dims=(10,), rows=(1_000,), seeds=(0,))
COLLECTIONS: Mapping[str, Collection] = {
    **{
        name: Collection("fip-graph", "far", Grid((name,), rows=(1_000,), seeds=(0, 1, 2, 3))) for name in CONTINUATIONS
    },
    "tunnel": Collection("fip-graph", "far", Grid(tuple(TUNNEL), seeds=(0,))),
    "tos": Collection("zero-shot", "tos", _RANDOM),
    "f1": Collection("fip", "f1", _RANDOM),
    "counterfactual": Collection("fip-order", "counterfactual", _RANDOM),
    "known": Collection("fip-order", "counterfactual", Grid((*CAUSAL_NF, *C_SUITE), rows=(1_000,), seeds=(0,))),
    "noise": Collection(
        "fip-order", "counterfactual", Grid(tuple(NON_ADDITIVE), dims=(5,), rows=(1_000,), seeds=(0, 1))
    ),
    "mixed": Collection("fip-graph", "effects", Grid((MIXED,), dims=(5,), rows=(1_000,))),
    "coverage": Collection("fip-order", "coverage", Grid(("effect-linear-normal",), rows=(250,))),
    "sachs": Collection("zero-shot", "f1", Grid(("sachs",), scales=("raw", "standardized"), seeds=(0,))),
    "syntren": Collection("zero-shot", "tos", Grid(("syntren",), seeds=(0, 1, 2))),
}


def run_gate(settings: RunSettings, out: Path, tell: Told, collections: Mapping[str, Collection] = COLLECTIONS) -> None:
    """Run the cells that have no result yet; the orders of tables of known tiers, if there are any, are judged anew."""
    for collection in collections.values():
        run_task([collection.method], collection.grid, settings, out, tell)
    if settings.folder is not None and (settings.folder / "measured" / _TIERS).is_dir():
        run_orders(chosen_orders(_TIERS, settings.folder), None, settings.jobs, out, lambda line: None)


def gate_table(out: Path, before: Path = BEFORE) -> str:
    """Each collection that both folders have results of: the mean before and now, and their paired difference."""
    earlier, now = _figures(before), _figures(out)
    rows = [_row(name, earlier[name], now[name]) for name in now if earlier[name].keys() & now[name].keys()]
    return markdown_table(["collection", "score", "cells", "before", "now", "difference", "standard error", ""], rows)


def _figures(folder: Path) -> dict[str, dict[object, float]]:
    """Of every collection the figure of each cell that has one, or of each table."""
    lines: dict[object, Line] = {Cell.of(line): line for line in read_results(folder / RESULTS)}
    found: dict[str, dict[object, float]] = {
        name: {
            cell: lines[cell][each.figure]
            for data in each.grid.data_sets()
            if each.figure in lines.get(cell := Cell(each.method, data), {})
        }
        for name, each in COLLECTIONS.items()
    }
    judged = read_lines(folder / ORDER_LINES)
    return found | {_TIERS: {line["table"]: line["right"] for line in judged if line["group"] == _TIERS}}


def _row(name: str, before: Mapping[object, float], now: Mapping[object, float]) -> list[object]:
    figure = COLLECTIONS[name].figure if name in COLLECTIONS else "right"
    higher_is_better = True if name == _TIERS else SCORES[figure].higher_is_better
    pairs = np.array([(before[cell], now[cell]) for cell in before if cell in now])
    changes = np.diff(pairs, axis=1)[:, 0]
    error = changes.std(ddof=1) / len(changes) ** 0.5 if len(changes) > 1 else np.nan
    gain = 0.0 if higher_is_better is None else float(changes.mean()) * (1 if higher_is_better else -1)
    verdict = "worse" if gain < -ERRORS * error else ""
    figures = [f"{value:.3f}" for value in (*pairs.mean(axis=0), changes.mean(), error)]
    return [name, figure, len(pairs), *figures, verdict]
