"""Commands on data that the package simulates itself, where the truth is known."""

from pathlib import Path
from typing import Annotated

import typer

from fipscm.cli.names import DISTRIBUTIONS, PRESETS
from fipscm.cli.options import Out, Seed
from fipscm.errors import unknown_name
from fipscm.tables.stream import STREAM


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the table, the model and the picture.")] = Path("fipscm-demo"),
    seed: Seed = 0,
) -> None:
    """See the main job on simulated data.  Example: fipscm demo --out somewhere."""
    from rich.console import Console

    from fipscm.cli.commands.demo import run

    run(seed, out, Console())


def simulate(
    name: Annotated[str, typer.Argument(help=f"{', '.join(DISTRIBUTIONS)}, or a known SCM such as triangle.")],
    nodes: Annotated[int, typer.Option(help="Number of variables (random SCMs only).")] = 10,
    rows: Annotated[int, typer.Option(help="Number of rows.")] = 1000,
    preset: Annotated[str, typer.Option(help=f"{' or '.join(PRESETS)} (random SCMs only).")] = "released",
    seed: Seed = 0,
    out: Out = STREAM,
) -> None:
    """Draw a table from a random or known SCM.  Example: fipscm simulate rff-out --nodes 5 --out data.csv."""
    import numpy as np

    from fipscm.simulate import KNOWN_SCMS, known_scm, sample_scm
    from fipscm.tables.write import require_writable_table, write_table

    if name not in (*DISTRIBUTIONS, *KNOWN_SCMS):
        raise unknown_name("SCM", name, (*DISTRIBUTIONS, *KNOWN_SCMS))
    require_writable_table(out)
    rng = np.random.default_rng(seed)
    scm = known_scm(name) if name in KNOWN_SCMS else sample_scm(name, nodes, rng, preset)
    write_table(scm.sample(rows, rng), out)
