"""Charts as plain numbers, which the script of the page draws; each has a sentence for those who cannot see it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fipscm.arrays import Array
from fipscm.questions.column_levels import ColumnLevels
from fipscm.report.curves import Curve
from fipscm.report.words import number

_BINS = 30
_OUTER = 0.005  # share of the values on either side that would stretch a histogram


@dataclass(frozen=True)
class Chart:
    """What to draw, ready for JSON, and what it shows, in words."""

    drawing: Mapping[str, Any]
    words: str


def curve_chart(curve: Curve, names: Sequence[Hashable], levels: Mapping[Hashable, ColumnLevels]) -> Chart:
    """A curve over the rows, whose values the page holds once for all charts, by the places of the two columns."""
    cause, effect = levels.get(curve.cause), levels.get(curve.effect)
    drawing = {
        "kind": "curve",
        "cause": names.index(curve.cause),
        "effect": names.index(curve.effect),
        "x": rounded(curve.x),
        "y": rounded(curve.y.T),
        "low": curve.low,
        "high": curve.high,
        "told": list(curve.told),
        "steps": cause is not None and cause.are_ordered,
        "across": ticks(cause),
        "up": None if curve.told else ticks(effect),
    }
    words = _words_of_range(curve, effect) if cause is None else _words_of_levels(curve, cause, effect)
    return Chart(drawing, words)


def ticks(levels: ColumnLevels | None) -> dict[str, Any] | None:
    """Where along an axis each level stands, and its name; None for numbers."""
    return None if levels is None else {"at": rounded(levels.codes), "names": levels.names}


def _words_of_range(curve: Curve, effect: ColumnLevels | None) -> str:
    span = f"As {curve.cause} goes from {number(curve.low)} to {number(curve.high)}"
    (start, *_), (end, *_) = curve.ends
    if not curve.told:
        return f"{span}, {curve.effect}{_scale(effect)} goes on average from {number(start)} to {number(end)}."
    if len(curve.told) == 1:
        return f"{span}, the probability that {curve.effect} is {curve.told[0]} goes from {start:.0%} to {end:.0%}."
    ways = [f"{level} from {low:.0%} to {high:.0%}" for level, low, high in zip(curve.told, *curve.ends, strict=True)]
    return f"{span}, the probabilities of {curve.effect} go: {', '.join(ways)}."


def _words_of_levels(curve: Curve, cause: ColumnLevels, effect: ColumnLevels | None) -> str:
    answers = list(zip(cause.names, curve.y, strict=True))
    if not curve.told:
        means = [f"{number(mean)} with {level}" for level, (mean,) in answers]
        return f"By {curve.cause}, {curve.effect}{_scale(effect)} is on average {', '.join(means)}."
    if len(curve.told) == 1:
        shares = [f"{share:.0%} with {level}" for level, (share,) in answers]
        return f"By {curve.cause}, the probability that {curve.effect} is {curve.told[0]} is {', '.join(shares)}."
    likely = [f"{curve.told[each.argmax()]} ({each.max():.0%}) with {level}" for level, each in answers]
    return f"By {curve.cause}, the most probable {curve.effect} is {', '.join(likely)}."


def _scale(levels: ColumnLevels | None) -> str:
    """What the numbers of levels mean, where they have names."""
    if levels is None or isinstance(levels.cells[0], float):
        return ""
    return f" ({number(levels.codes[0])} for {levels.names[0]} to {number(levels.codes[-1])} for {levels.names[-1]})"


def histogram_chart(title: str, words: str, *, whole: bool = False, **samples: Array) -> Chart:
    """How often values occur, for one or more samples (N,) over the same bins: one for each of few whole numbers."""
    low = min(np.quantile(values, _OUTER) for values in samples.values())
    high = max(np.quantile(values, 1 - _OUTER) for values in samples.values())
    borders = np.arange(low, high + 2) - 0.5 if whole and high - low < _BINS else np.linspace(low, high, _BINS + 1)
    heights = {name: rounded(np.histogram(values, borders)[0] / len(values) * 100) for name, values in samples.items()}
    return Chart({"kind": "histogram", "title": title, "borders": rounded(borders), "heights": heights}, words)


def bars_chart(title: str, levels: ColumnLevels, **samples: Array) -> Chart:
    """How often each level occurs, for two samples (N,)."""
    shares = {name: levels.shares(values) for name, values in samples.items()}
    first, second = shares.values()
    farthest = int(np.abs(second - first).argmax())
    told = [f"{first[farthest]:.1%}", f"{second[farthest]:.1%}"]
    words = f"The shares of {levels.names[farthest]} differ most: {' and '.join(told)}."
    heights = {name: rounded(100 * own) for name, own in shares.items()}
    return Chart({"kind": "bars", "title": title, "names": levels.names, "heights": heights}, words)


def confidence_chart(names: Sequence[Hashable], confidence: pd.DataFrame) -> Chart:
    """How likely the row comes before the column, for all pairs of names, which are in causal order."""
    shares = confidence.loc[list(names), list(names)].to_numpy()
    least = np.min(shares[np.triu_indices(len(names), 1)], initial=1.0)
    words = f"In this order, it is at least {least:.0%} sure that a column comes before each later one."
    return Chart({"kind": "confidence", "names": list(map(str, names)), "shares": rounded(shares)}, words)


def rounded(values: ArrayLike) -> list[Any]:
    """Four significant digits: more cannot be seen, and would make the page large."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim > 1:
        return [rounded(part) for part in array]
    return [float(f"{value:.4g}") for value in array]
