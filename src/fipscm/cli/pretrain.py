"""The command `fipscm pretrain`."""

from pathlib import Path
from typing import Annotated

import typer

from fipscm.cli.options import Seed


def pretrain(
    run: Annotated[Path, typer.Option(help="Folder of log, learning curve and checkpoint.")] = Path("runs/order"),
    minutes: Annotated[float, typer.Option(min=0, help="How long to train; a run that exists is resumed.")] = 60.0,
    tasks: Annotated[str, typer.Option(help="small tables, as at the start of a run, or mixed.")] = "mixed",
    simulators: Annotated[int, typer.Option(min=0, help="Processes that simulate training tables.")] = 1,
    seed: Seed = 0,
    weights: Annotated[Path | None, typer.Option(help="Write the averaged weights here at the end.")] = None,
) -> None:
    """Train the order model.  Example: fipscm pretrain --minutes 2."""
    from rich.console import Console

    from fipscm.order.training import run as training
    from fipscm.tables.write import make_folder, require_writable

    command = f"fipscm pretrain --run {run} --minutes {minutes:g} --tasks {tasks} --seed {seed}"
    config = training.PretrainConfig(tasks=training.curriculum(tasks, seed), command=command)
    make_folder(run)
    if weights is not None:
        require_writable(weights)
    with Console(stderr=True).status("simulating the first tables") as status:

        def tell(line: dict[str, float]) -> None:
            losses = f"leaf loss {line['leaf loss']:.3f}, parent loss {line['parent loss']:.3f}"
            status.update(f"step {line['step']}, {line['minutes']:.1f} minutes of training: {losses}")

        training.pretrain(config, run, minutes, simulators=simulators, weights=weights, tell=tell)
