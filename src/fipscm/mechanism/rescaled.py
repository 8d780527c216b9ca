"""Columns whose noise is additive on another scale, found by the likelihood of held-out rows.

A positive column whose noise multiplies is modelled on its logarithm, so that no sample of it is negative; another one
on an increasing curve that is learned from its rows. Additive noise on another scale is simpler than a spread or a
spline that depends on the causes: where it leaves even noises, no other kind of noise is tried. Where it leaves uneven
ones, it is compared with the kind that takes its place.
Shapes: N rows, D variables.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
import torch

from fipscm.arrays import Array, Mask
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise import NARROWEST, EmpiricalNoise, log_density
from fipscm.mechanism.regression.bend import Bend, learn_bend
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.regression.curve import fit_curve
from fipscm.mechanism.regression.process import Process, is_curved, learn_process
from fipscm.mechanism.regression.skip import WAVES, WAVES_PER_CAUSE
from fipscm.mechanism.regression.smooth import Fit, Waves, fit_waves, predict
from fipscm.mechanism.response.base import Response
from fipscm.mechanism.response.bent import Bent
from fipscm.mechanism.response.logarithm import Logarithm
from fipscm.mechanism.significance import SIGNIFICANCE, log_p_of_gain
from fipscm.mechanism.unevenness import log_p_of_uneven_shape, log_p_of_unevenness
from fipscm.robust import robust_location, wild_cells
from fipscm.threads import on_one_thread

HELD_OUT = 5  # one of so many rows
LEAST_VARIATION = 0.2  # standard deviation over mean; below, a logarithm is as good as a line
CLEARLY = 0.02  # gain in the log-likelihood per row
FARTHEST_BEYOND = np.log(10.0)  # a value may exceed all of the table by so much
RIDGE = 1e-6  # of lines, whose causes may be collinear
BEND_ROWS = 400  # that the slopes of a curve need
LEFT_OVER = np.log(0.05)  # log p-value of even noises on a learned curve: one that can be bent passes more easily
NOISES = 32  # that stand for all in a mean


class Rescaling(Protocol):
    """An increasing function of a column."""

    def __call__(self, values: Array) -> Array:
        """(N,) values on the other scale."""

    def slope(self, values: Array) -> Array:
        """(N,) its derivatives."""


class _NaturalLogarithm:
    def __call__(self, values: Array) -> Array:
        return np.asarray(np.log(values))

    def slope(self, values: Array) -> Array:
        return np.asarray(1 / values)


@dataclass(frozen=True)
class ScaleTable:
    """What other scales are learned from.

    Attributes:
        z: (N, D) standardized rows in random order, and
        rows: (N, D) the same rows in their units.
        tried: (D,) columns that may be modelled on another scale, and
        positive: (D,) those that may be modelled on their logarithm.
        intervened: (N, D), cells that were set from outside.
        wild: (N, D), cells far from all others.
    """

    z: Array
    rows: Array
    tried: Mask
    positive: Mask
    intervened: Mask
    wild: Mask

    @classmethod
    def of(cls, z: Array, rows: Array, tried: Mask, intervened: Mask, wild: Mask, wrong: Mask) -> "ScaleTable":
        """Of wild cells (N, D) those are taken back that are not wild on a scale without tails.

        Amounts that multiply and values that are bent have tails: logarithms have none, nor do inverse hyperbolic
        sines, which are logarithms to both sides. Those that no tail explains are not: an entry that is wrong must not
        decide for another scale.
        """
        wild, positive = wild.copy(), rows.min(axis=0) > 0
        for column in np.flatnonzero(wild.any(axis=0)):
            values = rows[:, [column]]
            centre, scale = robust_location(values)
            tame = np.log(values) if positive[column] else np.arcsinh((values - centre) / scale)
            wild[:, [column]] &= wrong[:, [column]] | wild_cells(tame)
        return cls(z, rows, tried, tried & positive, intervened, wild)

    def used(self, node: int, causes: Mask) -> Mask:
        """(N,), the rows that tell about a node with these causes (D,)."""
        own = ~(self.intervened[:, node] | self.wild[:, node])
        return np.asarray(own & ~self.wild[:, causes].any(axis=1))

    def values(self, node: int, causes: Mask) -> Array:
        """(K,), the node in the rows that tell about it."""
        return np.asarray(self.rows[self.used(node, causes), node])

    @property
    def limit(self) -> float:
        """Below which the log p-value of a column must lie."""
        return float(np.log(SIGNIFICANCE / len(self.tried)))


@on_one_thread()
def with_even_scales(model: LearnedSCM, table: ScaleTable) -> tuple[LearnedSCM, "Doubted"]:
    """The model of additive noises with other scales where noises are uneven, and those on the other scale are not.

    Also the likeliest other scale of each node that has none which leaves even noises.
    """
    doubted: Doubted = {}
    for node in np.flatnonzero(table.tried & model.allowed.any(axis=1)):
        known = table.used(node, model.allowed[node])
        residual = model.node_noise(node, table.rows[known], table.rows[known, node])
        if log_p_of_unevenness(table.z[known][:, model.allowed[node]], residual) < table.limit:
            for rescaling, limit in _rescalings(model, node, table):
                found = _compared(model, model, node, table, rescaling)
                if found.is_better and found.log_p_of_unevenness >= limit:
                    model = _adopted(model, node, table, rescaling, found)
                    doubted.pop(int(node), None)
                    break
                before = doubted.get(int(node))
                if found.is_better and (before is None or found.gain > before[1].gain):
                    doubted[int(node)] = rescaling, found
    return model, doubted


@on_one_thread()
def with_doubted_scales(model: LearnedSCM, table: ScaleTable, doubted: "Doubted") -> LearnedSCM:
    """The model with doubted scales where unseen rows are likelier on them than with the kind of noise that it has.

    A test of thousands of rows finds what a good scale leaves over, and so it does not decide alone.
    """
    for node, (rescaling, found) in doubted.items():
        if np.array_equal(model.allowed[node], found.causes):
            gain = float((found.told - _log_density_of_unseen(model, node, table)).mean())
            if gain > 0:
                model = _adopted(model, node, table, rescaling, found._replace(gain=gain))
    return model


@on_one_thread()
def with_logarithms(model: LearnedSCM, table: ScaleTable) -> LearnedSCM:
    """The model with logarithms where unseen rows clearly prefer them to the kind of noise that a column has."""
    original, logarithm = model, _NaturalLogarithm()
    for node in np.flatnonzero(table.positive & ~_on_another_scale(model)):
        if _varies(table.values(node, model.allowed[node])):
            found = _compared(model, original, node, table, logarithm)
            if found.is_better:
                model = _adopted(model, node, table, logarithm, found)
    return replace(model, box=_widened(model, table))


def _rescalings(model: LearnedSCM, node: int, table: ScaleTable) -> Iterator[tuple[Rescaling, float]]:
    """The scales to try, the simplest first, and the log p-value that even noises must reach on each."""
    values = table.values(node, model.allowed[node])
    if table.positive[node] and _varies(values):
        yield _NaturalLogarithm(), table.limit
    if len(values) >= BEND_ROWS:
        bend = learn_bend(table.z[table.used(node, model.allowed[node])][:, model.allowed[node]], values)
        if bend is not None:
            yield bend, float(LEFT_OVER)


def _varies(values: Array) -> bool:
    """Whether positive values (N,) are enough, and vary so much that a logarithm differs from a line."""
    return len(values) >= 2 * HELD_OUT and bool(values.std() >= LEAST_VARIATION * values.mean())


def _on_another_scale(model: LearnedSCM) -> Mask:
    return np.array([isinstance(response, Logarithm | Bent) for response in model.responses])


def _widened(model: LearnedSCM, table: ScaleTable) -> Box:
    """The box, with all rows that nodes on another scale were fitted to, where a cause has no other curved effects.

    A curve that was fitted to fewer rows goes on along a line beyond these.
    """
    curved = model.skip.amplitudes.any(axis=1) | np.isin(np.arange(len(model.names)), model.nodes)
    has_scale = _on_another_scale(model)
    low, high = model.box.low.copy(), model.box.high.copy()
    for cause in np.flatnonzero(~model.on_mean[curved & ~has_scale].any(axis=0)):
        for node in np.flatnonzero(has_scale & model.on_mean[:, cause]):
            values = table.rows[table.used(node, model.allowed[node]), cause]
            low[cause], high[cause] = min(low[cause], values.min()), max(high[cause], values.max())
    return Box(low, high, model.box.inner)


class _Comparison(NamedTuple):
    """Another scale beside the mechanism that a node has.

    The causes (D,), the regression on it, whether unseen rows clearly prefer it, by how much, their log-densities (K,),
    and the log p-value of its noises not depending on the causes.
    """

    causes: Mask
    line: "_Line"
    is_better: bool
    gain: float
    told: Array
    log_p_of_unevenness: float


Doubted = dict[int, tuple[Rescaling, _Comparison]]  # nodes on another scale that leaves uneven noises


def _compared(
    model: LearnedSCM, original: LearnedSCM, node: int, table: ScaleTable, rescaling: Rescaling
) -> _Comparison:
    """A node on another scale, fitted to the first rows."""
    used = table.used(node, model.allowed[node])
    causes, values = table.z[used][:, model.allowed[node]], table.rows[used, node]
    seen, unseen = _seen_and_unseen(len(values))
    bent = rescaling(values)
    line = _Line.fitted(model, node, causes[seen], bent[seen])
    errors = bent - line.middle(line.location(causes))
    told = log_density(errors[unseen], errors[seen], NARROWEST) + np.log(rescaling.slope(values[unseen]))
    gain = told - _log_density_of_unseen(original, node, table)
    is_better = bool(gain.mean() > CLEARLY) and log_p_of_gain(torch.from_numpy(gain)) < table.limit
    uneven = log_p_of_uneven_shape(causes, errors) if causes.shape[1] else 0.0
    return _Comparison(model.allowed[node], line, is_better, float(gain.mean()), told, uneven)


class _Line(NamedTuple):
    """A regression on another scale: its centre and scale, and a line or a curve in the causes."""

    centre: float
    scale: float
    waves: Waves
    process: Process
    fit: Fit

    @classmethod
    def fitted(cls, model: LearnedSCM, node: int, causes: Array, bent: Array) -> "_Line":
        """To standardized causes (N, P) and what a node is on the other scale (N,)."""
        centre, scale = float(bent.mean()), max(float(bent.std()), NARROWEST)
        y, positions = (bent - centre) / scale, np.flatnonzero(model.allowed[node])
        count, process = 0, Process(np.ones(causes.shape[1]), 1.0, RIDGE, -np.inf)
        if causes.shape[1] and len(model.skip.phases):
            learned = learn_process(causes, y)
            if is_curved(learned, causes, y):
                count, process = min(WAVES, WAVES_PER_CAUSE * len(positions)), learned
        phases = torch.from_numpy(model.skip.phases[:count])
        waves = Waves(torch.from_numpy(model.skip.frequencies[positions, :count]), phases)
        process, fit = fit_curve(causes, y, waves, process)
        return cls(centre, scale, waves.suited_to(process), process, fit)

    def fitted_again(self, causes: Array, bent: Array) -> "_Line":
        """The same, as smooth as it is, fitted to other rows."""
        return self._replace(fit=fit_waves(causes, (bent - self.centre) / self.scale, self.waves, self.process))

    def location(self, causes: Array) -> Array:
        """(N, P) -> (N,), in units of the scale."""
        return predict(causes, self.waves, self.process, self.fit)

    def middle(self, location: Array) -> Array:
        """(N,) -> (N,), where a node without noise is on the other scale."""
        return np.asarray(self.centre + self.scale * location)


def _seen_and_unseen(rows: int) -> tuple[slice, slice]:
    """The rows that another scale is fitted to, and those that it is judged by."""
    seen = rows - rows // HELD_OUT
    return slice(0, seen), slice(seen, rows)


def _log_density_of_unseen(model: LearnedSCM, node: int, table: ScaleTable) -> Array:
    """(K,) log-densities of unseen rows under the mechanism that the model has, which may have seen them."""
    rows = table.rows[table.used(node, model.allowed[node])]
    seen, unseen = _seen_and_unseen(len(rows))
    noise = model.node_noise(node, rows, rows[:, node])
    density = partial(log_density, known=noise[seen], narrowest=NARROWEST * float(model.scale[node]))
    return model.node_log_density(node, rows[unseen], rows[unseen, node], density)


def _adopted(model: LearnedSCM, node: int, table: ScaleTable, rescaling: Rescaling, found: _Comparison) -> LearnedSCM:
    """The model with one node on another scale, fitted to all rows."""
    allowed = model.allowed[node]
    used = table.used(node, allowed)
    causes, values = table.z[used][:, allowed], table.rows[used, node]
    line = found.line.fitted_again(causes, rescaling(values))
    location, noise = line.location(causes), np.full((len(used), 1), np.nan)
    noise[used, 0] = rescaling(values) - line.middle(location)
    response = _response(rescaling, line, location, values)
    ordered, scores, r2 = model.noise.ordered.copy(), model.held_out_log_likelihood.copy(), model.held_out_r2.copy()
    ordered[:, node] = EmpiricalNoise.of(noise).ordered[:, 0]
    gains = model.noise_gain.copy()
    gains[node] = np.nan_to_num(gains[node]) + found.gain
    errors = values - response.mean(location, table.z[used])
    scores[node], r2[node] = found.told.mean(), 1 - np.square(errors).mean() / values.var()
    nodes = model.nodes[model.nodes != node]
    on_mean, on_spread = model.on_mean.copy(), model.on_spread.copy()
    on_mean[node], on_spread[node] = allowed, False
    return replace(
        model,
        on_mean=on_mean,
        on_spread=on_spread,
        noise=EmpiricalNoise(ordered),
        responses=(*model.responses[:node], response, *model.responses[node + 1 :]),
        skip=model.skip.with_curve(node, np.flatnonzero(allowed), line.process, line.fit),
        nodes=nodes,
        network=model.network if len(nodes) else None,
        held_out_r2=r2,
        held_out_log_likelihood=scores,
        noise_gain=gains,
    )


def _response(rescaling: Rescaling, line: _Line, location: Array, values: Array) -> Response:
    """The response of a node with these locations (K,) and values (K,)."""
    noise, one = rescaling(values) - line.middle(location), np.ones(())
    if isinstance(rescaling, Bend):
        noises = np.asarray(np.quantile(noise, (np.arange(NOISES) + 0.5) / NOISES), dtype=np.float64)
        centre, scale = np.asarray(line.centre), np.asarray(line.scale)
        width = values.max() - values.min()
        farthest = np.array([values.min() - width, values.max() + width])
        low, high = (rescaling(farthest) - line.centre) / line.scale
        return Bent(centre, scale, rescaling, np.asarray(low), np.asarray(high), noises, one)
    surplus = float(np.exp(noise).mean())
    fields = line.centre, line.scale, np.log(values.max()) + FARTHEST_BEYOND, surplus, one
    return Logarithm(*(np.asarray(each) for each in fields))
