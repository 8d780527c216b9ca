"""Positive columns whose noise multiplies, found by the likelihood of held-out rows. Shapes: N rows, D variables.

Such a column is modelled on its logarithm, so that no sample of it is negative. A logarithm with additive noise is
simpler than a spread or a spline: where it leaves even noises, no other kind of noise is tried.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import torch

from fipscm.arrays import Array, Mask
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise import NARROWEST, EmpiricalNoise, log_density
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.regression.curve import fit_curve
from fipscm.mechanism.regression.process import Process, is_curved, learn_process
from fipscm.mechanism.regression.skip import WAVES, WAVES_PER_CAUSE
from fipscm.mechanism.regression.smooth import Fit, Waves, predict
from fipscm.mechanism.response.logarithm import Logarithm
from fipscm.mechanism.significance import SIGNIFICANCE, log_p_of_gain
from fipscm.mechanism.unevenness import log_p_of_uneven_shape, log_p_of_unevenness
from fipscm.robust import wild_cells
from fipscm.threads import on_one_thread

HELD_OUT = 5  # one of so many rows
LEAST_VARIATION = 0.2  # standard deviation over mean; below, a logarithm is as good as a line
CLEARLY = 0.02  # gain in the log-likelihood per row
FARTHEST_BEYOND = np.log(10.0)  # a value may exceed all of the table by so much
RIDGE = 1e-6  # of lines, whose causes may be collinear


@dataclass(frozen=True)
class LogarithmTable:
    """What logarithms are learned from.

    Attributes:
        z: (N, D) standardized rows in random order, and
        rows: (N, D) the same rows in their units.
        tried: (D,) columns that may be modelled on their logarithm: all their values are positive.
        intervened: (N, D), cells that were set from outside.
        wild: (N, D), cells far from all others.
    """

    z: Array
    rows: Array
    tried: Mask
    intervened: Mask
    wild: Mask

    @classmethod
    def of(cls, z: Array, rows: Array, tried: Mask, intervened: Mask, wild: Mask) -> "LogarithmTable":
        """Of wild cells (N, D) those whose logarithms are not wild are taken back: amounts that multiply have tails."""
        wild, positive = wild.copy(), rows.min(axis=0) > 0
        for column in np.flatnonzero(positive & wild.any(axis=0)):
            wild[:, [column]] &= wild_cells(np.log(rows[:, [column]]))
        return cls(z, rows, tried & positive, intervened, wild)

    def used(self, node: int, causes: Mask) -> Mask:
        """(N,), the rows that tell about a node with these causes (D,)."""
        own = ~(self.intervened[:, node] | self.wild[:, node])
        return np.asarray(own & ~self.wild[:, causes].any(axis=1))

    @property
    def limit(self) -> float:
        """Below which the log p-value of a column must lie."""
        return float(np.log(SIGNIFICANCE / len(self.tried)))


@on_one_thread()
def with_even_logarithms(model: LearnedSCM, table: LogarithmTable) -> LearnedSCM:
    """The model of additive noises with logarithms where noises are uneven, and those of the logarithm are not."""
    for node in np.flatnonzero(table.tried & model.allowed.any(axis=1)):
        known = table.used(node, model.allowed[node])
        residual = model.node_noise(node, table.rows[known], table.rows[known, node])
        if log_p_of_unevenness(table.z[known][:, model.allowed[node]], residual) < table.limit:
            found = _compared(model, model, node, table)
            if found is not None and found.is_better and found.log_p_of_unevenness >= table.limit:
                model = _adopted(model, node, table, found)
    return model


@on_one_thread()
def with_logarithms(model: LearnedSCM, table: LogarithmTable) -> LearnedSCM:
    """The model with logarithms where unseen rows clearly prefer them to the kind of noise that a column has."""
    original = model
    has_one = np.array([isinstance(response, Logarithm) for response in model.responses])
    for node in np.flatnonzero(table.tried & ~has_one):
        found = _compared(model, original, node, table)
        if found is not None and found.is_better:
            model = _adopted(model, node, table, found)
    return replace(model, box=_widened(model, table))


def _widened(model: LearnedSCM, table: LogarithmTable) -> Box:
    """The box, with all rows that logarithms were fitted to, where a cause has no other effects that are curves.

    A curve that was fitted to fewer rows goes on along its tangent beyond these.
    """
    curved = model.skip.amplitudes.any(axis=1) | np.isin(np.arange(len(model.names)), model.nodes)
    has_logarithm = np.array([isinstance(response, Logarithm) for response in model.responses])
    low, high = model.box.low.copy(), model.box.high.copy()
    for cause in np.flatnonzero(~model.on_mean[curved & ~has_logarithm].any(axis=0)):
        for node in np.flatnonzero(has_logarithm & model.on_mean[:, cause]):
            values = table.rows[table.used(node, model.allowed[node]), cause]
            low[cause], high[cause] = min(low[cause], values.min()), max(high[cause], values.max())
    return Box(low, high)


class _Comparison(NamedTuple):
    """A logarithm beside the mechanism that a node has.

    Whether unseen rows clearly prefer it, by how much, how likely they are, and the log p-value of its noises not
    depending on the causes.
    """

    is_better: bool
    gain: float
    log_likelihood: float
    log_p_of_unevenness: float


def _compared(model: LearnedSCM, original: LearnedSCM, node: int, table: LogarithmTable) -> _Comparison | None:
    """A logarithm of a node that was fitted to the first rows; None where rows are few, or hardly vary."""
    used = table.used(node, model.allowed[node])
    values = table.rows[used, node]
    if len(values) < 2 * HELD_OUT or values.std() < LEAST_VARIATION * values.mean():
        return None
    causes = table.z[used][:, model.allowed[node]]
    seen = slice(0, len(values) - len(values) // HELD_OUT)
    unseen = slice(seen.stop, len(values))
    line = _Line.fitted(model, node, causes[seen], values[seen])
    errors = np.log(values) - line.predicted(causes)
    told = log_density(errors[unseen], errors[seen], NARROWEST) - np.log(values[unseen])
    gain = told - _log_density(original, node, table.rows[used], seen, unseen)
    is_better = bool(gain.mean() > CLEARLY) and log_p_of_gain(torch.from_numpy(gain)) < table.limit
    uneven = log_p_of_uneven_shape(causes, errors) if causes.shape[1] else 0.0
    return _Comparison(is_better, float(gain.mean()), float(told.mean()), uneven)


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
        process, fit = fit_curve(causes, y, waves, process)
        return cls(centre, scale, waves.apart() if process.apart else waves, process, fit)

    def predicted(self, causes: Array) -> Array:
        """(N, P) -> (N,) logarithms."""
        return np.asarray(self.centre + self.scale * predict(causes, self.waves, self.process, self.fit))


def _log_density(model: LearnedSCM, node: int, rows: Array, seen: slice, unseen: slice) -> Array:
    """(K,) log-densities of unseen rows under the mechanism that the model has, which may have seen them."""
    noise = model.node_noise(node, rows, rows[:, node])
    density = partial(log_density, known=noise[seen], narrowest=NARROWEST * float(model.scale[node]))
    return model.node_log_density(node, rows[unseen], rows[unseen, node], density)


def _adopted(model: LearnedSCM, node: int, table: LogarithmTable, found: _Comparison) -> LearnedSCM:
    """The model with a line on the logarithm of one node, fitted to all rows."""
    used = table.used(node, model.allowed[node])
    causes, values = table.z[used][:, model.allowed[node]], table.rows[used, node]
    line = _Line.fitted(model, node, causes, values)
    allowed = model.allowed[node]
    skip, ordered = (
        model.skip.with_curve(node, np.flatnonzero(allowed), line.process, line.fit),
        model.noise.ordered.copy(),
    )
    middle, noise = line.predicted(causes), np.full((len(used), 1), np.nan)
    noise[used, 0] = np.log(values) - middle
    ordered[:, node] = EmpiricalNoise.of(noise).ordered[:, 0]
    surplus = float(np.exp(noise[used]).mean())
    steepness = line.scale * surplus * float(np.exp(middle).mean())
    fields = line.centre, line.scale, np.log(values.max()) + FARTHEST_BEYOND, surplus
    response = Logarithm(*(np.asarray(each) for each in (*fields, model.scale[node] / steepness)))
    scores, r2 = model.held_out_log_likelihood.copy(), model.held_out_r2.copy()
    gains = model.noise_gain.copy()
    gains[node] = np.nan_to_num(gains[node]) + found.gain
    errors = values - np.exp(middle) * surplus
    scores[node], r2[node] = found.log_likelihood, 1 - np.square(errors).mean() / values.var()
    nodes = model.nodes[model.nodes != node]
    on_mean, on_spread = model.on_mean.copy(), model.on_spread.copy()
    on_mean[node], on_spread[node] = allowed, False
    return replace(
        model,
        on_mean=on_mean,
        on_spread=on_spread,
        noise=EmpiricalNoise(ordered),
        responses=(*model.responses[:node], response, *model.responses[node + 1 :]),
        skip=skip,
        nodes=nodes,
        network=model.network if len(nodes) else None,
        held_out_r2=r2,
        held_out_log_likelihood=scores,
        noise_gain=gains,
    )
