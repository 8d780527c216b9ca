"""The command line: a thin table over the public functions. Exit code 2 and one sentence for a user's mistake."""

import sys
from typing import Annotated

import numpy as np
import typer

from fipscm import demo as demonstration
from fipscm.errors import FipscmError
from fipscm.files import STREAM, write_table
from fipscm.simulate import KNOWN_SCMS, known_scm, sample_scm

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Causal generative models from a table.")

Out = Annotated[str, typer.Option("--out", "-o", help="CSV or Parquet file, or - for standard output.")]
Seed = Annotated[int, typer.Option(help="Seed of the random numbers.")]


@app.command()
def demo(seed: Seed = 0) -> None:
    """See the main job on simulated data.  Example: fipscm demo."""
    demonstration.run(np.random.default_rng(seed))


@app.command()
def simulate(
    name: Annotated[str, typer.Argument(help="lin-in, lin-out, rff-in, rff-out, or a known SCM such as triangle.")],
    nodes: Annotated[int, typer.Option(help="Number of variables (random SCMs only).")] = 10,
    rows: Annotated[int, typer.Option(help="Number of rows.")] = 1000,
    preset: Annotated[str, typer.Option(help="avici or released (random SCMs only).")] = "released",
    seed: Seed = 0,
    out: Out = STREAM,
) -> None:
    """Draw a table from a random or known SCM.  Example: fipscm simulate rff-out --nodes 5 --out data.csv."""
    rng = np.random.default_rng(seed)
    scm = known_scm(name) if name in KNOWN_SCMS else sample_scm(name, nodes, rng, preset)
    write_table(scm.sample(rows, rng), out)


def main() -> None:
    """Run the command line; a user's mistake ends in one sentence and exit code 2, never in a traceback."""
    try:
        app()
    except FipscmError as error:
        print(f"fipscm: {error}", file=sys.stderr)
        sys.exit(2)
