"""A model and a table as a page for the browser."""

from typing import Annotated

import typer

from fipscm.cli.options import FitOptions, Model, OwnRows, Seed, unfolded
from fipscm.cli.typed import as_column
from fipscm.tables.stream import require_one_stream


@unfolded
def report(
    model: Model,
    options: FitOptions,
    data: OwnRows = None,
    out: Annotated[str, typer.Option("--out", "-o", help="HTML file to write.")] = "report.html",
    target: Annotated[
        str | None, typer.Option(help="The column to explain; the last effect of the order if omitted.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Show a model in a page for any browser.  Example: fipscm report model.fip data.csv --out report.html."""
    from fipscm.cli.source import open_source, rows_for
    from fipscm.tables.write import require_writable

    require_one_stream(model, data, options.graph)
    require_writable(out)
    source = open_source(model, options, seed)
    rows = rows_for(data, source, options).frame
    explained = None if target is None else as_column(target, source.columns)
    source.model().report(rows, target=explained, random_state=seed).save(out)
    print(f"Written to {out}: open it in a browser.")
