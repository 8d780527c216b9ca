"""The commands `fipscm bench`, `fipscm bench-summary` and `fipscm bench-calibration`."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from fipscm.cli.names import (
    BACKENDS,
    BENCH_METHODS,
    GATE,
    MEASURED,
    ORDERS,
    PATTERNS,
    PRESETS,
    SCALES,
    SUMMARIES,
    TASKS,
    VARIANTS,
)
from fipscm.errors import FileError

LIMIT, MEASURED_LIMIT = 600.0, 300.0  # processor seconds: of a method on a data set, of a measured table
BESIDE_THE_CHECKOUT = Path("../shared/data")  # where the folder of data lies, if nothing else is said


def _listed(what: str) -> Any:
    return typer.Option(help=f"{what}, separated by commas; the task's own if not given.")


def bench(
    task: Annotated[
        str,
        typer.Argument(
            help=f"One of {', '.join(TASKS)}; {MEASURED}: tables as users have them; {ORDERS}: their orders alone; "
            f"or {GATE}: some cells of all, beside what they were."
        ),
    ],
    methods: Annotated[str | None, typer.Option(help=f"Of {', '.join(BENCH_METHODS)}.")] = None,
    names: Annotated[str | None, _listed("Collections and SCMs, or measured tables")] = None,
    presets: Annotated[str | None, _listed(f"Of {', '.join(PRESETS)}")] = None,
    dims: Annotated[str | None, _listed("Numbers of variables")] = None,
    rows: Annotated[str | None, _listed("Numbers of rows")] = None,
    seeds: Annotated[str | None, _listed("Which of the SCMs or tables of a kind")] = None,
    scales: Annotated[str | None, _listed(f"Of {', '.join(SCALES)}")] = None,
    variants: Annotated[str | None, _listed(f"Of {', '.join(dict.fromkeys([*VARIANTS, *PATTERNS]))}")] = None,
    limit: Annotated[
        float | None,
        typer.Option(min=1, help=f"Processor seconds for one data set: {LIMIT:g}, {MEASURED_LIMIT:g} for {MEASURED}."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Cells at the same time, each on a core of its own; -1: all cores.")] = 1,
    backend: Annotated[str, typer.Option(help=f"{', '.join(BACKENDS)}: where cells run.")] = BACKENDS[0],
    out: Annotated[Path, typer.Option(help="Folder of results, pages and pictures.")] = Path("bench"),
    data: Annotated[
        Path | None,
        typer.Option(
            help=f"Folder with sachs/, syntren/ and measured/; {BESIDE_THE_CHECKOUT} if not given. "
            "Without it, the first two are downloaded."
        ),
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(help=f"For {ORDERS}: other weights than those of the package, to compare them.")
    ] = None,
    run: Annotated[
        bool, typer.Option(help="Run what is missing and measured tables that are named, or only write the page again.")
    ] = True,
) -> None:
    """Compare methods, side by side with the paper.  Example: fipscm bench f1 --dims 10 --methods fip,pc,ges."""
    from fipscm.bench.report.pages import write_pages
    from fipscm.bench.run.engine import RunSettings
    from fipscm.bench.run.results import RESULTS
    from fipscm.bench.run.runner import able_methods, run_task
    from fipscm.bench.tasks import find_task, widened
    from fipscm.order.inference import processor_cores
    from fipscm.tables.write import make_folder

    asked = {
        "names": names,
        "presets": presets,
        "dims": dims,
        "rows": rows,
        "seeds": seeds,
        "scales": scales,
        "variants": variants,
    }
    if weights is not None and task != ORDERS:
        raise typer.BadParameter(f"'{task}' measures the package's own weights: leave out --weights.")
    settings = RunSettings(limit or LIMIT, processor_cores(jobs), backend, _folder_of(data))
    if task == GATE:
        if unused := [f"--{option}" for option in ("methods", *asked) if {"methods": methods, **asked}[option]]:
            raise typer.BadParameter(f"'{task}' runs a fixed selection of cells: leave out {', '.join(unused)}.")
        _gate(settings, out, run)
        return
    if task in (MEASURED, ORDERS):
        told: dict[str, object] = {"methods": methods, **asked, "names": None}
        told |= {"backend": None if backend == BACKENDS[0] else backend, "limit": limit if task == ORDERS else None}
        if unused := [f"--{option}" for option, given in told.items() if given is not None]:
            raise typer.BadParameter(f"'{task}' runs each table once and as it is: leave out {', '.join(unused)}.")
        if task == ORDERS:
            _orders(names, weights, jobs, data, out, run)
        else:
            _measured(names, limit or MEASURED_LIMIT, jobs, data, out, run)
        return
    definition = find_task(task)
    chosen = {option: text for option, text in asked.items() if text is not None}
    grid = replace(definition.grid, **{option: _parsed(option, text) for option, text in chosen.items()})
    wanted = None if methods is None else tuple(methods.split(","))
    if run:
        able = able_methods(definition, wanted)
        make_folder(out)
        run_task(able, grid, settings, out, _tell)
    # A page shows all that the folder has of its task, whichever part was run last.
    written = write_pages(task, widened(definition, grid, wanted or ()), f"fipscm bench {task}", out)
    if not written:
        raise FileError(f"{out / RESULTS} holds no result of this task yet: run it without --no-run.")
    print(written[0].read_text())
    print(f"Written: {', '.join(map(str, written))}", file=sys.stderr)


def _measured(names: str | None, limit: float, jobs: int, data: Path | None, out: Path, run: bool) -> None:
    """Run what is missing of the corpus of measured tables, or those named once more, and write its page."""
    from fipscm.bench.measured.corpus import find_tables
    from fipscm.bench.measured.page import write_page
    from fipscm.bench.measured.run import MEASURED_RESULTS, missing_tables, read_lines, readable_tables, run_tables
    from fipscm.order.inference import processor_cores

    if run:
        folder = _folder_of(data)
        tables = readable_tables(find_tables(names), folder)
        if names is None:
            tables = missing_tables(tables, limit, read_lines(out / MEASURED_RESULTS))
        run_tables(tables, folder, limit, processor_cores(jobs), out, _tell_measured)
    written = write_page(out, f"fipscm bench {MEASURED}")
    print(written.read_text())
    print(f"Written: {written}", file=sys.stderr)


def _orders(names: str | None, weights: Path | None, jobs: int, data: Path | None, out: Path, run: bool) -> None:
    """Judge orders of measured tables, or of those named, and write their page."""
    from fipscm.bench.measured.known_orders import chosen_orders
    from fipscm.bench.measured.order_scores import run_orders
    from fipscm.bench.measured.orders_page import write_orders_page
    from fipscm.order.inference import processor_cores

    if run:
        run_orders(chosen_orders(names, _folder_of(data)), weights, processor_cores(jobs), out, _tell_orders)
    written = write_orders_page(out, f"fipscm bench {ORDERS}")
    print(written.read_text())
    print(f"Written: {written}", file=sys.stderr)


def _gate(settings: Any, out: Path, run: bool) -> None:
    """Run the selection, and tell which collections became worse."""
    from fipscm.bench.gate import gate_table, run_gate

    if run:
        run_gate(settings, out, _tell)
    print(gate_table(out))


def _folder_of(data: Path | None) -> Path | None:
    return BESIDE_THE_CHECKOUT if data is None and BESIDE_THE_CHECKOUT.is_dir() else data


def _tell_orders(line: dict[str, Any]) -> None:
    told = f"{line['right']:.2f} of {line['pairs']} pairs right" if line.get("right") is not None else "no pair judged"
    print(f"{line['group']} {line['table']}: {told} {line.get('error', '')}".rstrip(), file=sys.stderr, flush=True)


def _tell_measured(line: dict[str, Any]) -> None:
    from fipscm.bench.measured.run import processor_seconds, what_failed

    ending = what_failed(line) or "ended"
    print(f"[{processor_seconds(line):.0f} s] {line['table']}: {ending}", file=sys.stderr, flush=True)


def bench_summary(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(SUMMARIES)}.")],
    out: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("bench"),
) -> None:
    """Sum up a benchmark in one table.  Example: fipscm bench-summary scoreboard --out docs/results/benchmark."""
    from fipscm.bench.report.summary import summary
    from fipscm.bench.run.results import RESULTS

    print(summary(name, out / RESULTS))


def bench_calibration(
    out: Annotated[Path, typer.Option(help=f"Folder with the lines of `fipscm bench {ORDERS}`.")] = Path("bench"),
    file: Annotated[Path | None, typer.Option(help="Where to write it, instead of into the package.")] = None,
) -> None:
    """Fit how sure orders may be to measured tables.  Example: fipscm bench-calibration --out docs/results."""
    from fipscm.bench.measured.calibrate import calibrated, calibration_text
    from fipscm.bench.measured.order_scores import ORDER_LINES
    from fipscm.bench.measured.run import read_lines
    from fipscm.order.confidence import CALIBRATION
    from fipscm.tables.write import require_writable

    found, written = calibrated(read_lines(out / ORDER_LINES)), file or CALIBRATION
    require_writable(written)
    found.save(written)
    print(calibration_text(found))
    print(f"Written: {written}", file=sys.stderr)


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
