"""Which kind of noise each node has: the simplest that the rows do not reject. Shapes: N rows, D variables, Q nodes.

A node begins with additive noise. Where a cheap test finds that its residuals are uneven, a location-scale response is
fitted to each half of the rows and compared on the other half; it is taken if it makes them more likely. Where its
noises are still uneven, a monotone response is compared with it on a fifth of the rows.
"""

import warnings
from dataclasses import replace

import numpy as np
import torch

from fipscm.arrays import Array, Order
from fipscm.errors import DataError
from fipscm.graph import listed
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise.distribution import NARROWEST, EmpiricalNoise, TabulatedDensity
from fipscm.mechanism.noise.uneven import (
    NodeRows,
    NoiseTable,
    freed_of_leverage,
    with_location_scale,
    with_response,
)
from fipscm.mechanism.noise.unevenness import log_p_of_each, log_p_of_uneven_shape, log_p_of_unevenness
from fipscm.mechanism.progress import OnProgress, silent, steps_of
from fipscm.mechanism.regression.spread import SpreadSmoothness, fit_spread
from fipscm.mechanism.response.additive import Additive
from fipscm.mechanism.response.fit_monotone import fit_monotone
from fipscm.mechanism.response.location_scale import LocationScale, inputs_of
from fipscm.mechanism.response.monotone import Monotone
from fipscm.significance import SIGNIFICANCE, log_p_of_gain
from fipscm.threads import on_one_thread

Doubted = dict[int, SpreadSmoothness]  # nodes whose noise may not be additive, and how smooth its spread is

AUTO = "auto"
NOISES = (AUTO, Additive.kind, LocationScale.kind, Monotone.kind)
FEWEST_ROWS = 50  # fewer tell nothing about a spread
MONOTONE_ROWS, MONOTONE_ROWS_TO_TRY = 200, 2_000  # that a network needs, and with which it may win
FEWEST_VALUES = 20  # of a column with monotone noise: an increasing function of a few values is any function of them
FARTHEST = 3.0  # times the largest residual of the rows: no noise moves a node farther, however large its spread is
UNSEEN, UNSEEN_IF_TESTED = 0.05, 0.2  # of the rows: on which monotone noise is measured, or must prove itself


@on_one_thread()
def with_noises(
    model: LearnedSCM,
    table: NoiseTable,
    noise: str,
    generator: torch.Generator,
    network: bool = True,
    on_progress: OnProgress = silent,
) -> LearnedSCM:
    """The model, all of whose noises are additive, with the kinds of noises asked for; `network` lets it train one."""
    if noise == Additive.kind:
        return model
    nodes = _nodes(model, table, says_so=network and noise != AUTO)
    uneven, doubted = _with_location_scales(model, table, noise, nodes, on_progress)
    if not network or noise == LocationScale.kind or not doubted:
        return uneven
    tried = _to_be_monotone(uneven, table, noise, doubted)
    return _with_monotones(uneven, model, table, noise, tried, doubted, generator, on_progress)


def with_their_noises(model: LearnedSCM, rows: Array, table: NoiseTable) -> LearnedSCM:
    """The model, where nodes whose noises are not additive have the noises behind rows (N, D), and tell what spreads.

    Until now they had those of the additive model.
    """
    ordered, spread = model.noise.ordered.copy(), model.on_spread.copy()
    chosen = np.array([isinstance(response, LocationScale | Monotone) for response in model.responses])
    for node in np.flatnonzero(chosen):
        known, of_node = table.known[:, node], NodeRows.of(model, node, table)
        noises, spread_there = np.full((len(ordered), 1), np.nan), _spread_of(model, node, table, of_node)
        z = np.where(model.allowed[node], table.z[known], 0.0)
        found = model.responses[node].noise(of_node.location, z, rows[known, node])
        # What is large because its spread is tiny, as where a column is cut off, must not meet a large spread.
        farthest = FARTHEST * np.abs(found * spread_there).max() / spread_there.max()
        noises[known, 0] = np.clip(found, -farthest, farthest)
        ordered[:, node] = EmpiricalNoise.of(noises).ordered[:, 0]
        spread[node] |= _moves_spread(model, node, of_node)
    likelihood = model.held_out_log_likelihood + np.where(chosen, model.noise_gain, 0.0)
    return replace(model, noise=EmpiricalNoise(ordered), on_spread=spread, held_out_log_likelihood=likelihood)


def _nodes(model: LearnedSCM, table: NoiseTable, says_so: bool) -> Order:
    """Those that have causes, additive noise, and rows enough; warns about the others if it `says_so`."""
    additive = np.array([isinstance(response, Additive) for response in model.responses])
    additive &= model.allowed.any(axis=1)
    enough = table.known.sum(axis=0) >= FEWEST_ROWS
    if says_so and (additive & ~enough).any():
        short = listed(model.names[node] for node in np.flatnonzero(additive & ~enough))
        warnings.warn(
            f"Fewer than {FEWEST_ROWS} rows tell about the noise of {short}: additive noise is used there.",
            UserWarning,
            stacklevel=2,
        )
    return np.flatnonzero(additive & enough)


