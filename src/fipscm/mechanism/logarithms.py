"""Positive columns whose noise multiplies, found by the likelihood of held-out rows. Shapes: N rows, D variables.

Such a column is modelled on its logarithm, so that no sample of it is negative.
"""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import torch

from fipscm.arrays import Array, Mask
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise import NARROWEST, EmpiricalNoise, log_density
from fipscm.mechanism.regression.process import Process, is_curved, learn_process
from fipscm.mechanism.regression.skip import WAVES, WAVES_PER_CAUSE
from fipscm.mechanism.regression.smooth import Fit, Waves, fit_waves, predict
from fipscm.mechanism.response.logarithm import Logarithm
from fipscm.mechanism.significance import SIGNIFICANCE, log_p_of_gain
from fipscm.threads import on_one_thread

HELD_OUT = 5  # one of so many rows
LEAST_VARIATION = 0.2  # standard deviation over mean; below, a logarithm is as good as a line
CLEARLY = 0.02  # gain in the log-likelihood per row
FARTHEST_BEYOND = np.log(10.0)  # a value may exceed all of the table by so much
RIDGE = 1e-6  # of lines, whose causes may be collinear


@on_one_thread()
def with_logarithms(model: LearnedSCM, z: Array, rows: Array, tried: Mask, intervened: Mask) -> LearnedSCM:
    """The model with logarithms where unseen rows clearly prefer them, among the columns `tried` (D,).

    z (N, D) are the standardized rows (N, D), in random order; what was `intervened` (N, D) on tells nothing.
    """
    original, limit = model, np.log(SIGNIFICANCE / len(tried))
    for node in np.flatnonzero(tried):
        used = ~intervened[:, node]
        values = rows[used, node]
        if values.min() <= 0 or values.std() < LEAST_VARIATION * values.mean() or len(values) < 2 * HELD_OUT:
            continue
        causes = z[used][:, model.allowed[node]]
        seen = slice(0, len(values) - len(values) // HELD_OUT)
        unseen = slice(seen.stop, len(values))
        line = _Line.fitted(model, node, causes[seen], values[seen])
        errors = np.log(values) - line.predicted(causes)
        told = log_density(errors[unseen], errors[seen], NARROWEST) - np.log(values[unseen])
        gain = told - _log_density(original, node, rows[used], seen, unseen)
        if gain.mean() > CLEARLY and log_p_of_gain(torch.from_numpy(gain)) < limit:
            whole = _Line.fitted(model, node, causes, values)
            model = _adopted(model, node, whole, causes, np.where(used, rows[:, node], np.nan), float(told.mean()))
    return model


class _Line(NamedTuple):
    """A regression of the logarithm: its centre and scale, and a line or a curve in the causes."""

    centre: float
    scale: float
    waves: Waves
    process: Process
    fit: Fit

    @classmethod
    def fitted(cls, model: LearnedSCM, node: int, causes: Array, values: Array) -> "_Line":
        """To standardized causes (N, P) and values (N,) of a node."""
        logs = np.log(values)
        centre, scale = float(logs.mean()), max(float(logs.std()), NARROWEST)
        y, positions = (logs - centre) / scale, np.flatnonzero(model.allowed[node])
        count, process = 0, Process(np.ones(causes.shape[1]), 1.0, RIDGE, -np.inf)
        if causes.shape[1] and len(model.skip.phases):
            learned = learn_process(causes, y)
            if is_curved(learned, causes, y):
                count, process = min(WAVES, WAVES_PER_CAUSE * len(positions)), learned
        phases = torch.from_numpy(model.skip.phases[:count])
        waves = Waves(torch.from_numpy(model.skip.frequencies[positions, :count]), phases)
        return cls(centre, scale, waves, process, fit_waves(causes, y, waves, process))

    def predicted(self, causes: Array) -> Array:
        """(N, P) -> (N,) logarithms."""
        return np.asarray(self.centre + self.scale * predict(causes, self.waves, self.process, self.fit))


def _log_density(model: LearnedSCM, node: int, rows: Array, seen: slice, unseen: slice) -> Array:
    """(K,) log-densities of unseen rows under the mechanism that the model has, which may have seen them."""
    noise = model.node_noise(node, rows, rows[:, node])
    density = partial(log_density, known=noise[seen], narrowest=NARROWEST * float(model.scale[node]))
    return model.node_log_density(node, rows[unseen], rows[unseen, node], density)


def _adopted(
    model: LearnedSCM, node: int, line: _Line, causes: Array, values: Array, log_likelihood: float
) -> LearnedSCM:
    """The model with a line on the logarithm of one node, whose values (N,) are NaN where they do not tell."""
    skip, allowed = model.skip.without_products(node), model.allowed[node]
    weights, relevance, amplitudes = skip.weights.copy(), skip.relevance.copy(), skip.amplitudes.copy()
    intercept, ordered = skip.intercept.copy(), model.noise.ordered.copy()
    weights[node, allowed], intercept[node] = line.fit.weights, line.fit.intercept
    relevance[node], amplitudes[node] = 0, 0
    if len(line.fit.amplitudes):
        relevance[node, allowed] = line.process.relevance
        amplitudes[node, : len(line.fit.amplitudes)] = line.fit.amplitudes
    known, middle = ~np.isnan(values), line.predicted(causes)
    noise = np.full((len(values), 1), np.nan)
    noise[known, 0] = np.log(values[known]) - middle
    ordered[:, node] = EmpiricalNoise.of(noise).ordered[:, 0]
    surplus = float(np.exp(noise[known]).mean())
    steepness = line.scale * surplus * float(np.exp(middle).mean())
    fields = line.centre, line.scale, np.log(np.nanmax(values)) + FARTHEST_BEYOND, surplus
    response = Logarithm(*(np.asarray(each) for each in (*fields, model.scale[node] / steepness)))
    scores, r2 = model.held_out_log_likelihood.copy(), model.held_out_r2.copy()
    errors = values[known] - np.exp(middle) * surplus
    scores[node], r2[node] = log_likelihood, 1 - np.square(errors).mean() / values[known].var()
    nodes = model.nodes[model.nodes != node]
    on_mean, on_spread = model.on_mean.copy(), model.on_spread.copy()
    on_mean[node], on_spread[node] = allowed, False
    return replace(
        model,
        on_mean=on_mean,
        on_spread=on_spread,
        noise=EmpiricalNoise(ordered),
        responses=(*model.responses[:node], response, *model.responses[node + 1 :]),
        skip=replace(skip, weights=weights, relevance=relevance, amplitudes=amplitudes, intercept=intercept),
        nodes=nodes,
        network=model.network if len(nodes) else None,
        held_out_r2=r2,
        held_out_log_likelihood=scores,
    )
