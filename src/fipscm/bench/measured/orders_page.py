"""The page about orders alone: how many certain pairs are ordered right, group by group and table by table."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from fipscm.bench.measured.calibrate import calibrated, calibration_text
from fipscm.bench.measured.known_orders import NOT_MEASURED, SIMULATED
from fipscm.bench.measured.order_scores import ORDER_LINES
from fipscm.bench.measured.run import read_lines
from fipscm.bench.report.layout import markdown_table
from fipscm.bench.run.results import DONE, Line
from fipscm.errors import DataError, FileError
from fipscm.tables.write import write_whole

ORDERS_PAGE = "orders.md"
SHARES = {"right": "ours", "right_r2": "R2", "right_direct_lingam": "DirectLiNGAM", "right_random": "a random order"}
NOT_LISTED = ("pairs", SIMULATED)  # small tables, and many: a row for every one of them would say nothing
HEAD = """# Orders of measured tables

```
{command}
```

The share of certain pairs that an order has the right way round, on tables whose order is known in part. Every table
counts once, however many pairs it has; standard errors over tables stand in parentheses. A table has 2,000 rows and 20
columns at most, those of certain pairs before others. `corpus`: tables that packages carry, by what is certain about
their columns; `tiers`: columns that experts put into tiers; `graphs`: Sachs and a light tunnel, every cause before its
descendants; `pairs`: a cause and an effect each, whose R2 are equal, so that R2 is a coin there. Not measured:
`syntren`, of a simulator of gene expression, and `simulated`, of every test world.
Weights {weights}, version {version}."""


def write_orders_page(out: Path, command: str) -> Path:
    """Write the page of a folder with lines of results."""
    lines = read_lines(out / ORDER_LINES)
    if not lines:
        raise FileError(f"{out / ORDER_LINES} holds no result yet: run it without --no-run.")
    text = orders_page(lines, command)
    write_whole(out / ORDERS_PAGE, lambda file: file.write(text.encode()))
    return out / ORDERS_PAGE


def orders_page(lines: Sequence[Line], command: str) -> str:
    """The whole page."""
    ordered = sorted(lines, key=lambda line: (line["group"], line["table"]))
    made_by = {key: ", ".join(sorted({line[key] for line in ordered})) for key in ("weights", "version")}
    tables = [line for line in ordered if line["group"] not in NOT_LISTED]
    parts = [
        HEAD.format(command=command, **made_by),
        _by_group(ordered),
        *_confidence(ordered),
        *(["## Table by table", _by_table(tables)] if tables else []),
        *_endings(ordered),
    ]
    return "\n\n".join(parts) + "\n"


def _confidence(lines: Sequence[Line]) -> list[str]:
    """What shares of drawn orders are worth; nothing where the lines are too few or of several networks."""
    try:
        return ["## Confidence", calibration_text(calibrated(lines))]
    except DataError:
        return []


def _by_group(lines: Sequence[Line]) -> str:
    groups = list(dict.fromkeys(line["group"] for line in lines))
    header = ["group", "tables", "pairs", *SHARES.values(), "ours beyond R2", "ours beyond DirectLiNGAM", "seconds"]
    rows = [[group, *_figures([line for line in lines if line["group"] == group])] for group in groups]
    measured = [line for line in lines if line["group"] not in NOT_MEASURED]
    return markdown_table(header, [*rows, ["all measured", *_figures(measured)]])


def _figures(lines: Sequence[Line]) -> list[object]:
    judged = [line for line in lines if line.get("right") is not None]
    means = [with_error(line.get(key) for line in judged) for key in SHARES]
    beyond = [
        with_error(line["right"] - line[key] for line in judged if line.get(key) is not None)
        for key in ("right_r2", "right_direct_lingam")
    ]
    seconds = sum(line.get("seconds", 0.0) for line in lines)
    return [len(judged), sum(line["pairs"] for line in judged), *means, *beyond, f"{seconds:.0f}"]


def with_error(figures: Iterable[float | None]) -> str:
    """The mean of the figures that are there, with its standard error.

    >>> with_error([0.0, 1.0, None, 1.0, 0.0]), with_error([])
    ('0.500 (0.289)', 'n/a')
    """
    known = np.array([figure for figure in figures if figure is not None], dtype=np.float64)
    if len(known) == 0:
        return "n/a"
    return f"{known.mean():.3f}" + (f" ({known.std(ddof=1) / len(known) ** 0.5:.3f})" if len(known) > 1 else "")


def _by_table(lines: Sequence[Line]) -> str:
    header = ["group", "table", "rows", "columns", "pairs", *SHARES.values(), "seconds"]
    return markdown_table(header, ([line["group"], line["table"], *_cells(line)] for line in lines))


def _cells(line: Line) -> list[object]:
    sizes = [line.get(key, "n/a") for key in ("rows", "columns", "pairs")]
    return [*sizes, *(with_error([line.get(key)]) for key in SHARES), line.get("seconds", "n/a")]


def _endings(lines: Sequence[Line]) -> list[str]:
    """Tables that did not come to an end, and why."""
    failed = [f"- {line['table']}: {line['error']}" for line in lines if not _ended(line)]
    return ["## What did not end", "\n".join(failed)] if failed else []


def _ended(line: Line) -> bool:
    return bool(line.get("status") == DONE)
