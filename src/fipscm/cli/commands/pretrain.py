"""The command `fipscm pretrain`."""

import math
from pathlib import Path
from typing import Annotated

import typer

from fipscm.cli.options import Seed


def pretrain(
    run: Annotated[Path, typer.Option(help="Folder of log, learning curve and checkpoint.")] = Path("runs/order"),
    minutes: Annotated[float, typer.Option(min=0, help="How long to train; a run that exists is resumed.")] = 60.0,
    steps: Annotated[
        float, typer.Option(min=1, help="Steps of the run in all; the rate falls to zero over the last 2,000.")
    ] = math.inf,
    tasks: Annotated[str, typer.Option(help="small tables, as at the start of a run, mixed, or wide.")] = "mixed",
    simulators: Annotated[int, typer.Option(min=0, help="Processes that simulate training tables.")] = 1,
    seed: Seed = 0,
    encoder: Annotated[
        str, typer.Option(help="evidence, views (evidence in two views), or paper for the encoder of the paper.")
    ] = "evidence",
    scale: Annotated[
        str | None, typer.Option(help="Of the paper's training tables: standardized (default) or raw.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option(help="Begin a new run with these weights, not with random ones.")
    ] = None,
    weights: Annotated[Path | None, typer.Option(help="Write the averaged weights here at the end.")] = None,
) -> None:
    """Train the order model.  Example: fipscm pretrain --minutes 2."""
    from rich.console import Console

    from fipscm.order.training import run as training
    from fipscm.order.training.trainer import OptimizerConfig
    from fipscm.order.weights import encoder_config
    from fipscm.tables.write import make_folder, require_writable

    command = f"fipscm pretrain --run {run} --minutes {minutes:g} --tasks {tasks} --seed {seed}"
    given = {
        "steps": None if math.isinf(steps) else f"{steps:g}",
        "encoder": None if encoder == "evidence" else encoder,
        "scale": scale,
        "start": start,
    }
    command += "".join(f" --{name} {value}" for name, value in given.items() if value is not None)
    config = training.PretrainConfig(
        training.curriculum(tasks, seed), encoder_config(encoder, scale), OptimizerConfig(steps=steps), command=command
    )
    make_folder(run)
    if weights is not None:
        require_writable(weights)
    with Console(stderr=True).status("simulating the first tables") as status:

        def tell(line: dict[str, float]) -> None:
            losses = ", ".join(f"{name} {value:.3f}" for name, value in line.items() if name.endswith("loss"))
            status.update(f"step {line['step']}, {line['minutes']:.1f} minutes of training: {losses}")

        training.pretrain(config, run, minutes, steps, start=start, simulators=simulators, weights=weights, tell=tell)
