"""The commands `fipscm bench` and `fipscm bench-summary`."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from fipscm.cli.names import BACKENDS, BENCH_METHODS, PATTERNS, PRESETS, SCALES, SUMMARIES, TASKS, VARIANTS
from fipscm.errors import FileError


def _listed(what: str) -> Any:
    return typer.Option(help=f"{what}, separated by commas; the task's own if not given.")


def bench(
    task: Annotated[str, typer.Argument(help=f"One of {', '.join(TASKS)}.")],
    methods: Annotated[str | None, typer.Option(help=f"Of {', '.join(BENCH_METHODS)}.")] = None,
    names: Annotated[str | None, _listed("Collections and SCMs")] = None,
    presets: Annotated[str | None, _listed(f"Of {', '.join(PRESETS)}")] = None,
    dims: Annotated[str | None, _listed("Numbers of variables")] = None,
    rows: Annotated[str | None, _listed("Numbers of rows")] = None,
    seeds: Annotated[str | None, _listed("Which of the SCMs or tables of a kind")] = None,
    scales: Annotated[str | None, _listed(f"Of {', '.join(SCALES)}")] = None,
    variants: Annotated[str | None, _listed(f"Of {', '.join(dict.fromkeys([*VARIANTS, *PATTERNS]))}")] = None,
    limit: Annotated[float, typer.Option(min=1, help="Processor seconds a method may take for one data set.")] = 600.0,
    jobs: Annotated[int, typer.Option(help="Cells at the same time, each on a core of its own; -1: all cores.")] = 1,
    backend: Annotated[str, typer.Option(help=f"{', '.join(BACKENDS)}: where cells run.")] = BACKENDS[0],
    out: Annotated[Path, typer.Option(help="Folder of results, pages and pictures.")] = Path("bench"),
    data: Annotated[Path | None, typer.Option(help="Folder with sachs/ and syntren/; downloaded if not given.")] = None,
    run: Annotated[bool, typer.Option(help="Run what is missing, or only write the page again.")] = True,
) -> None:
    """Compare methods, side by side with the paper.  Example: fipscm bench f1 --dims 10 --methods fip,pc,ges."""
    from fipscm.bench.report.pages import write_pages
    from fipscm.bench.run.engine import RunSettings
    from fipscm.bench.run.results import RESULTS
    from fipscm.bench.run.runner import able_methods, run_task
    from fipscm.bench.tasks import find_task, widened
    from fipscm.order.inference import processor_cores
    from fipscm.tables.write import make_folder

    definition = find_task(task)
    asked = {
        "names": names,
        "presets": presets,
        "dims": dims,
        "rows": rows,
        "seeds": seeds,
        "scales": scales,
        "variants": variants,
    }
    chosen = {option: text for option, text in asked.items() if text is not None}
    grid = replace(definition.grid, **{option: _parsed(option, text) for option, text in chosen.items()})
    wanted = None if methods is None else tuple(methods.split(","))
    if run:
        settings = RunSettings(limit, processor_cores(jobs), backend, data)
        able = able_methods(definition, wanted)
        make_folder(out)
        run_task(able, grid, settings, out, _tell)
    # A page shows all that the folder has of its task, whichever part was run last.
    written = write_pages(task, widened(definition, grid, wanted or ()), f"fipscm bench {task}", out)
    if not written:
        raise FileError(f"{out / RESULTS} holds no result of this task yet: run it without --no-run.")
    print(written[0].read_text())
    print(f"Written: {', '.join(map(str, written))}", file=sys.stderr)


def bench_summary(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(SUMMARIES)}.")],
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("bench"),
) -> None:
    """Sum up a benchmark in one table.  Example: fipscm bench-summary scoreboard --out docs/results/benchmark."""
    from fipscm.bench.report.summary import summary
    from fipscm.bench.run.results import RESULTS

    print(summary(name, out / RESULTS))


def _parsed(option: str, text: str) -> tuple[Any, ...]:
    """Words, or whole numbers where the grid wants numbers."""
    from fipscm.bench.tasks import Grid

    kind = type(getattr(Grid(), option)[0])
    try:
        return tuple(kind(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(
            f"'{text}' is not a list of whole numbers such as 10,20.", param_hint=f"'--{option}'"
        ) from None


def _tell(place: str, line: dict[str, Any]) -> None:
    data = " ".join(str(line[part]) for part in ("name", "preset", "family", "scale", "variant") if line[part])
    size = f"d={line['nodes']} n={line['rows']}"
    text = f"[{place}] {line['method']} on {data} {size}: {line['status']} after {line['seconds']:.1f} s"
    print(f"{text} {line.get('error', '')}".rstrip(), file=sys.stderr, flush=True)
