"""Commands that ask a model: what is, what if, what would have been, what is missing, how much, and how sure."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from fipscm.cli.options import Assess, Change, Count, FitOptions, Json, Model, Out, OwnRows, Seed, unfolded
from fipscm.cli.suggested import tell_suggestions
from fipscm.cli.typed import as_column, as_intervention, as_value
from fipscm.errors import KnowledgeError
from fipscm.tables.stream import STREAM, require_one_stream

# Of an effect, in JSON, besides what was asked.
EFFECT_FACTS = (
    *("estimate", "low", "high", "level", "possible", "randomised", "ruled_out", "precedes", "agreement"),
    *("by_order", "sign_flips", "methods_disagree", "reason", "adjusted_for", "no_second_opinion"),
)


@unfolded
def sample(model: Model, options: FitOptions, rows: Count = 1000, seed: Seed = 0, out: Out = STREAM) -> None:
    """Draw rows from a model: what is.  Example: fipscm sample model.fip --rows 500 --out new.csv."""
    from fipscm.cli.source import open_source
    from fipscm.tables.write import require_writable_table, write_table

    require_writable_table(out)
    source = open_source(model, options, seed)
    write_table(source.model().sample(rows, seed), out, source.writing)


@unfolded
def do(
    model: Model, change: Change, options: FitOptions, rows: Count = 1000, seed: Seed = 0, out: Out = STREAM
) -> None:
    """Draw fresh units under an intervention: what if.  Example: fipscm do model.fip --do dose=2 --out what_if.csv."""
    from fipscm.cli.source import open_source
    from fipscm.tables.write import require_writable_table, write_table

    require_writable_table(out)
    source = open_source(model, options, seed)
    intervention = as_intervention(change, source.known)
    write_table(source.model().intervene(intervention, rows, seed), out, source.writing)


@unfolded
def counterfactual(
    model: Model, change: Change, options: FitOptions, rows: OwnRows = None, seed: Seed = 0, out: Out = STREAM
) -> None:
    """Say what given rows would have been.  Example: fipscm counterfactual model.fip rows.csv --do dose=0."""
    from fipscm.cli.source import open_source, rows_for
    from fipscm.tables.write import require_writable_table, write_table

    require_one_stream(model, rows, options.graph)
    require_writable_table(out)
    source = open_source(model, options, seed)
    intervention, (units, writing) = as_intervention(change, source.known), rows_for(rows, source, options)
    write_table(source.model().counterfactual(units, intervention, random_state=seed), out, writing)


@unfolded
def impute(model: Model, options: FitOptions, rows: OwnRows = None, seed: Seed = 0, out: Out = STREAM) -> None:
    """Fill in the missing cells of given rows.  Example: fipscm impute model.fip rows.csv --out complete.csv."""
    from fipscm.cli.source import open_source, rows_for
    from fipscm.tables.write import require_writable_table, write_table

    require_one_stream(model, rows, options.graph)
    require_writable_table(out)
    source = open_source(model, options, seed)
    units, writing = rows_for(rows, source, options)
    write_table(source.model().impute(units, random_state=seed), out, writing)


@unfolded
def effect(
    model: Model,
    treatment: Annotated[str, typer.Option("--of", help="The column that is set.")],
    on: Annotated[str, typer.Option(help="The column that is looked at.")],
    options: FitOptions,
    rows: OwnRows = None,
    treated: Annotated[
        str | None, typer.Option(help="Its value with treatment: the second of two levels, else its upper quartile.")
    ] = None,
    control: Annotated[
        str | None, typer.Option(help="Its value without: the first of two levels, else its lower quartile.")
    ] = None,
    orders: Annotated[int, typer.Option(min=0, help="Average over so many plausible orders (needs a table).")] = 0,
    assess: Assess = True,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Average effect of one column on another.  Example: fipscm effect model.fip --of dose --on pain --treated 2."""
    from fipscm.cli.source import open_source, rows_for
    from fipscm.questions.contrast import require_comparable
    from fipscm.questions.effect import Question

    require_one_stream(model, rows, options.graph)
    source = open_source(model, options, seed, kept=(treatment, on))
    given = None if rows is None else rows_for(rows, source, options).frame
    if orders and source.is_saved:
        raise KnowledgeError("A saved model holds no rows to draw other orders from: with --orders, give the table.")
    if orders and options.fix_the_order:
        raise KnowledgeError("With --order or --graph no other order is plausible: leave out --orders.")
    known = source.known
    cause, outcome = (as_column(text, source.columns, known=known) for text in (treatment, on))
    if treated is None or control is None:
        require_comparable(cause, known)
    above, below = (None if text is None else as_value(text, cause, known) for text in (treated, control))
    # Refuses values that are not finite, before the model is fitted.
    Question(cause, outcome, above or 0.0, below or 0.0).intervention(source.columns)
    asked_model = source.assessed() if assess and not orders else source.model()
    found = asked_model.effect(cause, outcome, above, below, orders=orders, rows=given, random_state=seed)
    if as_json:
        asked = {name: getattr(found.question, name) for name in ("treatment", "outcome", "treated", "control")}
        levels = {"by_level": [each._asdict() for each in found.by_level]} if found.by_level else {}
        turned = (
            {name: getattr(found.if_first, name) for name in ("estimate", "low", "high")} if found.if_first else None
        )
        opinions = {
            "methods": [asdict(each) for each in found.methods],
            "overlap": None if found.overlap is None else asdict(found.overlap),
        }
        facts = {name: getattr(found, name) for name in EFFECT_FACTS}
        print(json.dumps({**asked, **facts, **opinions, **levels, "if_first": turned}))
    else:
        print(found)
    if source.chosen is not None:
        tell_suggestions(model, source.chosen, options)


@unfolded
def check(
    model: Model,
    options: FitOptions,
    data: OwnRows = None,
    assess: Assess = True,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Test a model's assumptions on a table; exit code 1 if they fail.  Example: fipscm check model.fip data.csv."""
    from fipscm.cli.source import open_source, rows_for

    require_one_stream(model, data, options.graph)
    source = open_source(model, options, seed)
    rows = rows_for(data, source, options).frame
    report = (source.assessed() if assess else source.model()).check(rows, seed)
    if as_json:
        findings = json.loads(report.table.to_json(orient="records"))
        print(json.dumps({"passed": report.passed, "verdict": str(report), "findings": findings}))
    else:
        print(report)
    if not report.passed:
        raise typer.Exit(1)
