"""The product's main job, shown on data the package simulates itself, where the truth is known."""

from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

from fipscm.arrays import Adjacency
from fipscm.estimator import FiP
from fipscm.metrics import directed_f1, rescaled_l2, tos
from fipscm.plotting import draw_graph
from fipscm.simulate import sample_scm
from fipscm.tables.write import make_folder, write_table

_NODES, _ROWS, _SHOWN = 5, 2000, 3


def run(seed: int, folder: Path, console: Console) -> None:
    """Simulate an SCM, learn it from its rows alone, and hold the answers against the truth."""
    make_folder(folder)
    rng = np.random.default_rng(seed)
    truth = sample_scm("rff-in", _NODES, rng)
    rows = truth.sample(_ROWS, rng)
    console.print(f"A hidden causal model of {_NODES} variables made {_ROWS} rows. Learning it from them alone ...")
    model = FiP(random_state=seed, verbose=console.is_terminal).fit(rows)
    _show_graph(console, model, [str(truth.names[column]) for column in truth.order], truth.adjacency)

    target = model.causal_order_[0]
    do = {target: float(rows[target].mean() + rows[target].std())}
    changed, expected = model.intervene(do, _ROWS, seed), truth.do(do).sample(_ROWS, rng)
    _show(
        console,
        f"What if {target} were set to {do[target]:.2f}? Column means",
        {"what is": rows.mean(), "what if, learned": changed.mean(), "what if, truth": expected.mean()},
    )

    factual = rows.head(_SHOWN)
    learned, true = model.counterfactual(factual, do), truth.counterfactual(factual, do)
    lines: dict[str, pd.Series] = {}
    for row in factual.index:
        lines |= {
            f"row {row}": factual.loc[row],
            f"row {row} would be, learned": learned.loc[row],
            f"row {row} would be, truth": true.loc[row],
        }
    _show(console, f"What would these rows have been, had {target} been {do[target]:.2f}?", lines)
    everyone = rescaled_l2(truth.counterfactual(rows, do), model.counterfactual(rows, do), rows.std())
    console.print(f"Counterfactual error over all rows: {everyone:.3f} standard deviations.")
    console.print(str(model.effect(target, on=model.causal_order_[-1])))
    write_table(rows, str(folder / "rows.csv"))
    model.save(folder / "model.fip")
    draw_graph(model.to_networkx(standardized=True), folder / "graph.png")
    console.print(f"Written: {folder}/rows.csv, {folder}/model.fip, {folder}/graph.png.")


def _show_graph(console: Console, model: FiP, true_order: list[str], adjacency: Adjacency) -> None:
    names = [str(name) for name in model.feature_names_in_]
    positions = [names.index(str(name)) for name in model.causal_order_]
    console.print(f"Causal order found: [bold]{' '.join(map(str, model.causal_order_))}[/bold]")
    console.print(f"A true order:       {' '.join(true_order)}   (topological score {tos(positions, adjacency):.2f})")
    edges = ", ".join(f"{cause} -> {effect}" for cause, effect in model.graph_.edges)
    console.print(f"Edges found: {edges}   (directed F1 {directed_f1(model.adjacency_, adjacency):.2f})")


def _show(console: Console, title: str, lines: dict[str, pd.Series]) -> None:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for name in next(iter(lines.values())).index:
        table.add_column(str(name), justify="right")
    for label, values in lines.items():
        table.add_row(label, *(f"{value:.2f}" for value in values))
    console.print(table)
