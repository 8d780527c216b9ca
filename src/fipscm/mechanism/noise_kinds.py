"""Which kind of noise each node has: the simplest that the rows do not reject.

Shapes: N rows, D variables, K rows that tell about a node, P causes of it.

A node begins with additive noise. Where a cheap test finds that its residuals are uneven, a location-scale response is
fitted to each half of the rows and compared on the other half; it is taken if it makes them more likely.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch
from scipy import linalg

from fipscm.arrays import Array, Mask
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise import NARROWEST, TabulatedDensity
from fipscm.mechanism.progress import OnStep, uncounted
from fipscm.mechanism.regression.process import Process
from fipscm.mechanism.regression.skip import Skip
from fipscm.mechanism.regression.smooth import WaveRegression
from fipscm.mechanism.regression.spread import Spread, SpreadSmoothness, fit_spread
from fipscm.mechanism.response.additive import Additive
from fipscm.mechanism.response.location_scale import LocationScale, inputs_of
from fipscm.mechanism.significance import SIGNIFICANCE, log_p_of_gain
from fipscm.mechanism.unevenness import log_p_of_unevenness
from fipscm.threads import on_one_thread

AUTO = "auto"
NOISES = (AUTO, Additive.kind, LocationScale.kind)
COMPARED_ROWS = 6_000  # on which kinds are compared
FEWEST_ROWS = 50  # fewer tell nothing about a spread


@dataclass(frozen=True)
class NoiseTable:
    """What the noises of a model are learned from.

    Attributes:
        z: (N, D) standardized rows in random order.
        told: (N, D), where a row tells about a column.
        fitted: how many of the first rows curved means are fitted to.
        smoothness: of curved means.
    """

    z: Array
    told: Mask
    fitted: int
    smoothness: Mapping[int, Process]


@on_one_thread()
def choose_noises(
    model: LearnedSCM, table: NoiseTable, noise: str, generator: torch.Generator, on_step: OnStep = uncounted
) -> tuple[LearnedSCM, Array]:
    """The model of additive noises with the kinds that are asked for, and (D,) what they gain over additive noise.

    A gain is the mean difference of the log-densities of unseen rows, NaN where additive noise was not doubted.
    """
    gains = np.full(len(model.names), np.nan)
    if noise == Additive.kind:
        return model, gains
    nodes = np.flatnonzero(model.allowed.any(axis=1) & (table.told.sum(axis=0) >= FEWEST_ROWS))
    limit = np.log(SIGNIFICANCE / max(1, len(nodes)))
    for step, node in enumerate(nodes.tolist(), start=1):
        rows = _NodeRows.of(model, node, table)
        if noise != AUTO or log_p_of_unevenness(rows.inputs, rows.residual) < limit:
            smoothness = SpreadSmoothness.learn(rows.inputs, rows.residual, generator)
            gain = rows.gains(smoothness)
            gains[node] = gain.mean()
            if noise != AUTO or log_p_of_gain(torch.from_numpy(gain)) < limit:
                model = with_location_scale(model, node, table, smoothness)
        on_step(step, len(nodes))
    return model, gains


def with_location_scale(model: LearnedSCM, node: int, table: NoiseTable, smoothness: SpreadSmoothness) -> LearnedSCM:
    """The model with location-scale noise of one node, whose mean is solved again: loud rows tell less about it."""
    rows = _NodeRows.of(model, node, table)
    spread = fit_spread(rows.inputs, rows.residual, smoothness)
    if node not in model.nodes:
        weights = 1 / np.square(spread(rows.inputs))
        model = replace(model, skip=_solved_again(model, node, table, weights))
        rows = _NodeRows.of(model, node, table)
        spread = fit_spread(rows.inputs, rows.residual, smoothness)
    columns = np.append(np.flatnonzero(model.allowed[node]), len(model.names))
    wide = spread.among(columns, len(model.names) + 1)
    responses = list(model.responses)
    responses[node] = LocationScale(model.centre[node], model.scale[node], wide)
    return replace(model, responses=tuple(responses))


@dataclass(frozen=True)
class _NodeRows:
    """The rows that tell about a node: what its spread may depend on (K, P + 1), and its residuals (K,)."""

    inputs: Array
    residual: Array

    @classmethod
    def of(cls, model: LearnedSCM, node: int, table: NoiseTable) -> "_NodeRows":
        """With the locations of the model as it is."""
        z = table.z[table.told[:, node]]
        causes = np.where(model.allowed[node], z, 0.0)
        location = model.location(node, causes)
        return cls(inputs_of(location, z[:, model.allowed[node]]), z[:, node] - location)

    def gains(self, smoothness: SpreadSmoothness) -> Array:
        """(K,) by how much location-scale noise raises the log-densities of rows that it was not fitted to."""
        inputs, residual = self.inputs[:COMPARED_ROWS], self.residual[:COMPARED_ROWS]
        halves, gains = (slice(0, None, 2), slice(1, None, 2)), np.empty(len(residual))
        for seen, unseen in (halves, halves[::-1]):
            spread = fit_spread(inputs[seen], residual[seen], smoothness)
            gains[unseen] = _log_densities(spread, inputs, residual, seen, unseen)
            gains[unseen] -= TabulatedDensity.of(residual[seen], NARROWEST)(residual[unseen])
        return gains


def _log_densities(spread: Spread, inputs: Array, residual: Array, seen: slice, unseen: slice) -> Array:
    """Those of unseen residuals, where noises have the density of the seen ones."""
    size = spread(inputs)
    noise = residual / size
    return np.asarray(TabulatedDensity.of(noise[seen], NARROWEST)(noise[unseen]) - np.log(size[unseen]))


def _solved_again(model: LearnedSCM, node: int, table: NoiseTable, weights: Array) -> Skip:
    """The skip with one node solved by weighted least squares; its smoothness stays, weights are (K,)."""
    skip, causes = model.skip, np.flatnonzero(model.allowed[node])
    told = table.told[:, node]
    if node not in table.smoothness:
        z, root = table.z[told], np.sqrt(weights)[:, None]
        design = np.column_stack([np.ones(len(z)), z[:, causes]])
        solution = linalg.lstsq(root * design, root[:, 0] * z[:, node], cond=1e-12)[0]
        return skip.with_node(node, solution[0], causes, solution[1:], skip.amplitudes[node])
    z = table.z[: table.fitted][told[: table.fitted]]
    regression = WaveRegression(z[:, causes], skip.waves_of(node), table.smoothness[node], weights[: len(z)])
    fit = regression.fit(z[:, node])
    amplitudes = np.zeros_like(skip.amplitudes[node])
    amplitudes[skip.amplitudes[node] != 0] = fit.amplitudes
    return skip.with_node(node, fit.intercept, causes, fit.weights, amplitudes)
