"""Commands that answer with a model: fit, sample, do, counterfactual, effect, check.

Where a model is asked for, a table does as well: it is fitted first. That takes minutes, so every mistake that can be
found without the fit is found before it.
"""

import json
import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

import pandas as pd
import typer
from numpy.typing import ArrayLike

from fipscm.errors import DataError, InterventionError, KnowledgeError, ModelFileError, unknown_name
from fipscm.estimator import FiP
from fipscm.knowledge import Knowledge
from fipscm.plotting import require_writable_picture, save_picture
from fipscm.scm.intervention import Do, Intervention, Policy, Shift
from fipscm.tables.read import STREAM, read_table
from fipscm.tables.validate import as_frame, require_finite
from fipscm.tables.write import require_writable, require_writable_table, write_table

MODEL_SUFFIX = ".fip"

app = typer.Typer()

Model = Annotated[str, typer.Argument(help="A saved model (.fip), or a table to fit first; - for standard input.")]
Rows = Annotated[str, typer.Argument(help="CSV or Parquet file, or - for standard input.")]
Out = Annotated[str, typer.Option("--out", "-o", help="CSV or Parquet file, or - for standard output.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random numbers.")]
Count = Annotated[int, typer.Option("--rows", "-n", min=1, help="Number of rows to draw.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
Change = Annotated[list[str], typer.Option("--do", help="NAME=VALUE sets a column, NAME+=VALUE shifts it; repeatable.")]
# Without quotes the shell would take > for itself and write a file.
Edges = Annotated[list[str] | None, typer.Option(help='"CAUSE->EFFECT", with the quotes; repeatable.')]
Names = Annotated[str | None, typer.Option(help="Column names, separated by commas.")]


@app.command()
def fit(
    data: Rows,
    out: Annotated[str, typer.Option("--out", "-o", help="Where to save the model; ends in .fip.")] = "model.fip",
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
    plot: Annotated[str | None, typer.Option(help="Draw the graph into this PNG, PDF or SVG file.")] = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Learn a model from a table and save it.  Example: fipscm fit data.csv --out model.fip --tiers "age;dose,pain"."""
    if not out.endswith(MODEL_SUFFIX):
        raise ModelFileError(f"Cannot save a model as '{out}': its name must end in .fip, by which commands know it.")
    require_writable(out)
    if plot is not None:
        require_writable_picture(plot)
    table = read_table(data)
    model = FiP(
        order=_names(order) or None,
        graph=None if graph is None else read_table(graph, row_names=True),
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
    require_writable_table(out)
    write_table(_source(model, seed).model().sample(rows, seed), out)


@app.command()
def do(model: Model, change: Change, rows: Count = 1000, seed: Seed = 0, out: Out = STREAM) -> None:
    """Draw fresh units under an intervention: what if.  Example: fipscm do model.fip --do dose=2 --out what_if.csv."""
    require_writable_table(out)
    source = _source(model, seed)
    intervention = _intervention(change, source.names)
    write_table(source.model().intervene(intervention, rows, seed), out)


@app.command()
def counterfactual(model: Model, rows: Rows, change: Change, seed: Seed = 0, out: Out = STREAM) -> None:
    """Say what given rows would have been.  Example: fipscm counterfactual model.fip rows.csv --do dose=0."""
    require_writable_table(out)
    source = _source(model, seed)
    intervention, units = _intervention(change, source.names), _rows(rows, source.names)
    write_table(source.model().counterfactual(units, intervention), out)


@app.command()
def effect(
    model: Model,
    treatment: Annotated[str, typer.Option("--of", help="The column that is set.")],
    on: Annotated[str, typer.Option(help="The column that is looked at.")],
    treated: Annotated[float, typer.Option(help="Its value with treatment.")] = 1.0,
    control: Annotated[float, typer.Option(help="Its value without.")] = 0.0,
    orders: Annotated[int, typer.Option(min=0, help="Average over so many plausible orders (needs a table).")] = 0,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Average effect of one column on another.  Example: fipscm effect model.fip --of dose --on pain --treated 2."""
    source = _source(model, seed)
    cause, outcome = (_column(text, source.names) for text in (treatment, on))
    for value in (treated, control):
        _require_possible({cause: value}, source.names)
    found = source.model().effect(cause, outcome, treated, control, orders=orders, random_state=seed)
    if as_json:
        facts = {name: getattr(found, name) for name in ("estimate", "low", "high", "level", "by_order", "sign_flips")}
        _print_json({**vars(found.question), **facts})
    else:
        print(found)


@app.command()
def check(model: Model, data: Rows, as_json: Json = False, seed: Seed = 0) -> None:
    """Test a model's assumptions on a table; exit code 1 if they fail.  Example: fipscm check model.fip data.csv."""
    source = _source(model, seed)
    rows = _rows(data, source.names)
    report = source.model().check(rows, seed)
    if as_json:
        findings = json.loads(report.table.to_json(orient="records"))
        _print_json({"passed": report.passed, "verdict": str(report), "findings": findings})
    else:
        print(report.table.drop(columns="verdict").to_string(index=False))
        print(report)
    if not report.passed:
        raise typer.Exit(1)


@dataclass(frozen=True)
class _Source:
    """A saved model, or a table to learn one from: its names are known at once, its model may take minutes."""

    names: Sequence[Hashable]
    model: Callable[[], FiP]


def _source(path: str, seed: int) -> _Source:
    if path.endswith(MODEL_SUFFIX):
        model = FiP.load(path)
        return _Source(model.scm_.names, lambda: model)
    table = read_table(path)
    return _Source(list(table.columns), lambda: FiP(random_state=seed, verbose=sys.stderr.isatty()).fit(table))


def _rows(path: str, names: Sequence[Hashable]) -> pd.DataFrame:
    """Rows that a model of these names can be asked about."""
    frame = as_frame(read_table(path))
    if set(frame.columns) != set(names):
        found, needed = (", ".join(map(str, columns)) for columns in (frame.columns, names))
        raise DataError(f"'{path}' has the columns {found}, but the model has {needed}: pass exactly those.")
    require_finite(frame)
    return frame


def _column(text: str, names: Sequence[Hashable], kind: str = "column") -> Hashable:
    """The column meant by what a user typed."""
    known = {str(name).strip(): name for name in names}
    if text.strip() not in known:
        raise unknown_name(kind, text.strip(), names)
    return known[text.strip()]


def _intervention(changes: list[str], names: Sequence[Hashable]) -> Do:
    """Read NAME=VALUE and NAME+=VALUE; a name may itself end in +, so what is a name comes before what is a shift."""
    parsed: dict[Hashable, ArrayLike | Shift | Policy] = {}
    for text in changes:
        left, sign, value = (part.strip() for part in text.rpartition("="))
        if not sign or not left:
            raise InterventionError(f"'{text}' is not an intervention: write NAME=VALUE, or NAME+=VALUE for a shift.")
        try:
            number = float(value)
        except ValueError:
            raise InterventionError(
                f"'{value}' in '{text}' is not a number: write NAME=VALUE, as in dose=2.5."
            ) from None
        shifts = left.endswith("+") and left not in (str(name).strip() for name in names)
        column = _column(left.removesuffix("+") if shifts else left, names, "intervention target")
        if column in parsed:
            raise InterventionError(f"'{text}' is the second intervention on '{column}': give each column one.")
        parsed[column] = Shift(number) if shifts else number
    _require_possible(parsed, names)
    return parsed


def _require_possible(do: Do, names: Sequence[Hashable]) -> None:
    Intervention.parse(do, names)


def _edge(text: str) -> tuple[str, str]:
    cause, arrow, effect = text.partition("->")
    if not arrow:
        raise KnowledgeError(f"'{text}' is not an edge: write CAUSE->EFFECT, in quotes.")
    return cause.strip(), effect.strip()


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _print_json(facts: dict[str, Any]) -> None:
    print(json.dumps(facts))
