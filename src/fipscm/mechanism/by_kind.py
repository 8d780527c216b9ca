"""Mechanisms of columns that are not continuous: levels, counts, categories. Shapes: N rows, D variables, K levels.

Such a node has its location on a scale of its own. It is made of the same functions as that of a continuous node:
lines, and waves where the node is curved. Every choice (waves or lines, Poisson or negative binomial) is made by the
likelihood of rows that were held out; what is chosen is then fitted to all rows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from scipy.special import log_softmax, logit, logsumexp, softmax

from fipscm.arrays import Array, Mask, Order
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise.distribution import EmpiricalNoise
from fipscm.mechanism.regression.links import (
    STEEPEST,
    CountLikelihood,
    Design,
    OrderedLikelihood,
    dispersion_of,
    newton,
    thresholds_for,
)
from fipscm.mechanism.regression.process import Process
from fipscm.mechanism.regression.smooth import Waves
from fipscm.mechanism.response.base import Response
from fipscm.mechanism.response.count import Count, log_probability
from fipscm.mechanism.response.gumbel import Gumbel
from fipscm.mechanism.response.thresholds import Thresholds
from fipscm.threads import on_one_thread

WAVES, WAVES_PER_CAUSE = 256, 128  # a probability has less detail than a value
MOST_ROWS = 10_000  # that curves are fitted to, for the same reason
HELD_OUT = 5  # one of so many rows
LINE, LEVEL = 9.0, 100.0  # prior variances of slopes and levels, of logits or logarithms per standard deviation
CYCLES = 6  # through the levels of a category, each fitted beside the others
NEWTON_PER_CYCLE = 2
HARDLY = 1e-4  # of the log-likelihood per row: a cycle that gains less is the last
ROUNDS = 4  # of thresholds and slopes, and of dispersion and slopes, in turn
SETTLED = 1e-2  # of a threshold in logits, and of a dispersion: what changes less in a round moves no slope
CLEARLY = 2.0  # a gain in the log-likelihood that a further parameter must have
FARTHEST_BELOW = np.log(10.0)  # a count's mean may lie below those of all rows by so much


@dataclass(frozen=True)
class Solution:
    """What was fitted to one node, or to the levels of a category.

    Attributes:
        coefficients: (K, F) of the functions, K = 1 for a node of its own.
        responses: of the K nodes.
        log: (N,), (N, K) -> (N,), the log-probability of held-out rows, given values and locations.
    """

    coefficients: Array
    responses: tuple[Response, ...]
    log: Callable[[Array, Array], Array]


class _Told(NamedTuple):
    """What is known about a node: which functions, and how its mechanism does in rows that were held out."""

    solution: Solution
    curved: bool
    r2: Array
    log_likelihood: float


@on_one_thread()
def with_kinds(
    model: LearnedSCM,
    z: Array,
    rows: Array,
    kinds: Sequence[str],
    smoothness: Mapping[int, Process],
    unusable: Mask,
) -> LearnedSCM:
    """The model with mechanisms by the kind (D,) of each column; continuous ones stay as they are.

    z (N, D) are the standardized rows (N, D), in random order, of which `unusable` (N, D) ones tell nothing of a node.
    """
    groups = list(model.blocks)
    inside = {node for block in groups for node in block}
    groups += [(node,) for node, kind in enumerate(kinds) if kind != "continuous" and node not in inside]
    for nodes in groups:
        used = ~unusable[:, nodes[0]]
        model = _with_group(model, nodes, kinds[nodes[0]], z[used], rows[used], smoothness)
    return model


def _with_group(
    model: LearnedSCM, nodes: tuple[int, ...], kind: str, z: Array, rows: Array, smoothness: Mapping[int, Process]
) -> LearnedSCM:
    causes = np.flatnonzero(model.allowed[nodes[0]])
    values, scale = rows[:, nodes], model.scale[list(nodes)]
    fit = _FITS["categorical" if len(nodes) > 1 else kind]
    known = [smoothness[node] for node in nodes if node in smoothness]
    process = _common([each for each in known if len(each.relevance) == len(causes)])
    waves = None if process is None else _waves(model, causes)
    straight = _design(z[:, causes], None, None, 1.0)
    told = _told(fit, straight, values, scale, False)
    if waves is not None and process is not None:
        few = slice(0, MOST_ROWS)
        stretch = float(np.mean([_stretch(each) for each in told.solution.responses]))
        bent = _told(fit, _design(z[few][:, causes], waves, process, stretch), values[few], scale, True)
        told = bent if bent.log_likelihood > told.log_likelihood else told
    return _adopted(model, nodes, causes, told, process, len(values))


def _told(fit: "_Fit", design: Design, values: Array, scale: Array, curved: bool) -> _Told:
    """Fit to the first rows, measure on the others, and fit again to all."""
    count = len(values)
    seen = slice(0, count - count // HELD_OUT)
    unseen = slice(seen.stop, count)
    trial = fit(design.part(seen), values[seen], scale, None)
    locations = np.column_stack([design.part(unseen).location(each) for each in trial.coefficients])
    means = _means(trial.responses, locations)
    about = values[unseen] - values[seen].mean(axis=0)
    r2 = 1 - np.square(values[unseen] - means).sum(axis=0) / np.maximum(np.square(about).sum(axis=0), 1e-12)
    log_likelihood = float(trial.log(values[unseen], locations).mean()) if count // HELD_OUT else -np.inf
    return _Told(fit(design, values, scale, trial), curved, r2, log_likelihood)


def _adopted(
    model: LearnedSCM, nodes: tuple[int, ...], causes: Order, told: _Told, process: Process | None, count: int
) -> LearnedSCM:
    """The model with what was told about some nodes."""
    skip, ordered, place = model.skip, model.noise.ordered.copy(), np.array(nodes, dtype=np.intp)
    weights, relevance, amplitudes = skip.weights.copy(), skip.relevance.copy(), skip.amplitudes.copy()
    intercept, coefficients = skip.intercept.copy(), told.solution.coefficients
    weights[place], relevance[place], amplitudes[place] = 0, 0, 0
    intercept[place] = coefficients[:, 0]
    weights[np.ix_(place, causes)] = coefficients[:, 1 : 1 + len(causes)]
    if told.curved and process is not None:
        relevance[np.ix_(place, causes)] = process.relevance
        amplitudes[place, : coefficients.shape[1] - 1 - len(causes)] = coefficients[:, 1 + len(causes) :]
    levels = (np.arange(len(ordered)) + 0.5) / len(ordered)
    quantiles = -np.log(-np.log(levels)) if len(nodes) > 1 else logit(levels)
    ordered[:, place] = quantiles[:, None]
    responses, r2, told_rows = list(model.responses), model.held_out_r2.copy(), model.rows.copy()
    log_likelihood = model.held_out_log_likelihood.copy()
    for node, response in zip(nodes, told.solution.responses, strict=True):
        responses[node] = response
    r2[place], log_likelihood[place], told_rows[place] = told.r2, told.log_likelihood, count
    return replace(
        model,
        noise=EmpiricalNoise(ordered),
        responses=tuple(responses),
        skip=replace(skip, weights=weights, relevance=relevance, amplitudes=amplitudes, intercept=intercept),
        held_out_r2=r2,
        held_out_log_likelihood=log_likelihood,
        rows=told_rows,
    )


def _fit_levels(design: Design, values: Array, scale: Array, start: Solution | None) -> Solution:
    """Thresholds and slopes in turn; of two levels the intercept alone tells the threshold."""
    levels, inverse = np.unique(values[:, 0], return_inverse=True)
    places, coefficients = inverse.astype(np.float64), design.start() if start is None else start.coefficients[0]
    thresholds = thresholds_for(design.location(coefficients), places, len(levels))
    for _ in range(ROUNDS):
        coefficients = newton(design, OrderedLikelihood(places, thresholds), coefficients)
        location, before = design.location(coefficients), thresholds
        thresholds = thresholds_for(location, places, len(levels))
        if len(levels) == 2 or np.abs(thresholds - before).max() < SETTLED:
            break
    empty = np.zeros((len(location), 0))
    response = Thresholds(levels, thresholds, np.ones(()))
    response = replace(response, stretch=_stretch_of(lambda at: response.mean(at, empty), location, scale[0]))

    def log(values: Array, locations: Array) -> Array:
        return response.log_density(locations[:, 0], empty, values[:, 0], np.zeros_like)

    return Solution(coefficients[None], (response,), log)


def _fit_counts(design: Design, values: Array, scale: Array, start: Solution | None) -> Solution:
    """With or without dispersion, whichever the last rows prefer once it is fitted to the first ones."""
    counts = np.round(values[:, 0])
    seen = slice(0, len(counts) - len(counts) // HELD_OUT)
    unseen = slice(seen.stop, len(counts))
    at = _level_of(design, counts) if start is None else start.coefficients[0]
    plain = newton(design.part(seen), CountLikelihood(counts[seen]), at)
    coefficients, dispersion = _dispersed(design.part(seen), counts[seen], plain)
    later = design.part(unseen)
    gain = log_probability(counts[unseen], np.exp(later.location(coefficients)), dispersion)
    gain -= log_probability(counts[unseen], np.exp(later.location(plain)), 0.0)
    if gain.sum() > CLEARLY:
        coefficients, dispersion = _dispersed(design, counts, coefficients)
    else:
        coefficients, dispersion = newton(design, CountLikelihood(counts), plain), 0.0
    location = design.location(coefficients)
    highest = float(location.max())
    lowest = float(min(location.min(), np.log(1 / len(counts))) - FARTHEST_BELOW)
    most = 2.0 ** np.ceil(np.log2(100 * counts.max() + 100)) - 1
    response = Count(*(np.asarray(each) for each in (dispersion, lowest, highest, most, 1.0)))
    empty = np.zeros((len(location), 0))
    response = replace(response, stretch=_stretch_of(lambda at: response.mean(at, empty), location, scale[0]))

    def log(values: Array, locations: Array) -> Array:
        return response.log_density(locations[:, 0], empty, values[:, 0], np.zeros_like)

    return Solution(coefficients[None], (response,), log)


def _level_of(design: Design, counts: Array) -> Array:
    """(F,) coefficients of the logarithm of the mean."""
    start = design.start()
    start[0] = np.log(max(counts.mean(), 1 / len(counts)))
    return start


def _dispersed(design: Design, counts: Array, coefficients: Array) -> tuple[Array, float]:
    """Dispersion and slopes in turn, from coefficients (F,) of Poisson's distribution."""
    dispersion = 0.0
    for _ in range(ROUNDS):
        before, dispersion = dispersion, dispersion_of(counts, np.exp(design.location(coefficients)))
        coefficients = newton(design, CountLikelihood(counts, dispersion), coefficients)
        if abs(dispersion - before) < SETTLED * dispersion:
            break
    return coefficients, dispersion