def _with_location_scales(
    model: LearnedSCM, table: NoiseTable, noise: str, nodes: Order, on_progress: OnProgress
) -> tuple[LearnedSCM, Doubted]:
    """The model with location-scale noises where they belong, and the nodes whose additive noise was doubted."""
    limit, gains, doubted = np.log(SIGNIFICANCE / max(1, len(nodes))), model.noise_gain.copy(), {}
    on_step = steps_of("Comparing noises", on_progress)
    for step, node in enumerate(nodes.tolist(), start=1):
        rows = NodeRows.of(model, node, table)
        even = freed_of_leverage(rows, model, node, table)
        if noise != AUTO or log_p_of_unevenness(rows.inputs, even) < limit:
            smoothness = doubted[node] = SpreadSmoothness.learn(rows.inputs, rows.residual)
            compared = rows.compared(smoothness)
            gains[node] = compared.gains.mean()
            if noise != AUTO or log_p_of_gain(torch.from_numpy(compared.gains)) < limit:
                model = with_location_scale(model, node, table, rows, smoothness, compared)
        on_step(step, len(nodes))
    return replace(model, noise_gain=gains), doubted


def _to_be_monotone(model: LearnedSCM, table: NoiseTable, noise: str, doubted: Doubted) -> Order:
    """The nodes on which monotone noise is tried: all if it was asked for, or those whose noises are still uneven."""
    values = {node: len(np.unique(table.z[table.known[:, node], node])) for node in doubted}
    if noise == Monotone.kind:
        for node in doubted:
            if values[node] < FEWEST_VALUES:
                raise DataError(
                    f"Column '{model.names[node]}' has {values[node]} distinct values, but monotone noise needs at "
                    f"least {FEWEST_VALUES}: use noise='auto', or leave the column out."
                )
        if len(table.z) < MONOTONE_ROWS:
            warnings.warn(
                f"{len(table.z)} rows do not suffice to learn monotone noise, which needs {MONOTONE_ROWS}: "
                "location-scale noise is used instead.",
                UserWarning,
                stacklevel=2,
            )
            return np.zeros(0, dtype=np.intp)
        return np.array(list(doubted), dtype=np.intp)
    limit, tried = np.log(SIGNIFICANCE / max(1, len(doubted))), []
    for node in doubted:
        rows = NodeRows.of(model, node, table)
        noises = rows.residual / _spread_of(model, node, table, rows)
        if len(noises) >= MONOTONE_ROWS_TO_TRY and values[node] >= FEWEST_VALUES:
            tried += [node] if log_p_of_uneven_shape(rows.inputs, noises) < limit else []
    return np.array(tried, dtype=np.intp)


def _with_monotones(
    model: LearnedSCM,
    plain: LearnedSCM,
    table: NoiseTable,
    noise: str,
    nodes: Order,
    doubted: Doubted,
    generator: torch.Generator,
    on_progress: OnProgress,
) -> LearnedSCM:
    """The model with monotone noises of some nodes, all if asked for, or those that make unseen rows more likely."""
    if not len(nodes):
        return model
    residual = np.full(table.z.shape, np.nan)
    for node in nodes:
        residual[table.known[:, node], node] = NodeRows.of(model, node, table).residual
    unseen, gains = UNSEEN_IF_TESTED if noise == AUTO else UNSEEN, model.noise_gain.copy()
    seen = round((1 - unseen) * len(table.z))
    responses = fit_monotone(
        table.z[:seen],
        residual[:seen],
        model.allowed,
        nodes,
        model.centre,
        model.scale,
        model.box.standardized(model.centre, model.scale),
        generator,
        steps_of("Training monotone noises", on_progress),
    )
    limit = np.log(SIGNIFICANCE / len(nodes))
    for node, response in responses.items():
        bent = with_response(model, node, response)
        densities, additive, simpler = (
            _unseen_densities(each, node, table, seen, doubted[node]) for each in (bent, plain, model)
        )
        if noise != AUTO or log_p_of_gain(torch.from_numpy(densities - simpler)) < limit:
            model, gains[node] = bent, (densities - additive).mean()
    return replace(model, noise_gain=gains)


def _unseen_densities(
    model: LearnedSCM, node: int, table: NoiseTable, seen: int, smoothness: SpreadSmoothness
) -> Array:
    """Log-densities of the later rows of a node, given the noises of the first ones, in standardized columns.

    A location-scale response has seen all rows: it is fitted to the first ones once more.
    """
    rows, known, response = NodeRows.of(model, node, table), table.known[:, node], model.responses[node]
    first = slice(0, int(known[:seen].sum()))
    later = slice(first.stop, None)
    if isinstance(response, Additive):
        return rows.log_densities(first, later)
    if isinstance(response, LocationScale):
        return rows.log_densities(first, later, fit_spread(rows.inputs[first], rows.residual[first], smoothness))
    z, location = np.where(model.allowed[node], table.z[known], 0.0), rows.location
    values = model.centre[node] + model.scale[node] * table.z[known, node]
    density = TabulatedDensity.of(response.noise(location[first], z[first], values[first]), NARROWEST)
    densities = response.log_density(location[later], z[later], values[later], density)
    return np.asarray(densities + np.log(model.scale[node]))


def _spread_of(model: LearnedSCM, node: int, table: NoiseTable, rows: NodeRows) -> Array:
    """(K,), in the rows that tell about a node; one for additive noise."""
    response = model.responses[node]
    if not isinstance(response, LocationScale):
        return np.ones(len(rows.residual))
    z = np.where(model.allowed[node], table.z[table.known[:, node]], 0.0)
    return response.spread(inputs_of(rows.location, z))


def _moves_spread(model: LearnedSCM, node: int, rows: NodeRows) -> Array:
    """(D,), which causes of a node the sizes of its residuals depend on, beside the others."""
    causes = np.flatnonzero(model.allowed[node])
    moves = np.zeros(len(model.names), dtype=bool)
    for place, cause in enumerate(causes):
        others = np.delete(rows.inputs[:, :-1], place, axis=1)
        log_p = log_p_of_each(rows.inputs[:, [place]], rows.residual, others)[0]
        moves[cause] = log_p < np.log(SIGNIFICANCE / len(causes))
    return moves
