"""The command that tells what names suggest, in words or as a file to edit."""

import json
from typing import Annotated

import typer

import fipscm
from fipscm.cli.options import Json, ReadOptions, Rows, unfolded


@unfolded
def suggest(
    data: Rows,
    options: ReadOptions,
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="Write a knowledge file to check and edit; - for standard output.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell what the names of columns suggest.  Example: fipscm suggest data.csv --out knowledge.toml."""
    from fipscm.tables.read import read_table
    from fipscm.tables.stream import STREAM
    from fipscm.tables.write import require_writable

    if out is not None and out != STREAM:
        require_writable(out)
    found = fipscm.suggest(read_table(data, reading=options.reading))
    if out == STREAM:
        print(found.toml, end="")
        return
    if out is not None:
        found.save(out)
    if as_json:
        facts = [{"kind": each.kind, "columns": each.groups, "reason": each.reason} for each in found.facts]
        print(json.dumps({"suggestions": facts}))
        return
    print(found)
    if out is not None:
        print(f"Written to {out}: check it, then give it to any command with --knowledge {out}.")
    elif found.facts:
        print("Apply this with --suggested, or write a file to edit with --out knowledge.toml.")
