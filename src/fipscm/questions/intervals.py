"""Intervals from the answers of plausible models. Shapes: N rows, D variables, E noises, K answers per unit."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from fipscm.arrays import Array, Mask
from fipscm.errors import DataError
from fipscm.mechanism.inputs import expanded
from fipscm.mechanism.learned import LearnedSCM
from fipscm.questions.deviations import Deviations
from fipscm.questions.known_levels import category_sizes, nearest_levels
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
    """(K,) averages over units of what a model answers for noises (N, E) -> (N, K), and their low and high ends.

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
    scm: LearnedSCM,
    deviations: Deviations,
    do: Do | Intervention,
    noise: Array,
    level: float,
    names: Sequence[Hashable],
) -> pd.DataFrame:
    """The average of each column under an intervention, over units with these noises (N, E); of a category the shares.

    The `names` are those of columns, and in place of a category those of its levels.
    """
    responses = [mechanism.response for mechanism in scm.mechanisms]
    levels = category_sizes(scm)
    average, low, high = averages(
        lambda model, units: expanded(model.do(do).noise_to_sample(units), levels), scm, deviations, noise, level
    )
    spans = [(0.0, 1.0) if each.is_category else each.span for each in responses]
    least, most = np.repeat(spans, np.maximum(levels, 1), axis=0).T
    # What was set may lie beyond what the column had.
    low, high = np.maximum(low, np.minimum(least, average)), np.minimum(high, np.maximum(most, average))
    return pd.DataFrame({"average": average, "low": low, "high": high}, index=list(names))


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
    responses = {node: each.response for node, each in enumerate(scm.mechanisms) if not each.response.is_category}
    names = [scm.names[node] for node in responses]
    models = enumerate(plausible_models(scm, deviations))
    possible = (model.counterfactual(rows, do, rng if draw else None)[names].to_numpy() for draw, model in models)
    estimate = answers[names].to_numpy()
    multiplied = np.array([each.kind == "logarithm" for each in responses.values()]) & (estimate > 0).all(axis=0)
    found = interval(_logarithms(estimate, multiplied), (_logarithms(each, multiplied) for each in possible), level)
    ends = {
        end: np.where(multiplied, np.exp(each * multiplied), each)
        for end, each in zip(("low", "high"), found, strict=True)
    }
    for place, response in enumerate(responses.values()):
        for end in ends.values():
            values = np.clip(end[:, place], *response.span) if response.discrete else end[:, place]
            values = np.round(values) if response.kind == "count" else values
            end[:, place] = values if response.levels is None else nearest_levels(response.levels, values)
    added = {f"{name} ({end})": ends[end][:, place] for place, name in enumerate(names) for end in ends}
    taken = [name for name in added if name in answers]
    if taken:
        raise DataError(f"The rows have a column '{taken[0]}', which an interval would be called: rename it.")
    return pd.concat([answers, pd.DataFrame(added, answers.index)], axis=1)


def _logarithms(values: Array, where: Mask) -> Array:
    """(N, D), with logarithms in some of the columns (D,)."""
    return np.where(where, np.log(np.where(where, np.maximum(values, np.finfo(np.float64).tiny), 1.0)), values)


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
