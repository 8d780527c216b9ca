"""Intervals from the answers of plausible models. Shapes: N rows, D variables, K answers per unit."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from fipscm.arrays import Array, Mask
from fipscm.errors import DataError
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.response.base import Response
from fipscm.mechanism.response.logarithm import Logarithm
from fipscm.mechanism.response.thresholds import Thresholds
from fipscm.questions.deviations import Deviations
from fipscm.questions.plausible import plausible_models
from fipscm.scm.intervention import Do, Intervention
from fipscm.scm.nodewise import NodewiseSCM


def averages(
    ask: Callable[[NodewiseSCM, Array], Array],
    scm: LearnedSCM,
    deviations: Deviations,
    noise: Array,
    level: float,
    few: int | None = None,
    resolution: Array | float = 0.0,
    answering: NodewiseSCM | None = None,
) -> tuple[Array, Array, Array]:
    """(K,) averages over units of what a model answers for noises (N, D) -> (N, K), and their low and high ends.

    Every plausible model is asked about the same `few` units (all if not given), so that their answers differ by their
    mechanisms alone. No average is known better than to its `resolution` (K,), a standard deviation. The estimate is
    that of the learned model, unless another one is `answering`.
    """
    answers = ask(answering or scm, noise)
    estimate, start = answers.mean(axis=0), answers[:few].mean(axis=0)
    models = plausible_models(scm, deviations)
    moved = (estimate + (ask(model, noise[:few]).mean(axis=0) - start) for model in models)
    error = np.hypot(answers.std(axis=0) / np.sqrt(len(noise)), resolution)
    return estimate, *interval(estimate, moved, level, error)


def intervened_averages(
    scm: LearnedSCM, deviations: Deviations, do: Do | Intervention, noise: Array, level: float
) -> pd.DataFrame:
    """The average of each column under an intervention, over units with these noises (N, D)."""
    average, low, high = averages(
        lambda model, units: model.do(do).noise_to_sample(units), scm, deviations, noise, level
    )
    least, most = np.array([_range(response) for response in scm.responses]).T
    # What was set may lie beyond what the column had.
    low, high = np.maximum(low, np.minimum(least, average)), np.minimum(high, np.maximum(most, average))
    return pd.DataFrame({"average": average, "low": low, "high": high}, index=list(scm.names))


def with_ends(
    answers: pd.DataFrame,
    scm: LearnedSCM,
    deviations: Deviations,
    rows: Any,
    do: Do | Intervention,
    level: float,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """The counterfactual answers, and after them columns `name (low)` and `name (high)` for each of the model's names.

    Each plausible model abducts the noises of the rows itself, and draws them where a value leaves several open. The
    ends of columns with levels or counts are such values; those of amounts whose noise multiplies are found on the
    scale of logarithms, so that none is negative; categories have no ends.
    """
    nodes = [node for node in range(len(scm.names)) if len(scm.block_of(node)) == 1]
    names = [scm.names[node] for node in nodes]
    models = enumerate(plausible_models(scm, deviations))
    possible = (model.counterfactual(rows, do, rng if draw else None)[names].to_numpy() for draw, model in models)
    estimate = answers[names].to_numpy()
    multiplied = np.array([isinstance(scm.responses[node], Logarithm) for node in nodes]) & (estimate > 0).all(axis=0)
    found = interval(_logarithms(estimate, multiplied), (_logarithms(each, multiplied) for each in possible), level)
    ends = {
        end: np.where(multiplied, np.exp(each * multiplied), each)
        for end, each in zip(("low", "high"), found, strict=True)
    }
    for place, node in enumerate(nodes):
        for end in ends.values():
            end[:, place] = _possible_value(scm.responses[node], end[:, place])
    added = {f"{name} ({end})": ends[end][:, place] for place, name in enumerate(names) for end in ends}
    taken = [name for name in added if name in answers]
    if taken:
        raise DataError(f"The rows have a column '{taken[0]}', which an interval would be called: rename it.")
    return pd.concat([answers, pd.DataFrame(added, answers.index)], axis=1)


def _logarithms(values: Array, where: Mask) -> Array:
    """(N, D), with logarithms in some of the columns (D,)."""
    return np.where(where, np.log(np.where(where, np.maximum(values, np.finfo(np.float64).tiny), 1.0)), values)


def _range(response: Response) -> tuple[float, float]:
    """Between which values the average of a column lies."""
    if isinstance(response, Thresholds):
        return float(response.levels[0]), float(response.levels[-1])
    if response.kind == "gumbel":  # the share of a level
        return 0.0, 1.0
    return 0.0 if response.kind in ("count", "logarithm") else -np.inf, np.inf


def _possible_value(response: Response, values: Array) -> Array:
    """(N,) the nearest values that a column can have."""
    if isinstance(response, Thresholds):
        return np.asarray(response.levels[response.places(values)])
    return np.maximum(np.round(values), 0) if response.kind == "count" else values


def interval(
    estimate: Array, answers: Iterable[Array], level: float, error: Array | float = 0.0
) -> tuple[Array, Array]:
    """Low and high ends, around the answer of the first model, from the spread of the answers of all others.

    `error` is a standard deviation that comes on top. The estimate may differ from the answer of the first model; the
    interval reaches as far below the smaller of the two as above the larger one.

    >>> low, high = interval(np.array(0.5), [np.array(each) for each in (1.0, 0.0, 2.0, 1.0, 1.0)], 0.95)
    >>> round(float(low), 2), round(float(high), 2)
    (-2.1, 3.6)
    """
    require_level(level)
    models = iter(answers)
    first = next(models)
    count, total, squares = 0, np.zeros_like(first), np.zeros_like(first)
    for answer in models:  # one at a time: together they may not fit into memory
        count, total, squares = count + 1, total + (answer - first), squares + np.square(answer - first)
    variance = np.maximum(squares - np.square(total) / count, 0) / max(count - 1, 1)
    reach = stats.t(max(count - 1, 1)).ppf((1 + level) / 2) * np.sqrt(variance + np.square(error))
    return np.minimum(first, estimate) - reach, np.maximum(first, estimate) + reach


def require_level(level: float) -> None:
    """Refuse a level that is none."""
    if not 0 < level < 1:
        raise DataError(f"The level of an interval lies between 0 and 1, but it is {level:g}: 0.95 is usual.")
