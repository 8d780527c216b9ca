"""What an effect is estimated from without mechanisms: rows, and columns to adjust for. Shapes: N rows, P covariates.

The order and the knowledge say which columns may act on the treatment or the outcome; edges that were weighed away
count all the same, so that a second opinion does not share the mistakes of the first.
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array, Labels, Mask, Order
from fipscm.graph import adjacency_from_allowed, descendants
from fipscm.mechanism.inputs import expanded
from fipscm.mechanism.learned import LearnedSCM
from fipscm.questions.effect import Question, unit_of
from fipscm.tables.kinds import Level
from fipscm.tables.training import TrainingTable


@dataclass(frozen=True)
class Adjustment:
    """Treatment, outcome, and what is held fixed between them.

    Attributes:
        treatment: (N,) its values, as codes where it has levels.
        outcome: (N,) in the unit of the effect: the column itself, or what its levels count.
        covariates: (N, P), a column for each level of a category.
        owners: (P,) which of the `names` each covariate belongs to.
        names: the columns of the table that are adjusted for.
        clusters: (N,), equal in rows that belong together; None if rows are independent.
    """

    treatment: Array
    outcome: Array
    covariates: Array
    owners: Order
    names: tuple[Hashable, ...]
    clusters: Labels | None = None

    @classmethod
    def of(
        cls, question: Question, level: Level | None, scm: LearnedSCM, possible: Mask, table: TrainingTable
    ) -> "Adjustment":
        """Of a table and a model on the order of `scm`, in which edges are `possible` (row = effect).

        Rows count in which treatment and outcome were seen and nothing but the treatment was set. Of a category the
        `level` is looked at.
        """
        names = tuple(table.frame.columns)
        treatment, outcome = names.index(question.treatment), names.index(question.outcome)
        others_set = np.delete(table.intervened, treatment, axis=1).any(axis=1)
        rows = ~(table.holes[:, treatment] | table.untold[:, outcome] | others_set)
        values, levels = table.values[rows], np.array(table.levels)
        held = _ancestors_before(scm.order, possible, treatment, outcome)
        told = values[:, outcome] / unit_of(scm, outcome)
        return cls(
            values[:, treatment],
            (values[:, outcome] == question.place_of(level)).astype(float) if levels[outcome] else told,
            expanded(values[:, held], levels[held]),
            np.repeat(np.arange(len(held)), np.maximum(levels[held], 1)),
            tuple(names[column] for column in held),
            None if table.clusters is None else table.clusters[rows],
        )

    def at(self, rows: Mask) -> "Adjustment":
        """The same of some rows (N,)."""
        clusters = None if self.clusters is None else self.clusters[rows]
        return Adjustment(
            self.treatment[rows], self.outcome[rows], self.covariates[rows], self.owners, self.names, clusters
        )


def _ancestors_before(order: Order, possible: Mask, treatment: int, outcome: int) -> Order:
    """The columns before the treatment that may act on it or on the outcome; none of them is an effect of it."""
    reaches = descendants(adjacency_from_allowed(possible))[:, [treatment, outcome]].any(axis=1)
    place = np.argsort(order)
    return np.flatnonzero(reaches & (place < place[treatment]))
