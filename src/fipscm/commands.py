"""Commands that answer with a model: fit, sample, do, counterfactual, effect, check.

Where a model is asked for, a table does as well: it is fitted first.
"""

import json
import sys
from collections.abc import Hashable
from typing import Annotated, Any, Literal, cast

import networkx as nx
import typer
from numpy.typing import ArrayLike

from fipscm.errors import GraphError, InterventionError, KnowledgeError
from fipscm.estimator import FiP
from fipscm.files import STREAM, read_table, write_table
from fipscm.intervention import Do, Policy, Shift
from fipscm.knowledge import Knowledge
from fipscm.plotting import save_picture

app = typer.Typer()

Model = Annotated[str, typer.Argument(help="A saved model (.fip), or a table to fit first; - for standard input.")]
Rows = Annotated[str, typer.Argument(help="CSV or Parquet file, or - for standard input.")]
Out = Annotated[str, typer.Option("--out", "-o", help="CSV or Parquet file, or - for standard output.")]
Seed = Annotated[int, typer.Option(help="Seed of the random numbers.")]
Count = Annotated[int, typer.Option("--rows", "-n", help="Number of rows to draw.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
Change = Annotated[list[str], typer.Option("--do", help="NAME=VALUE sets a column, NAME+=VALUE shifts it; repeatable.")]
Edges = Annotated[list[str] | None, typer.Option(help="CAUSE->EFFECT; repeatable.")]
Names = Annotated[str | None, typer.Option(help="Column names, separated by commas.")]


@app.command()
def fit(
    data: Rows,
    out: Annotated[str, typer.Option("--out", "-o", help="Where to save the model.")] = "model.fip",
    order: Names = None,
    graph: Annotated[str | None, typer.Option(help="Adjacency table (row = cause) of a known graph.")] = None,
    require: Edges = None,
    forbid: Edges = None,
    tiers: Annotated[str | None, typer.Option(help="Earliest first: names by commas, tiers by semicolons.")] = None,
    roots: Names = None,
    leaves: Names = None,
    scale: Annotated[str, typer.Option(help="standardized, or raw to let the columns' scales speak.")] = "standardized",
    edges: Annotated[str, typer.Option(help="test, or jacobian for the paper's rule.")] = "test",
    prune: Annotated[bool, typer.Option(help="Keep only the edges found.")] = True,
    skip: Annotated[bool, typer.Option(help="Start from the best model that can be solved for.")] = True,
    plot: Annotated[str | None, typer.Option(help="Draw the graph into this PNG file.")] = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Learn a model from a table and save it.  Example: fipscm fit data.csv --out model.fip --tiers "age;dose,pain"."""
    table = read_table(data)
    model = FiP(
        order=_names(order) or None,
        graph=None if graph is None else _adjacency(graph),
        knowledge=Knowledge(
            [_edge(text) for text in require or ()],
            [_edge(text) for text in forbid or ()],
            [_names(tier) for tier in (tiers or "").split(";") if tier],
            _names(roots),
            _names(leaves),
        ),
        scale=scale,
        edges=cast(Literal["test", "jacobian"], edges),
        prune=prune,
        skip=skip,
        random_state=seed,
        verbose=sys.stderr.isatty(),
    ).fit(table)
    model.save(out)
    if plot is not None:
        save_picture(model.plot(), plot)
    found = [{"cause": cause, "effect": effect, **data} for cause, effect, data in model.graph_.edges(data=True)]
    if as_json:
        _print_json({"order": model.causal_order_, "edges": found, "model": out})
        return
    print(f"Causal order, causes first: {' '.join(map(str, model.causal_order_))}")
    for edge in found:
        print(f"{edge['cause']} -> {edge['effect']}  weight {edge['weight']:.4g}  score {edge['score']:.1f}")
    print(f"Saved in {out}.")


@app.command()
def sample(model: Model, rows: Count = 1000, seed: Seed = 0, out: Out = STREAM) -> None:
    """Draw rows from a model: what is.  Example: fipscm sample model.fip --rows 500 --out new.csv."""
    write_table(_model(model, seed).sample(rows, seed), out)


@app.command()
def do(model: Model, change: Change, rows: Count = 1000, seed: Seed = 0, out: Out = STREAM) -> None:
    """Draw fresh units under an intervention: what if.  Example: fipscm do model.fip --do dose=2 --out what_if.csv."""
    write_table(_model(model, seed).intervene(_parse(change), rows, seed), out)


@app.command()
def counterfactual(model: Model, rows: Rows, change: Change, seed: Seed = 0, out: Out = STREAM) -> None:
    """Say what given rows would have been.  Example: fipscm counterfactual model.fip rows.csv --do dose=0."""
    intervention = _parse(change)
    write_table(_model(model, seed).counterfactual(read_table(rows), intervention), out)


@app.command()
def effect(
    model: Model,
    treatment: Annotated[str, typer.Option("--of", help="The column that is set.")],
    on: Annotated[str, typer.Option(help="The column that is looked at.")],
    treated: Annotated[float, typer.Option(help="Its value with treatment.")] = 1.0,
    control: Annotated[float, typer.Option(help="Its value without.")] = 0.0,
    orders: Annotated[int, typer.Option(help="Average over so many plausible orders (needs a table).")] = 0,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Average effect of one column on another.  Example: fipscm effect model.fip --of dose --on pain --treated 2."""
    found = _model(model, seed).effect(treatment, on, treated, control, orders=orders, random_state=seed)
    if as_json:
        facts = {name: getattr(found, name) for name in ("estimate", "low", "high", "level", "by_order", "sign_flips")}
        _print_json({**vars(found.question), **facts})
    else:
        print(found)


@app.command()
def check(model: Model, data: Rows, as_json: Json = False, seed: Seed = 0) -> None:
    """Test a model's assumptions on a table; exit code 1 if they fail.  Example: fipscm check model.fip data.csv."""
    report = _model(model, seed).check(read_table(data), seed)
    if as_json:
        findings = json.loads(report.table.to_json(orient="records"))
        _print_json({"passed": report.passed, "verdict": str(report), "findings": findings})
    else:
        print(report.table.drop(columns="verdict").to_string(index=False))
        print(report)
    if not report.passed:
        raise typer.Exit(1)


def _model(path: str, seed: int) -> FiP:
    if path.endswith(".fip"):
        return FiP.load(path)
    return FiP(random_state=seed, verbose=sys.stderr.isatty()).fit(read_table(path))


def _parse(changes: list[str]) -> Do:
    parsed: dict[Hashable, ArrayLike | Shift | Policy] = {}
    for text in changes:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise InterventionError(f"'{text}' is not an intervention: write NAME=VALUE, or NAME+=VALUE for a shift.")
        try:
            number = float(value)
        except ValueError:
            raise InterventionError(
                f"'{value}' in '{text}' is not a number: write NAME=VALUE, as in dose=2.5."
            ) from None
        parsed[name.removesuffix("+")] = Shift(number) if name.endswith("+") else number
    return parsed


def _adjacency(path: str) -> nx.DiGraph:
    """A table whose first column names the causes and whose other columns are the effects."""
    table = read_table(path, row_names=True)
    if set(table.index) != set(table.columns):
        raise GraphError(f"'{path}' does not name the same variables in its rows and columns: give each one of both.")
    return nx.from_pandas_adjacency(table, create_using=nx.DiGraph)


def _edge(text: str) -> tuple[str, str]:
    cause, arrow, effect = text.partition("->")
    if not arrow:
        raise KnowledgeError(f"'{text}' is not an edge: write CAUSE->EFFECT, in quotes.")
    return cause.strip(), effect.strip()


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _print_json(facts: dict[str, Any]) -> None:
    print(json.dumps(facts))
