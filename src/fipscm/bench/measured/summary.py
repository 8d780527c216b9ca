"""What the whole corpus says, in one line for each version."""

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

import numpy as np

from fipscm.bench.measured.run import ended, processor_seconds, read_lines
from fipscm.bench.run.results import Line
from fipscm.tables.write import write_whole

MEASURED_SUMMARIES = "measured-versions.jsonl"
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
WORST_R2 = -1.0  # a lower one counts as this: one column with an absurd prediction is not to decide a mean
SMALL_ROWS, SMALL_COLUMNS, SMALL_SECONDS = 5_000, 25, 60.0  # a table with fewer rows and columns takes no longer
ORDER_SHARES = ("right", "right_suggested", "right_r2", "right_direct_lingam")


class Bin(NamedTuple):
    """Certain pairs whose direction was told with a confidence from `low` to `high`."""

    low: float
    high: float
    pairs: int
    told: float
    right: float


def summarise_corpus(lines: Sequence[Line]) -> Line:
    """The figures that a version is judged by."""
    times = [processor_seconds(line) for line in lines]
    small = [line for line in lines if is_small(line)]
    held_out = [line for line in lines if line["half"] == "held-out"]
    return {
        "version": "+".join(dict.fromkeys(line["version"] for line in lines)),
        "tables": len(lines),
        "ended": sum(map(ended, lines)),
        "small": len(small),
        "small_in_time": sum(ended(line) and processor_seconds(line) <= SMALL_SECONDS for line in small),
        "median_seconds": _rounded(median(times)),
        "most_seconds": _rounded(max(times)),
        **{key: mean_of(line.get(key) for line in lines) for key in ORDER_SHARES},
        "right_suggested_held_out": mean_of(line.get("right_suggested") for line in held_out),
        "wrong_suggestions_held_out": share_wrong(held_out),
        "calibration_error": miscalibration(calibration(lines)),
        "contradicting_edges": sum(len(line.get("contradictions", ())) for line in lines),
        "intervals": sum(line.get("intervals", 0) for line in lines),
        "insane_intervals": sum(len(line.get("insane", ())) for line in lines),
        "r2_beyond_least_squares": mean_of(r2_lead(line, "least_squares") for line in lines),
        "r2_beyond_boosting": mean_of(r2_lead(line, "boosting") for line in lines),
    }


def is_small(line: Line) -> bool:
    """Whether a table is one that is to take a minute at most."""
    return bool(line.get("rows", np.inf) < SMALL_ROWS and line["columns"] < SMALL_COLUMNS)


def calibration(lines: Iterable[Line]) -> list[Bin]:
    """How sure the model was of the directions it chose, and how often these were right, from the least sure on."""
    told = [(float(sure), bool(right)) for line in lines for sure, right in line.get("confidence", ())]
    bins = []
    for low, high in pairwise(EDGES):
        inside = [(sure, right) for sure, right in told if low <= sure < high or sure == high == EDGES[-1]]
        if inside:
            shares = fmean(sure for sure, _ in inside), fmean(right for _, right in inside)
            bins.append(Bin(low, high, len(inside), *shares))
    return bins


def miscalibration(bins: Sequence[Bin]) -> float | None:
    """The mean distance of confidence and share right, over pairs.

    >>> miscalibration([Bin(0.5, 0.6, 10, 0.55, 0.5), Bin(0.9, 1.0, 30, 0.95, 0.65)])
    0.237
    """
    pairs = sum(each.pairs for each in bins)
    return _rounded(sum(each.pairs * abs(each.told - each.right) for each in bins) / pairs) if pairs else None


def r2_lead(line: Line, method: str) -> float | None:
    """By how much our R2 of unseen rows exceeds that of another method, on average over the columns that both have."""
    ours, others = mean_r2(line, "ours", beside=method), mean_r2(line, method)
    return None if ours is None or others is None else ours - others


def mean_r2(line: Line, method: str, beside: str = "") -> float | None:
    """The mean over the columns with causes, or over those of them that another method has a figure for."""
    scores = line.get("held_out", {}).get("r2", {})
    shared = scores.get(beside or method, {})
    return mean_of(
        None if r2 is None or shared.get(name) is None else max(r2, WORST_R2)
        for name, r2 in scores.get(method, {}).items()
    )


def share_wrong(lines: Iterable[Line]) -> float | None:
    """The share of suggestions that contradict what is certain, of those that can be judged."""
    judged = [line for line in lines if line.get("judged_suggestions")]
    if not judged:
        return None
    total = sum(line["judged_suggestions"] for line in judged)
    return _rounded(sum(line["wrong_suggestions"] for line in judged) / total)


def mean_of(figures: Iterable[float | None]) -> float | None:
    """The mean of the figures that are there; None if there are none."""
    known = [figure for figure in figures if figure is not None]
    return _rounded(fmean(known)) if known else None


def _rounded(figure: float) -> float:
    """To the thousandth, below which nothing here means anything."""
    return round(figure, 3)


def record_summary(path: Path, summary: Line) -> None:
    """Write a summary down, in place of an earlier one of the same version."""
    lines = [line for line in read_lines(path) if line["version"] != summary["version"]]
    text = "".join(f"{json.dumps(line)}\n" for line in (*lines, summary))
    write_whole(path, lambda file: file.write(text.encode()))
