"""The product's main job, shown on data the package simulates itself."""

import numpy as np
from rich.console import Console
from rich.table import Table

from fipscm.simulate import sample_scm

NODES, ROWS, SHOWN = 5, 1000, 3


def run(rng: np.random.Generator) -> None:
    """Simulate an SCM; show its order, what is, what if, and what would have been."""
    console = Console()
    scm = sample_scm("rff-in", NODES, rng)
    rows = scm.sample(ROWS, rng)
    names = [scm.names[column] for column in scm.order]
    edges = ", ".join(f"{scm.names[i]} -> {scm.names[j]}" for i, j in np.argwhere(scm.adjacency))
    console.print(f"A structural causal model of {NODES} variables, {ROWS} rows drawn from it.")
    console.print(f"Causal order, causes first: [bold]{' '.join(map(str, names))}[/bold]   edges: {edges}")

    target = max(scm.names, key=lambda name: scm.adjacency[scm.names.index(name)].sum())
    do = {target: float(rows[target].mean() + 2 * rows[target].std())}
    changed = scm.do(do).sample(ROWS, rng)
    table = Table(title=f"What is, and what if {target} were set to {do[target]:.2f}: column means")
    for column in ("", *map(str, names)):
        table.add_column(column, justify="right")
    table.add_row("what is", *(f"{rows[name].mean():.2f}" for name in names))
    table.add_row("what if", *(f"{changed[name].mean():.2f}" for name in names))
    console.print(table)

    factual = rows.head(SHOWN)
    imagined = scm.counterfactual(factual, do)
    table = Table(title=f"What these very rows would have been, had {target} been {do[target]:.2f}")
    for column in ("", *map(str, names)):
        table.add_column(column, justify="right")
    for row in factual.index:
        table.add_row(f"row {row}", *(f"{factual.loc[row, name]:.2f}" for name in names))
        table.add_row("would be", *(f"{imagined.loc[row, name]:.2f}" for name in names), end_section=True)
    console.print(table)
