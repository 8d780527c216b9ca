"""Put a node on another scale into a model. Shapes: N rows, D variables, K rows that tell about the node."""

from dataclasses import replace

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise.distribution import EmpiricalNoise
from fipscm.mechanism.regression.bend import Bend
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.response.base import Response
from fipscm.mechanism.response.bent import Bent
from fipscm.mechanism.response.logarithm import Logarithm
from fipscm.mechanism.scales.comparison import Comparison
from fipscm.mechanism.scales.rescaled_line import RescaledLine
from fipscm.mechanism.scales.rescaling import Rescaling
from fipscm.mechanism.scales.scale_table import ScaleTable

NOISES = 32  # that stand for all in a mean


def adopted(model: LearnedSCM, node: int, table: ScaleTable, rescaling: Rescaling, found: Comparison) -> LearnedSCM:
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


def _response(rescaling: Rescaling, line: RescaledLine, location: Array, values: Array) -> Response:
    """The response of a node with these locations (K,) and values (K,)."""
    noise, one = rescaling(values) - line.middle(location), np.ones(())
    if isinstance(rescaling, Bend):
        noises = np.asarray(np.quantile(noise, (np.arange(NOISES) + 0.5) / NOISES), dtype=np.float64)
        centre, scale = np.asarray(line.centre), np.asarray(line.scale)
        return Bent(centre, scale, rescaling, noises, one)
    surplus = float(np.exp(noise).mean())
    fields = line.centre, line.scale, line.middle(location).max(), surplus, one
    return Logarithm(*(np.asarray(each) for each in fields))


def on_another_scale(model: LearnedSCM) -> Mask:
    """(D,), which nodes are."""
    return np.array([isinstance(response, Logarithm | Bent) for response in model.responses])


def widened(model: LearnedSCM, table: ScaleTable) -> Box:
    """The box, with all rows that nodes on another scale were fitted to, where a cause has no other curved effects.

    A curve that was fitted to fewer rows goes on along a line beyond these.
    """
    curved = model.skip.amplitudes.any(axis=1) | np.isin(np.arange(len(model.names)), model.nodes)
    has_scale = on_another_scale(model)
    low, high = model.box.low.copy(), model.box.high.copy()
    for cause in np.flatnonzero(~model.on_mean[curved & ~has_scale].any(axis=0)):
        for node in np.flatnonzero(has_scale & model.on_mean[:, cause]):
            values = table.rows[table.used(node, model.allowed[node]), cause]
            low[cause], high[cause] = min(low[cause], values.min()), max(high[cause], values.max())
    return Box(low, high, model.box.inner)