def _fit_category(design: Design, values: Array, scale: Array, start: Solution | None) -> Solution:
    """The levels in turn: given the scores of the others, that of one level is a logistic regression."""
    count = values.shape[1]
    coefficients = np.zeros((count, len(design.penalties))) if start is None else start.coefficients.copy()
    if start is None:
        coefficients[:, 0] = np.log(values.sum(axis=0) + 1) - np.log(len(values))
    scores = np.column_stack([design.location(each) for each in coefficients])
    zero, reached = np.zeros(1), -np.inf

    def log(values: Array, locations: Array) -> Array:
        return np.asarray((log_softmax(locations, axis=1) * values).sum(axis=1))

    for _ in range(CYCLES):
        before, reached = reached, float(log(values, scores).mean())
        if reached - before < HARDLY:
            break
        for level in range(count):
            others = logsumexp(np.delete(scores, level, axis=1), axis=1)
            likelihood = OrderedLikelihood(values[:, level], zero, -others)
            coefficients[level] = newton(design, likelihood, coefficients[level], NEWTON_PER_CYCLE)
            scores[:, level] = design.location(coefficients[level])
    shares = softmax(scores, axis=1)
    steepness = np.maximum((shares * (1 - shares)).mean(axis=0), 1e-3 * np.square(scale))
    return Solution(coefficients, tuple(Gumbel(np.asarray(each)) for each in scale / steepness), log)


