"""From a checked table to a model: its order, its missing cells, its mechanisms. Shapes: N rows, D variables.

What learns needs PyTorch and is imported by the methods that learn: a loaded model answers without it.
"""

import warnings
from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fipscm.arrays import Mask, Order
from fipscm.errors import DataError, KnowledgeError, counted
from fipscm.fip.state import State
from fipscm.graph import allowed_from_order
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.progress import OnProgress, progress_bar, silent, steps_of
from fipscm.questions.deviations import Deviations, draw_deviations
from fipscm.questions.impute import Domain, Imputer
from fipscm.tables.blocks import Blocks
from fipscm.tables.intervened import require_untouched_rows
from fipscm.tables.training import TrainingTable, require_more_rows_than_columns
from fipscm.tables.validate import training_frame

if TYPE_CHECKING:
    from fipscm.order.removal import Removal

ROUNDS = 2  # of solving the regressions again and drawing missing cells anew; a third changes little
SWEEPS_PER_ROUND = 2  # each goes on from the cells of the one before
REDRAWN = 3  # further tables with other values in missing cells, so that intervals know what those leave open


class Learning(State):
    """Learns as the settings say; nothing here changes the model."""

    def _read_order(self, table: TrainingTable, before: Mask | None, on_progress: OnProgress = silent) -> "Removal":
        """The order, and the order model's edges along it where they are asked for."""
        from fipscm.order.inference import zero_shot_order
        from fipscm.order.removal import Removal

        names, edges = list(table.frame.columns), self.edges == "posterior" and self.graph is None
        if self._constraints.fix_the_order and not edges:
            return Removal(self._constraints.given_order(names), None)
        return zero_shot_order(
            table.observed,
            kinds_of(table.blocks),
            self._raw,
            before,
            n_jobs=self.n_jobs,
            intervened=table.experiments,
            on_step=steps_of("Inferring the order", on_progress),
        )

    def _given_precedence(self, table: TrainingTable) -> Mask | None:
        """(D, D), who must stand before whom: all of a given order, or what is known."""
        names = list(table.frame.columns)
        if self._constraints.fix_the_order:
            return allowed_from_order(self._constraints.given_order(names)).T
        return self._precedence(names)

    def _precedence(self, names: Sequence[Hashable]) -> Mask | None:
        """(D, D), who must stand before whom in an inferred order."""
        return None if self.knowledge is None else self.knowledge.precedence(names)

    def _without_holes(self, table: TrainingTable, domain: Domain) -> TrainingTable:
        """The complete rows, or all rows with cells that other columns predict linearly, to begin with."""
        cells, touched = int(table.holes.sum()), np.asarray(table.holes.any(axis=1))
        missing = f"{counted(cells, 'cell')} of {table.holes.size} without a value"
        if self.missing == "drop":
            warnings.warn(f"{missing}: left out {touched.sum()} of {len(touched)} rows.", stacklevel=3)
            kept = training_frame(table.frame[~touched])
            require_more_rows_than_columns(kept)
            require_untouched_rows(table.intervened[~touched], kept)
            clusters = None if table.clusters is None else table.clusters[~touched]
            return TrainingTable.of(kept, table.experiments.at(~touched), table.blocks, clusters)
        from fipscm.order.evidence.fill import fill_linearly

        rows = counted(int(touched.sum()), "row")
        warnings.warn(f"{missing}, in {rows}: filled in by the model.", stacklevel=3)
        return table.with_values(domain.nearest_cells(fill_linearly(table.values), table.holes))

    def _without_changed(self, table: TrainingTable, order: Order) -> TrainingTable:
        """The table, where each mechanism is learned from settings in which it is the same as in the reference."""
        from fipscm.order.evidence.observations import Observations
        from fipscm.order.rows.experiments import changed_mechanisms

        done, names = table.experiments, table.frame.columns
        changed = changed_mechanisms(Observations.of(table.values, kinds_of(table.blocks)).numbers, done, order)
        excluding = table.excluding(changed)
        found = {
            label: [f"'{name}'" for name in names[(changed & excluding.untold)[done.setting == setting].any(axis=0)]]
            for setting, label in enumerate(done.labels)
        }
        told = "; ".join(f"in '{label}' {', '.join(columns)}" for label, columns in found.items() if columns)
        if told:
            warnings.warn(f"Other mechanisms than in the reference, so learned from other rows: {told}.", stacklevel=3)
        return excluding

    def _imputed(
        self, table: TrainingTable, found: "Removal", rng: np.random.Generator, on_progress: OnProgress | None
    ) -> TrainingTable:
        """The table with its missing cells drawn from models that were learned from it, each from the one before.

        With a given graph, no mechanism may need such cells: then they are left as they were filled in linearly.
        """
        from fipscm.mechanism.fit import refit_regressions

        if self.graph is not None:
            causes = self._constraints.allowed(found.order, list(table.frame.columns))
            trusting = _trusting_observed(table, causes)
            if not trusting.reads_holes(causes):
                return trusting
        scm, blocks = self._fit_on(table, found, rng, on_progress=on_progress, provisional=True), table.blocks
        table = _trusting_observed(table, blocks.largest(scm.allowed))
        with self._shown(on_progress) as report:
            for turn in range(ROUNDS):
                report("Filling in missing cells", turn, ROUNDS, "")
                inner = table.expanded
                scm = refit_regressions(scm, inner.frame, inner.untold, int(rng.integers(2**31)))
                imputer = Imputer(scm, Domain.of(blocks.inner_kinds, inner.frame), rng)
                drawn = imputer.redraw(inner.values, inner.holes, SWEEPS_PER_ROUND, inner.intervened)
                table = table.with_values(blocks.decode(inner.with_values(drawn).frame).to_numpy())
            report("Filling in missing cells", ROUNDS, ROUNDS, "")
        return table

    def _shown(self, on_progress: OnProgress | None) -> AbstractContextManager[OnProgress]:
        """Who is told about progress: whoever asked to be, or bars if they are wanted."""
        return progress_bar() if self.verbose and on_progress is None else nullcontext(on_progress or silent)

    def _fit_on(
        self,
        table: TrainingTable,
        found: "Removal",
        rng: np.random.Generator,
        checkpoint: str | Path | None = None,
        on_progress: OnProgress | None = None,
        provisional: bool = False,
    ) -> LearnedSCM:
        import torch

        from fipscm.mechanism.fit import fit_mechanism
        from fipscm.mechanism.fitting.config import MechanismConfig

        names, order, blocks, inner = list(table.frame.columns), found.order, table.blocks, table.expanded
        device = ("cuda" if torch.cuda.is_available() else "cpu") if self.device == "auto" else self.device
        skip = self.skip or provisional
        with self._shown(on_progress) as report:
            return fit_mechanism(
                inner.frame,
                blocks.pairs(self._constraints.allowed(order, names)),
                MechanismConfig(self.edges, self.prune, skip, provisional, self.noise, device=device),
                order=blocks.order(order),
                required=blocks.pairs(self._constraints.required(order, names)),
                prior=None if found.edges is None else blocks.pairs(found.edges.T),
                intervened=inner.untold,
                kinds=list(blocks.inner_kinds.values()),
                blocks=blocks.categories,
                seed=int(rng.integers(2**31)),
                on_progress=report,
                checkpoint=None if checkpoint is None else Path(checkpoint),
            )

    def _deviations_of(self, scm: LearnedSCM, table: TrainingTable, rng: np.random.Generator) -> Deviations:
        """What the table leaves open about the mechanisms, on everything that order and knowledge allow."""
        blocks, inner, redrawn = table.blocks, table.expanded, []
        allowed = self._constraints.allowed(blocks.outer_order(scm.order), blocks.outer)
        if table.reads_holes(allowed):
            imputer = Imputer(scm, Domain.of(blocks.inner_kinds, inner.frame), rng)
            for _ in range(REDRAWN):
                redrawn.append(imputer.redraw(inner.values, inner.holes, SWEEPS_PER_ROUND, inner.intervened))
        return draw_deviations(scm, inner.values, blocks.pairs(allowed), rng, inner.untold, redrawn, table.clusters)

    def _models_on_other_orders(self, count: int, rng: np.random.Generator) -> Iterator[tuple[LearnedSCM, Deviations]]:
        """Models on plausible orders, each with its deviations."""
        if count and self._constraints.fix_the_order:
            raise KnowledgeError("The causal order was given, so no other one is plausible: ask without `orders`.")
        if not count:
            return
        table = self._training_table
        for order in self._draw_orders(count, rng, table):
            scm = self._fit_on(table, self._read_order(table, allowed_from_order(order).T), rng)
            yield scm, self._deviations_of(scm, table, rng)

    def _model_with_first(
        self, first: Hashable, second: Hashable, rng: np.random.Generator
    ) -> tuple[LearnedSCM, Deviations]:
        """A model on the likeliest order in which one column comes before another, with its deviations."""
        table = self._training_table
        names: list[Hashable] = list(table.frame.columns)
        before, known = np.zeros((len(names), len(names)), dtype=np.bool_), self._precedence(names)
        before[names.index(first), names.index(second)] = True
        scm = self._fit_on(table, self._read_order(table, before if known is None else before | known), rng)
        return scm, self._deviations_of(scm, table, rng)

    def _draw_orders(self, count: int, rng: np.random.Generator, table: TrainingTable) -> list[Order]:
        """Orders that the rows make plausible; only the one in use where it was given."""
        from fipscm.order.inference import drawn_orders

        if self._constraints.fix_the_order:
            return [self.blocks_.outer_order(self._fitted.order)]
        before = self._precedence(self.blocks_.outer)
        return drawn_orders(
            table.observed,
            rng,
            kinds_of(table.blocks),
            self._raw,
            before,
            n_jobs=self.n_jobs,
            draws=count,
            intervened=table.experiments,
        )

    @property
    def _training_table(self) -> TrainingTable:
        if self._table is None:
            raise DataError(
                "This needs the training table, which a saved model does not hold: fit on the table again, or call "
                "assess() before saving."
            )
        return self._table


def kinds_of(blocks: Blocks) -> tuple[str, ...]:
    """What each of the D columns is."""
    return tuple(blocks.kinds[name] for name in blocks.outer)


def _trusting_observed(table: TrainingTable, causes: Mask) -> TrainingTable:
    """The table, where each column (D, D causes) is told by rows that have it and its causes, unless those mislead."""
    from fipscm.mechanism.selection import selected_by_outcome

    selected = selected_by_outcome(table.values, table.holes, table.intervened, causes)
    return table.trusting_observed(causes, selected)
