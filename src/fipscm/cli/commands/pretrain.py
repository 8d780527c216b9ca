"""The command `fipscm pretrain`."""

import math
from pathlib import Path
from typing import Annotated

import typer


def pretrain(
    recipe: Annotated[
        str, typer.Option(help="What is trained, and how: shipped, smoke or paper, or a TOML file like those.")
    ] = "shipped",
    run: Annotated[
        Path | None, typer.Option(help="Folder of log, learning curve and checkpoint; runs/RECIPE unless given.")
    ] = None,
    minutes: Annotated[
        float, typer.Option(min=0, help="Stop after so many minutes; the same command goes on from there.")
    ] = math.inf,
    simulators: Annotated[int, typer.Option(min=0, help="Processes that simulate training tables.")] = 1,
    weights: Annotated[
        Path | None, typer.Option(help="Write the weights here at the end; RUN/weights.safetensors unless given.")
    ] = None,
) -> None:
    """Train the order model by a recipe, from nothing.  Example: fipscm pretrain --recipe smoke."""
    from rich.console import Console

    from fipscm.order.training import run as training
    from fipscm.order.training.recipe import Recipe
    from fipscm.tables.write import make_folder, require_writable

    steps = Recipe.read(recipe)
    folder = run or Path("runs") / Path(recipe).stem
    make_folder(folder)
    weights = weights or folder / "weights.safetensors"
    require_writable(weights)
    with Console(stderr=True).status("simulating the first tables") as status:

        def tell(line: dict[str, float]) -> None:
            losses = ", ".join(f"{name} {value:.3f}" for name, value in line.items() if name.endswith("loss"))
            status.update(f"step {line['step']} of {steps.steps}, {line['minutes']:.1f} minutes of training: {losses}")

        training.pretrain(steps, folder, minutes, simulators=simulators, weights=weights, tell=tell)
    typer.echo(f"The weights are in '{weights}': pass them with --weights.")