_Fit = Callable[[Design, Array, Array, Solution | None], Solution]  # from a solution that may be near, if given
_FITS: dict[str, _Fit] = {
    "binary": _fit_levels,
    "ordinal": _fit_levels,
    "count": _fit_counts,
    "categorical": _fit_category,
}


def _means(responses: Sequence[Response], locations: Array) -> Array:
    """(N, K) expected values."""
    if len(responses) > 1:
        return np.asarray(softmax(locations, axis=1))
    return responses[0].mean(locations[:, 0], np.zeros((len(locations), 0)))[:, None]


def _stretch_of(mean: Callable[[Array], Array], location: Array, scale: float) -> Array:
    """How far the location moves for one standard deviation of the column, on average over rows (N,)."""
    step = 1e-3
    slope = (mean(location + step) - mean(location - step)).mean() / (2 * step)
    return np.asarray(scale / max(float(slope), 1e-3 * scale))


def _common(processes: Sequence[Process]) -> Process | None:
    """One smoothness for all levels of a category: the median, because a level that hardly bends tells little of it."""
    if not processes:
        return None
    signal, noise = (float(np.median(each)) for each in zip(*((p.signal, p.noise) for p in processes), strict=True))
    return Process(np.median([each.relevance for each in processes], axis=0), signal, noise, -np.inf)


def _stretch(response: Response) -> float:
    """The same of a response that knows it."""
    return float(response.moved(np.zeros(1), np.ones(1))[0])


def _waves(model: LearnedSCM, causes: Order) -> Waves | None:
    """The waves that a node with these causes may have."""
    count = min(WAVES, WAVES_PER_CAUSE * len(causes), len(model.skip.phases))
    if not count or not len(causes):
        return None
    frequencies = torch.from_numpy(model.skip.frequencies[causes, :count])
    return Waves(frequencies, torch.from_numpy(model.skip.phases[:count]))


def _design(z: Array, waves: Waves | None, process: Process | None, stretch: float) -> Design:
    """Of causes (N, P): a level, lines, and waves with the smoothness of a process in standardized columns."""
    straight = np.column_stack([np.ones(len(z)), z])
    penalties = np.concatenate([[1 / LEVEL], np.full(z.shape[1], 1 / LINE)])
    if waves is None or process is None:
        return Design(straight, penalties)
    cosines = waves.cosines(torch.from_numpy(np.ascontiguousarray(z)), torch.from_numpy(process.relevance)).numpy()
    # A cosine squared is one half on average.
    variance = 2 * min(process.signal * stretch**2, STEEPEST) / cosines.shape[1]
    return Design(np.hstack([straight, cosines]), np.concatenate([penalties, np.full(cosines.shape[1], 1 / variance)]))
