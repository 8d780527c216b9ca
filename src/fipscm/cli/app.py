"""The commands in the order of their help. Their modules import what is heavy only when a command runs."""

from typing import Annotated

import typer

from fipscm import __version__
from fipscm.cli.commands.ask import check, counterfactual, do, effect, impute, sample
from fipscm.cli.commands.bench import bench, bench_calibration, bench_summary
from fipscm.cli.commands.explore import explore
from fipscm.cli.commands.learn import fit, order
from fipscm.cli.commands.pretrain import pretrain
from fipscm.cli.commands.report import report
from fipscm.cli.commands.sensitivity import sensitivity
from fipscm.cli.commands.simulated import demo, simulate
from fipscm.cli.commands.suggest import suggest

app = typer.Typer(add_completion=False)

for command in (
    demo,
    suggest,
    order,
    fit,
    sample,
    do,
    counterfactual,
    impute,
    effect,
    sensitivity,
    check,
    report,
    explore,
    simulate,
    pretrain,
    bench,
    bench_summary,
    bench_calibration,
):
    app.command()(command)


def _tell_version(asked: bool) -> None:
    if asked:
        print(f"fipscm {__version__}")
        raise typer.Exit


@app.callback()
def fipscm(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Tell the version and stop.")
    ] = False,
) -> None:
    """Causal generative models from a table."""
