"""From a checked table to a model: its order, its missing cells, its mechanisms. Shapes: N rows, D variables.

What learns needs PyTorch and is imported by the functions that learn: a loaded model answers without it.
"""

import warnings
from collections.abc import Hashable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fipscm.arrays import Array, Mask, Order
from fipscm.errors import KnowledgeError, counted
from fipscm.fip.settings import Settings
from fipscm.graph import allowed_from_order
from fipscm.knowledge import Knowledge
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.progress import OnProgress, progress_bar, silent, steps_of
from fipscm.questions.deviations import Deviations, draw_deviations
from fipscm.questions.impute import Domain, Imputer
from fipscm.tables.intervened import require_untouched_rows
from fipscm.tables.training import TrainingTable, require_more_rows_than_columns
from fipscm.tables.validate import training_frame

if TYPE_CHECKING:
    from fipscm.mechanism.fit import Known
    from fipscm.order.removal import Removal

_ROUNDS = 2  # of learning the mechanisms again and drawing missing cells anew; a third changes little
SWEEPS_PER_ROUND = 2  # each goes on from the cells of the one before
REDRAWN = 3  # further tables with other values in missing cells, so that intervals know what those leave open


class Learned(NamedTuple):
    """What was learned, what the table leaves open about it, the table without holes, and its mechanisms."""

    scm: LearnedSCM
    deviations: Deviations
    table: TrainingTable
    known: "Known"


