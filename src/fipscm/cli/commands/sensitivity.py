"""How strong a hidden cause must be to explain an effect away."""

import json
from typing import Annotated

import typer

from fipscm.cli.options import FitOptions, Json, Model, OwnRows, Seed, unfolded
from fipscm.cli.typed import as_column, as_value
from fipscm.tables.stream import require_one_stream

FACTS = ("estimate", "error", "degrees", "level", "robustness", "robustness_interval", "outcome_strength")


@unfolded
def sensitivity(
    model: Model,
    treatment: Annotated[str, typer.Option("--of", help="The column that is set.")],
    on: Annotated[str, typer.Option(help="The column that is looked at.")],
    options: FitOptions,
    rows: OwnRows = None,
    treated: Annotated[str | None, typer.Option(help="Its value with treatment, as in effect.")] = None,
    control: Annotated[str | None, typer.Option(help="Its value without.")] = None,
    strength: Annotated[
        float | None, typer.Option(help="Bound the effect beside a hidden cause that explains this share of both.")
    ] = None,
    plot: Annotated[str | None, typer.Option(help="Draw the contours into this PNG, PDF or SVG file.")] = None,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """How strong a hidden common cause must be.  Example: fipscm sensitivity data.csv --of dose --on pain."""
    from fipscm.cli.source import open_source, rows_for
    from fipscm.plotting import PICTURES, require_writable_picture, save_picture
    from fipscm.questions.contrast import require_comparable
    from fipscm.questions.sensitivity import require_strength

    require_one_stream(model, rows, options.graph)
    require_strength(strength)
    if plot is not None:
        require_writable_picture(plot, PICTURES[:-1])
    source = open_source(model, options, seed, kept=(treatment, on))
    given, known = None if rows is None else rows_for(rows, source, options).frame, source.known
    cause, outcome = (as_column(text, source.columns, known=known) for text in (treatment, on))
    if treated is None or control is None:
        require_comparable(cause, known)
    above, below = (None if text is None else as_value(text, cause, known) for text in (treated, control))
    found = source.model().sensitivity(cause, outcome, above, below, strength=strength, rows=given)
    if plot is not None:
        save_picture(found.plot(), plot)
    if as_json:
        asked = {name: getattr(found.question, name) for name in ("treatment", "outcome", "treated", "control")}
        benchmarks = found.table.reset_index().to_dict(orient="records")
        bounds = None if strength is None else found.bounds(strength)._asdict()
        facts = {name: getattr(found, name) for name in FACTS}
        print(json.dumps({**asked, **facts, "benchmarks": benchmarks, "strength": strength, "bounds": bounds}))
    else:
        print(found)
