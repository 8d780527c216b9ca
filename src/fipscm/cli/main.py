"""The command line: a thin table over the public functions. Exit code 2 and one sentence for a user's mistake."""

import json
import sys
import warnings
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from fipscm.cli import demo as demonstration
from fipscm.cli import models as commands
from fipscm.cli.bench import app as bench_app
from fipscm.cli.models import Out, Seed
from fipscm.errors import FipscmError, OrderError, unknown_name
from fipscm.order import METHODS, infer_order, order_confidence, zero_shot
from fipscm.order.weights import encoder_config
from fipscm.plotting import plot_graph, require_writable_picture, save_picture
from fipscm.simulate import KNOWN_SCMS, PRIORS, known_scm, sample_scm
from fipscm.tables.read import STREAM, read_table
from fipscm.tables.write import make_folder, require_writable, write_table

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Causal generative models from a table.")

app.add_typer(commands.app)
app.add_typer(bench_app)


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the table, the model and the picture.")] = Path("fipscm-demo"),
    seed: Seed = 0,
) -> None:
    """See the main job on simulated data.  Example: fipscm demo --out somewhere."""
    demonstration.run(seed, out, Console())


@app.command()
def simulate(
    name: Annotated[str, typer.Argument(help="lin-, rff- or mlp-, with in or out, or a known SCM such as triangle.")],
    nodes: Annotated[int, typer.Option(help="Number of variables (random SCMs only).")] = 10,
    rows: Annotated[int, typer.Option(help="Number of rows.")] = 1000,
    preset: Annotated[str, typer.Option(help="avici or released (random SCMs only).")] = "released",
    seed: Seed = 0,
    out: Out = STREAM,
) -> None:
    """Draw a table from a random or known SCM.  Example: fipscm simulate rff-out --nodes 5 --out data.csv."""
    distributions = dict.fromkeys(prior for priors in PRIORS.values() for prior in priors)
    if name not in (*distributions, *KNOWN_SCMS):
        raise unknown_name("SCM", name, (*distributions, *KNOWN_SCMS))
    rng = np.random.default_rng(seed)
    scm = known_scm(name) if name in KNOWN_SCMS else sample_scm(name, nodes, rng, preset)
    write_table(scm.sample(rows, rng), out)


@app.command()
def order(
    data: Annotated[str, typer.Argument(help="CSV or Parquet file, or - for standard input.")],
    scale: Annotated[
        str, typer.Option(help="standardized, or raw to use how the columns' scales compare.")
    ] = "standardized",
    method: Annotated[str, typer.Option(help=f"{', '.join(METHODS)}.")] = METHODS[0],
    as_json: Annotated[bool, typer.Option("--json", help="Order (evidence: confidences, edges) as JSON.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the graph of evidence: a PNG, PDF or SVG file.")] = None,
    weights: Annotated[Path | None, typer.Option(help="Weights that pretrain wrote; default: those shipped.")] = None,
    jobs: Annotated[int, typer.Option(help="Processor cores to use, -1 for all.")] = 1,
    seed: Seed = 0,
) -> None:
    """Name the columns in causal order, causes first.  Example: fipscm order data.csv --json."""
    if plot is not None:
        if method in METHODS[1:]:
            raise OrderError(f"The method '{method}' finds no graph to draw: leave out --plot, or use {METHODS[0]}.")
        require_writable_picture(plot)
    table = read_table(data)
    if method != METHODS[0]:
        found = infer_order(table, scale, method=method, weights=weights)
        print(json.dumps({"order": found}) if as_json else "\n".join(map(str, found)))
        return
    answer = zero_shot(table, scale, n_jobs=jobs, weights=weights)
    if plot is not None:
        save_picture(plot_graph(answer.graph(), strength="probability"), plot)
    if as_json:
        confidence = order_confidence(table, np.random.default_rng(seed), scale, n_jobs=jobs, weights=weights)
        edges = None if answer.edges is None else answer.edges.T.to_dict()
        print(json.dumps({"order": answer.order, "confidence": confidence.T.to_dict(), "edges": edges}))
    else:
        print("\n".join(map(str, answer.order)))


@app.command()
def pretrain(
    run: Annotated[Path, typer.Option(help="Folder of log, learning curve and checkpoint.")] = Path("runs/order"),
    minutes: Annotated[float, typer.Option(min=0, help="How long to train; a run that exists is resumed.")] = 60.0,
    tasks: Annotated[str, typer.Option(help="small tables, as at the start of a run, or mixed.")] = "mixed",
    simulators: Annotated[int, typer.Option(min=0, help="Processes that simulate training tables.")] = 1,
    seed: Seed = 0,
    encoder: Annotated[str, typer.Option(help="evidence, or paper for the encoder of the paper.")] = "evidence",
    scale: Annotated[
        str | None, typer.Option(help="Of the paper's training tables: standardized (default) or raw.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option(help="Begin a new run with these weights, not with random ones.")
    ] = None,
    weights: Annotated[Path | None, typer.Option(help="Write the averaged weights here at the end.")] = None,
) -> None:
    """Train the order model.  Example: fipscm pretrain --minutes 2."""
    from fipscm.order.training import run as training

    command = f"fipscm pretrain --run {run} --minutes {minutes:g} --tasks {tasks} --seed {seed}"
    given = {"encoder": None if encoder == "evidence" else encoder, "scale": scale, "start": start}
    command += "".join(f" --{name} {value}" for name, value in given.items() if value is not None)
    config = training.PretrainConfig(training.curriculum(tasks, seed), encoder_config(encoder, scale), command=command)
    make_folder(run)
    if weights is not None:
        require_writable(weights)
    with Console(stderr=True).status("simulating the first tables") as status:

        def tell(line: dict[str, float]) -> None:
            losses = ", ".join(f"{name} {value:.3f}" for name, value in line.items() if name.endswith("loss"))
            status.update(f"step {line['step']}, {line['minutes']:.1f} minutes of training: {losses}")

        training.pretrain(config, run, minutes, start=start, simulators=simulators, weights=weights, tell=tell)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; a user's mistake ends in one sentence and exit code 2, never in a traceback."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            # A warning, too, is a sentence, not a place in the code.
            warnings.showwarning = lambda message, *_: print(f"fipscm: {message}", file=sys.stderr)
            app(arguments)
    except FipscmError as error:
        print(f"fipscm: {error}", file=sys.stderr)
        sys.exit(2)