@dataclass(frozen=True)
class Learning:
    """Learns models of a table as the settings say."""

    settings: Settings
    table: TrainingTable
    rng: np.random.Generator
    on_progress: OnProgress | None = None
    known: "Known | None" = None

    def learn(self, checkpoint: str | Path | None = None) -> Learned:
        """The model of the table, on the order given or inferred."""
        table = self._without_holes() if self.table.holes.any() else self.table
        found = self._order_of(table, self.given_precedence)
        table = self._without_changed(table, found.order)
        if table.holes.any():
            table = self._imputed(table, found)
        return self._learned(table, found, checkpoint)

    def on_other_orders(self, count: int) -> list[Learned]:
        """Models on so many plausible orders."""
        if self.settings.constraints.fix_the_order:
            raise KnowledgeError("The causal order was given, so no other one is plausible: ask without `orders`.")
        given = [allowed_from_order(order).T for order in self.draw_orders(count)]
        return [self._learned(self.table, self._order_of(self.table, before)) for before in given]

    def with_first(self, first: Hashable, second: Hashable) -> Learned:
        """The model on the likeliest order in which one column comes before another."""
        names, known = self._names, self._known_precedence
        before = np.zeros((len(names), len(names)), dtype=np.bool_)
        before[names.index(first), names.index(second)] = True
        return self._learned(self.table, self._order_of(self.table, before if known is None else before | known))

    def draw_orders(self, count: int) -> list[Order]:
        """Orders that the rows make plausible; only the one in use where it was given."""
        from fipscm.order.inference import drawn_orders

        if self.settings.constraints.fix_the_order:
            return [self.settings.constraints.given_order(self._names)]
        return drawn_orders(
            self.table.observed,
            self.rng,
            self.table.kinds,
            self.settings.raw,
            self._known_precedence,
            n_jobs=self.settings.n_jobs,
            draws=count,
            intervened=self.table.experiments,
        )

    @property
    def given_precedence(self) -> Mask | None:
        """(D, D), who must stand before whom: all of a given order, or what is known."""
        if self.settings.constraints.fix_the_order:
            return allowed_from_order(self.settings.constraints.given_order(self._names)).T
        return self._known_precedence

    @property
    def _names(self) -> list[Hashable]:
        return list(self.table.frame.columns)

    @property
    def _known_precedence(self) -> Mask | None:
        knowledge = self.settings.constraints.knowledge
        return None if knowledge == Knowledge() else knowledge.precedence(self._names)

    @property
    def _shown(self) -> AbstractContextManager[OnProgress]:
        """Who is told about progress: whoever asked to be, or bars if they are wanted."""
        is_bar = self.settings.verbose and self.on_progress is None
        return progress_bar() if is_bar else nullcontext(self.on_progress or silent)

    def _order_of(self, table: TrainingTable, before: Mask | None) -> "Removal":
        """The order, and the order model's edges along it where they are asked for."""
        from fipscm.order.inference import zero_shot_order
        from fipscm.order.removal import Removal

        constraints = self.settings.constraints
        edges = self.settings.edges == "posterior" and constraints.graph is None
        if constraints.fix_the_order and not edges:
            return Removal(constraints.given_order(self._names), None)
        return zero_shot_order(
            table.observed,
            table.kinds,
            self.settings.raw,
            before,
            n_jobs=self.settings.n_jobs,
            intervened=table.experiments,
            on_step=steps_of("Inferring the order", self.on_progress or silent),
        )

    def _without_holes(self) -> TrainingTable:
        """The complete rows, or all rows with cells that other columns predict linearly, to begin with."""
        table = self.table
        cells, touched = int(table.holes.sum()), np.asarray(table.holes.any(axis=1))
        missing = f"{counted(cells, 'cell')} of {table.holes.size} without a value"
        if self.settings.missing == "drop":
            warnings.warn(f"{missing}: left out {touched.sum()} of {len(touched)} rows.", stacklevel=4)
            kept = training_frame(table.frame[~touched])
            require_more_rows_than_columns(kept)
            require_untouched_rows(table.intervened[~touched], kept)
            return table.without(touched)
        from fipscm.order.evidence.fill import fill_linearly

        rows = counted(int(touched.sum()), "row")
        warnings.warn(f"{missing}, in {rows}: filled in by the model.", stacklevel=4)
        return table.with_values(_domain(table).nearest_cells(fill_linearly(table.values), table.holes))

    def _without_changed(self, table: TrainingTable, order: Order) -> TrainingTable:
        """The table, where each mechanism is learned from settings in which it is the same as in the reference."""
        from fipscm.order.evidence.observations import Observations
        from fipscm.order.rows.experiments import changed_mechanisms

        done, names = table.experiments, table.frame.columns
        changed = changed_mechanisms(Observations.of(table.values, table.kinds).numbers, done, order)
        excluding = table.excluding(changed)
        found = {
            label: [f"'{name}'" for name in names[(changed & excluding.untold)[done.setting == setting].any(axis=0)]]
            for setting, label in enumerate(done.labels)
        }
        told = "; ".join(f"in '{label}' {', '.join(columns)}" for label, columns in found.items() if columns)
        if told:
            warnings.warn(f"Other mechanisms than in the reference, so learned from other rows: {told}.", stacklevel=4)
        return excluding

    def _imputed(self, table: TrainingTable, found: "Removal") -> TrainingTable:
        """The table with its missing cells drawn from models that were learned from it, each from the one before.

        With a given graph, no mechanism may need such cells: then they are left as they were filled in linearly.
        """
        constraints = self.settings.constraints
        if constraints.graph is not None:
            causes = constraints.allowed(found.order, self._names)
            trusting = _trusting_observed(table, causes)
            if not trusting.reads_holes(causes):
                return trusting
        edges = self._scm(table, found).allowed
        table = _trusting_observed(table, edges)
        with self._shown as report:
            for turn in range(_ROUNDS):
                report("Filling in missing cells", turn, _ROUNDS, "")
                scm = self._scm(table, found, edges=edges)
                table = table.with_values(_redrawn(table, Imputer(scm, _domain(table), self.rng)))
            report("Filling in missing cells", _ROUNDS, _ROUNDS, "")
        return table

    def _learned(self, table: TrainingTable, found: "Removal", checkpoint: str | Path | None = None) -> Learned:
        from fipscm.mechanism.fit import Known

        known = self.known or Known(int(self.rng.integers(2**31)))
        scm = self._scm(table, found, checkpoint, known)
        return Learned(scm, self._deviations(scm, table), table, known)

    def _scm(
        self,
        table: TrainingTable,
        found: "Removal",
        checkpoint: str | Path | None = None,
        known: "Known | None" = None,
        edges: Mask | None = None,
    ) -> LearnedSCM:
        """The SCM on an order; with `edges` (D, D), row = effect, on these alone.

        Unless it shares mechanisms that are `known`, it is a provisional one, to draw missing cells from.
        """
        import torch

        from fipscm.mechanism.config import MechanismConfig
        from fipscm.mechanism.fit import Known, fit_mechanism

        settings, constraints = self.settings, self.settings.constraints
        device = ("cuda" if torch.cuda.is_available() else "cpu") if settings.device == "auto" else settings.device
        provisional = known is None
        skip = settings.skip or provisional
        config = MechanismConfig(
            settings.edges, settings.prune, skip, provisional, settings.noise, device=device, jobs=settings.n_jobs
        )
        with self._shown as report:
            return fit_mechanism(
                table.frame,
                constraints.allowed(found.order, self._names) if edges is None else edges,
                config,
                order=found.order,
                required=constraints.required(found.order, self._names) if edges is None else edges,
                prior=None if found.edges is None else found.edges.T,
                intervened=table.untold,
                kinds=table.kinds,
                levels=table.levels,
                known=known or Known(int(self.rng.integers(2**31))),
                on_progress=report,
                checkpoint=None if checkpoint is None else Path(checkpoint),
            )

    def _deviations(self, scm: LearnedSCM, table: TrainingTable) -> Deviations:
        """What the table leaves open about the mechanisms, on everything that order and knowledge allow."""
        allowed = self.settings.constraints.allowed(scm.order, self._names)
        redrawn = []
        if table.reads_holes(allowed):
            imputer = Imputer(scm, _domain(table), self.rng)
            redrawn = [_redrawn(table, imputer) for _ in range(REDRAWN)]
        return draw_deviations(scm, table.values, allowed, self.rng, table.untold, redrawn, table.clusters)


def _domain(table: TrainingTable) -> Domain:
    return Domain.of(dict(zip(table.frame.columns, table.kinds, strict=True)), table.frame)


def _redrawn(table: TrainingTable, imputer: Imputer) -> Array:
    return imputer.redraw(table.values, table.holes, SWEEPS_PER_ROUND, table.intervened)


def _trusting_observed(table: TrainingTable, causes: Mask) -> TrainingTable:
    """The table, where each column (D, D causes) is told by rows that have it and its causes, unless those mislead."""
    from fipscm.mechanism.selection_bias import selected_by_outcome

    selected = selected_by_outcome(table.values, table.holes, table.intervened, causes)
    return table.trusting_observed(causes, selected)
