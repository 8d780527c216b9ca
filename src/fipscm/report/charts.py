"""Charts as plain numbers, which the script of the page draws; each has a sentence for those who cannot see it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fipscm.arrays import Array
from fipscm.report.curves import Curve
from fipscm.report.words import number

BINS = 30
OUTER = 0.005  # share of the values on either side that would stretch a histogram


@dataclass(frozen=True)
class Chart:
    """What to draw, ready for JSON, and what it shows, in words."""

    drawing: Mapping[str, Any]
    words: str


def curve_chart(curve: Curve, names: Sequence[Hashable]) -> Chart:
    """A curve over the rows, whose values the page holds once for all charts, by the places of the two columns."""
    start, end = curve.ends
    words = (
        f"As {curve.cause} goes from {number(curve.low)} to {number(curve.high)}, {curve.effect} goes on average from "
        f"{number(start)} to {number(end)}."
    )
    drawing = {
        "kind": "curve",
        "cause": names.index(curve.cause),
        "effect": names.index(curve.effect),
        "x": rounded(curve.x),
        "y": rounded(curve.y),
        "low": curve.low,
        "high": curve.high,
    }
    return Chart(drawing, words)


def histogram_chart(title: str, words: str, **samples: Array) -> Chart:
    """How often values occur, for one or more samples (N,) over the same bins."""
    low = min(np.quantile(values, OUTER) for values in samples.values())
    high = max(np.quantile(values, 1 - OUTER) for values in samples.values())
    borders = np.linspace(low, high, BINS + 1)
    heights = {name: rounded(np.histogram(values, borders)[0] / len(values) * 100) for name, values in samples.items()}
    return Chart({"kind": "histogram", "title": title, "borders": rounded(borders), "heights": heights}, words)


def confidence_chart(names: Sequence[Hashable], confidence: pd.DataFrame) -> Chart:
    """How often the row comes before the column, for all pairs of names, which are in causal order."""
    shares = confidence.loc[list(names), list(names)].to_numpy()
    least = np.min(shares[np.triu_indices(len(names), 1)], initial=1.0)
    words = f"In this order, every column comes before each later one in at least {least:.0%} of the resampled orders."
    return Chart({"kind": "confidence", "names": list(map(str, names)), "shares": rounded(shares)}, words)


def rounded(values: ArrayLike) -> list[Any]:
    """Four significant digits: more cannot be seen, and would make the page large."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim > 1:
        return [rounded(part) for part in array]
    return [float(f"{value:.4g}") for value in array]
