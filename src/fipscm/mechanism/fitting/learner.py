"""A fit on known edges: closed form, network, noises, put together as one SCM. Shapes: N rows, D variables."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from fipscm.arrays import Array, Mask, Order
from fipscm.mechanism.by_kind import with_kinds
from fipscm.mechanism.edges.of_spread import SpreadSearch, with_spread_edges
from fipscm.mechanism.fitting.closed_form import ClosedForm, solve_in_closed_form
from fipscm.mechanism.fitting.config import MechanismConfig
from fipscm.mechanism.fitting.table import MOST_RESIDUALS, FitTable, Kinds
from fipscm.mechanism.fitting.trained import NetworkTraining
from fipscm.mechanism.held_out import held_out_scores
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.network.transformer import CausalTransformer
from fipscm.mechanism.noise.amounts import with_positive_roots
from fipscm.mechanism.noise.distribution import EmpiricalNoise
from fipscm.mechanism.noise.noise_kinds import AUTO, with_noises, with_their_noises
from fipscm.mechanism.noise.uneven import NoiseTable
from fipscm.mechanism.noise.wrong_entries import warn_of_outliers, wrong_entries
from fipscm.mechanism.progress import OnProgress, silent
from fipscm.mechanism.regression.parabola import Parabola
from fipscm.mechanism.regression.process import Process
from fipscm.mechanism.response.additive import Additive
from fipscm.mechanism.response.kinds import all_additive
from fipscm.mechanism.scales.choice import with_doubted_scales, with_even_scales, with_logarithms
from fipscm.mechanism.scales.scale_table import ScaleTable

PIECE = 1_000  # rows at a time: the memory of their Jacobians grows with the square of the variables
TINY = 1e-12  # of a column's standard deviation; residuals below it are rounding errors
EFFECT_ROWS = 2_000  # enough for the average of a derivative
NETWORK_ROWS = 2_000  # fewer leave too few to tell whether the network improves on the process
NO_NODES = np.zeros(0, dtype=np.intp)


@dataclass(frozen=True)
class Learner:
    """A table and how to learn from it."""

    table: FitTable
    config: MechanismConfig
    generator: torch.Generator
    on_progress: OnProgress
    checkpoint: Path | None

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        order: Order,
        intervened: Mask | None,
        kinds: Kinds,
        config: MechanismConfig,
        seed: int,
        on_progress: OnProgress = silent,
        checkpoint: Path | None = None,
    ) -> "Learner":
        """Of a table (N, D)."""
        generator = torch.Generator().manual_seed(seed)
        table = FitTable.of(frame, order, intervened, kinds, generator)
        return cls(table, config, generator, on_progress, checkpoint)

    def fit(
        self,
        allowed: Mask,
        curved: Mask,
        scores: Array,
        smoothness: Mapping[int, Process] | None = None,
        search: SpreadSearch | None = None,
        parabolas: Mapping[int, Parabola] | None = None,
    ) -> LearnedSCM:
        """Solve the skip, train the network on its residuals, and take what is left as noises.

        Edges that act on the spread alone are looked for if a search is given. Unless `parabolas` are known, curved
        nodes are tried for being such, or sums of curves.
        """
        table, config = self.table, self.config
        count = min(len(table.z), MOST_RESIDUALS)
        trains = (not config.provisional and count >= NETWORK_ROWS) or not config.skip
        fitted = round((1 - config.training.validation) * count) if trains else count
        if config.skip:
            found = solve_in_closed_form(
                table, allowed, curved, fitted, smoothness, parabolas, self.generator, self.on_progress
            )
        else:
            found = ClosedForm.none(table, allowed, curved, smoothness or {})
        residual = found.residual(table)
        untold = table.intervened | (found.unusable & (table.wild @ allowed.T))
        residual[untold[:count]] = np.nan  # no noise is known there
        unit = np.maximum(np.nanstd(residual, axis=0), TINY)
        network = CausalTransformer(len(allowed), config.transformer, self.generator)
        training = NetworkTraining(table, config, self.generator, self.on_progress, self.checkpoint)
        nodes = training.nodes_to_train(allowed, found.curved, residual, fitted) if trains else NO_NODES
        nodes = training.train(network, allowed, nodes, residual / unit, fitted)
        model = self._assembled(allowed, found, scores, network, nodes, unit, fitted)
        for node in nodes:
            known = ~np.isnan(residual[:, node])
            residual[known, node] = table.z[:count][known, node] - model.location(node, table.z[:count][known])
        return self._with_noises(model, found, residual, fitted, search)

    def _assembled(
        self,
        allowed: Mask,
        found: ClosedForm,
        scores: Array,
        network: CausalTransformer,
        nodes: Order,
        unit: Array,
        fitted: int,
    ) -> LearnedSCM:
        """The locations as an SCM, whose noises are not known yet."""
        table, unknown = self.table, np.zeros(allowed.shape)
        partial, unusable = _partial(allowed, found, nodes), found.unusable
        return LearnedSCM(
            names=table.names,
            order=table.order,
            noise=EmpiricalNoise(table.rows),
            responses=all_additive(table.centre, table.scale),
            allowed=allowed,
            on_mean=allowed,
            on_spread=np.zeros_like(allowed),
            centre=table.centre,
            scale=table.scale,
            box=found.box,
            skip=found.skip,
            network=network if len(nodes) else None,
            nodes=nodes,
            residual_scale=unit,
            edge_scores=scores.T,
            edge_derivatives=unknown,
            edge_weights=unknown,
            held_out_r2=np.full(len(allowed), np.nan),
            held_out_log_likelihood=np.full(len(allowed), np.nan),
            noise_gain=np.full(len(allowed), np.nan),
            rows=np.where(partial, (~unusable[:fitted]).sum(axis=0), (~unusable).sum(axis=0)),
            blocks=table.kinds.blocks,
        )

    def _with_noises(
        self, model: LearnedSCM, found: ClosedForm, residual: Array, fitted: int, search: SpreadSearch | None
    ) -> LearnedSCM:
        """The model with noises from residuals (N, D), with its worth on unseen rows, and with its derivatives."""
        table, config, count = self.table, self.config, len(residual)
        z, rows, unusable = table.z[:count], table.rows[:count], found.unusable[:count]
        wrong = wrong_entries(residual) & ~table.kinds.linked
        residual = np.where(wrong, np.nan, residual)
        model, known = replace(model, noise=EmpiricalNoise.of(table.scale * residual)), ~np.isnan(residual)
        residual = np.where(unusable, np.nan, residual)
        if not config.provisional:
            partial = _partial(model.allowed, found, model.nodes)
            r2, log_likelihood = held_out_scores(z, residual, model.allowed, found.skip, found.smooth, fitted, partial)
            model = replace(model, held_out_r2=r2, held_out_log_likelihood=log_likelihood - np.log(table.scale))
        if table.kinds.linked.any():
            model = with_kinds(model, z, rows, table.kinds.names, found.smoothness, unusable)
        noises = NoiseTable(z, ~np.isnan(residual), known, fitted, found.smooth, found.parabolas, config.provisional)
        model = with_positive_roots(self._with_responses(model, noises, wrong, search))
        if not config.provisional:
            warn_of_outliers(rows, wrong | (table.wild[:count] & unusable), table.names)
        mean, absolute = mean_derivatives(model, table.rows[:EFFECT_ROWS])
        weights = mean * table.scale[:, None] / table.scale
        return replace(model, edge_weights=weights.T, edge_derivatives=absolute.T)

    def _with_responses(
        self, model: LearnedSCM, noises: NoiseTable, wrong: Mask, search: SpreadSearch | None
    ) -> LearnedSCM:
        """The model with noises that need not be additive, and with causes of their spread."""
        table, config, first = self.table, self.config, slice(0, len(noises.z))
        scales = ScaleTable.of(
            noises.z, table.rows[first], ~table.kinds.linked, table.intervened[first], table.wild[first], wrong
        )
        # It takes most of the time; what is drawn for a missing cell is in the range of its column on any scale.
        takes_scales = config.skip and config.noise == AUTO and not config.provisional
        model, doubted = with_even_scales(model, scales) if takes_scales else (model, {})
        # Of its own, so that what else is learned does not depend on the noises that are tried.
        generator = torch.Generator().manual_seed(self.generator.initial_seed() + 1)
        if search is not None and config.noise != Additive.kind:
            model = with_spread_edges(model, noises, search)
        model = with_noises(model, noises, config.noise, generator, not config.provisional, self.on_progress)
        model = with_their_noises(model, table.rows[first], noises)
        return with_logarithms(with_doubted_scales(model, scales, doubted), scales) if takes_scales else model


def mean_derivatives(model: LearnedSCM, rows: Array) -> tuple[Array, Array]:
    """(D, D) mean and mean absolute derivatives between standardized columns over rows (N, D); row = effect."""
    total, absolute = np.zeros((2, rows.shape[1], rows.shape[1]))
    for piece in np.array_split(rows, max(1, len(rows) // PIECE)):
        derivatives = model.jacobian(piece)
        total += derivatives.sum(axis=0)
        absolute += np.abs(derivatives).sum(axis=0)
    return total / len(rows), absolute / len(rows)


def _partial(allowed: Mask, found: ClosedForm, nodes: Order) -> Mask:
    """(D,), nodes that were learned from the first rows only: curves, and those of the network."""
    return np.asarray((found.curved & allowed.any(axis=1)) | np.isin(np.arange(len(allowed)), nodes))
