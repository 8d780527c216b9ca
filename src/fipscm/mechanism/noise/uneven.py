"""Location-scale noise of nodes of a model. Shapes: N rows, D variables, K rows that tell about a node, P causes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import linalg

from fipscm.arrays import Array, Mask
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise.distribution import NARROWEST, TabulatedDensity
from fipscm.mechanism.regression.curve import fit_curve
from fipscm.mechanism.regression.parabola import Parabola, fit_parabola
from fipscm.mechanism.regression.process import Process
from fipscm.mechanism.regression.skip import Skip
from fipscm.mechanism.regression.smooth import WaveRegression, leverage_of_waves
from fipscm.mechanism.regression.spread import Spread, SpreadSmoothness, fit_spread
from fipscm.mechanism.response.base import Response
from fipscm.mechanism.response.location_scale import LocationScale, inputs_of

FEW_ROWS = 800  # of more, hardly any lies so alone that a curve passes through it
COMPARED_ROWS = 6_000  # on which kinds of noise are compared
HIGHEST_LEVERAGE = 0.99  # of one row; a residual divided by less than what is left would be arbitrary


@dataclass(frozen=True)
class NoiseTable:
    """What the noises of a model are learned from.

    Attributes:
        z: (N, D) standardized rows in random order.
        told: (N, D), where a row tells about the mean of its column.
        known: (N, D), where a row tells about the noise of its column: also where that is wild.
        fitted: how many of the first rows curved means are fitted to.
        smoothness: of curved means.
        parabolas: means that are.
        settled: whether curved means stay as smooth as they are, however the rows are weighed.
    """

    z: Array
    told: Mask
    known: Mask
    fitted: int
    smoothness: Mapping[int, Process]
    parabolas: Mapping[int, Parabola]
    settled: bool = False


@dataclass(frozen=True)
class NodeRows:
    """The rows that tell about a node's noise: what its spread may depend on (K, P + 1), and its residuals (K,)."""

    inputs: Array
    residual: Array

    @classmethod
    def of(cls, model: LearnedSCM, node: int, table: NoiseTable) -> "NodeRows":
        """With the locations of the model as it is."""
        z = table.z[table.known[:, node]]
        location = model.location(node, np.where(model.allowed[node], z, 0.0))
        return cls(inputs_of(location, z[:, model.allowed[node]]), z[:, node] - location)

    @property
    def location(self) -> Array:
        """(K,), which the spread may depend on as well."""
        return np.asarray(self.inputs[:, -1])

    def compared(self, smoothness: SpreadSmoothness) -> "Compared":
        """Location-scale noise, fitted to either half of some rows and judged by the other."""
        few = NodeRows(self.inputs[:COMPARED_ROWS], self.residual[:COMPARED_ROWS])
        halves, gains, spreads = (slice(0, None, 2), slice(1, None, 2)), np.empty(len(few.residual)), []
        for seen, unseen in (halves, halves[::-1]):
            spreads.append(fit_spread(few.inputs[seen], few.residual[seen], smoothness))
            gains[unseen] = few.log_densities(seen, unseen, spreads[-1]) - few.log_densities(seen, unseen)
        return Compared(gains, tuple(spreads))

    def log_densities(self, seen: slice, unseen: slice, spread: Spread | None = None) -> Array:
        """Those of unseen residuals, where noises have the density of the seen ones; all alike without a spread."""
        size = np.ones(len(self.residual)) if spread is None else spread(self.inputs)
        noise = self.residual / size
        return np.asarray(TabulatedDensity.of(noise[seen], NARROWEST)(noise[unseen]) - np.log(size[unseen]))


def freed_of_leverage(rows: NodeRows, model: LearnedSCM, node: int, table: NoiseTable) -> Array:
    """(K,), residuals that are equally large on average if the noises are.

    A curve of few rows passes close to those that lie alone: their residuals are small, whatever their noise is.
    """
    if len(table.z) > FEW_ROWS or node not in table.smoothness or not model.skip.amplitudes[node].any():
        return rows.residual
    causes, process = table.z[table.known[:, node]][:, model.on_mean[node]], table.smoothness[node]
    leverage = leverage_of_waves(causes, model.skip.waves_of(node).suited_to(process), process)
    return np.asarray(rows.residual / np.sqrt(1 - np.minimum(leverage, HIGHEST_LEVERAGE)))


class Compared(NamedTuple):
    """(K,) by how much location-scale noise raises the log-densities of unseen rows, and the spreads of two halves."""

    gains: Array
    spreads: tuple[Spread, ...]

    def spread(self, inputs: Array) -> Array:
        """(N, P + 1) -> (N,), the geometric mean of both."""
        return np.asarray(np.sqrt(np.prod([spread(inputs) for spread in self.spreads], axis=0)))


def with_response(model: LearnedSCM, node: int, response: Response) -> LearnedSCM:
    """The model, where one node responds otherwise."""
    return replace(model, responses=(*model.responses[:node], response, *model.responses[node + 1 :]))


def with_location_scale(
    model: LearnedSCM, node: int, table: NoiseTable, rows: NodeRows, smoothness: SpreadSmoothness, compared: Compared
) -> LearnedSCM:
    """The model with location-scale noise of one node, whose mean is solved again: loud rows tell less about it.

    Its rows are as they are before; the spreads that were compared on them weigh them, unless rows are few: then half
    of them tell too little.
    """
    if model.on_mean[node].any() and node not in model.nodes:
        are_few = len(rows.residual) < COMPARED_ROWS
        rough = fit_spread(rows.inputs, rows.residual, smoothness) if are_few else compared.spread
        weights = np.zeros(len(table.z))
        weights[table.known[:, node]] = 1 / np.square(rough(rows.inputs))
        model = replace(model, skip=_solved_again(model, node, table, weights))
        rows = NodeRows.of(model, node, table)
    spread = fit_spread(rows.inputs, rows.residual, smoothness, compared.spreads[0])
    columns = np.append(np.flatnonzero(model.allowed[node]), len(model.names))
    wide, typical = spread.among(columns, len(model.names) + 1), np.asarray(np.median(spread(rows.inputs)))
    return with_response(model, node, LocationScale(model.centre[node], model.scale[node], typical, wide))


def _solved_again(model: LearnedSCM, node: int, table: NoiseTable, weights: Array) -> Skip:
    """The skip with one node solved by least squares with weights (N,) of the rows."""
    skip, causes, told = model.skip, np.flatnonzero(model.on_mean[node]), table.told[:, node]
    if node in table.parabolas:
        z = table.z[told]
        bent = fit_parabola(z[:, causes], z[:, node], table.parabolas[node], weights[told])
        return skip.with_parabola(node, causes, bent)
    if not skip.amplitudes[node].any():
        z, root = table.z[told], np.sqrt(weights[told])[:, None]
        design = np.column_stack([np.ones(len(z)), z[:, causes]])
        solution = linalg.lstsq(root * design, root[:, 0] * z[:, node], cond=1e-12)[0]
        return skip.with_node(node, solution[0], causes, solution[1:], skip.amplitudes[node])
    first = np.flatnonzero(told[: table.fitted])
    z = table.z[first]
    process, waves = table.smoothness[node], skip.waves_of(node)
    if table.settled:
        fit = WaveRegression(z[:, causes], waves.suited_to(process), process, weights[first]).fit(z[:, node])
    else:
        # Length scales that were learned as if all rows told the same follow the noise of the loud ones.
        process, fit = fit_curve(z[:, causes], z[:, node], waves, process, weights[first])
    return skip.with_curve(node, causes, process, fit)
