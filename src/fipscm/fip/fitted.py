"""A fitted model: what was learned from a table, and what is needed to ask it. Shapes: D variables."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import networkx as nx
import pandas as pd
from numpy.typing import NDArray

from fipscm.arrays import Array
from fipscm.directions import with_directions
from fipscm.errors import DataError
from fipscm.fip.settings import Settings
from fipscm.graph import to_networkx
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.trial import Trial
from fipscm.questions.deviations import Deviations
from fipscm.tables.columns import Columns
from fipscm.tables.training import TrainingTable

if TYPE_CHECKING:  # brings PyTorch along
    from fipscm.mechanism.fit import Known


@dataclass(frozen=True)
class Assessment:
    """How far answers depend on the order.

    Attributes:
        order_confidence: (D, D), P(row precedes column).
        agreement: (D, D), in how many of the plausible orders the row's total effect on the column has the same sign.
    """

    order_confidence: Array
    agreement: Array


@dataclass(frozen=True)
class Fitted:
    """A model of a table.

    Attributes:
        settings: how it was learned.
        columns: what the columns of the table are.
        scm: the order, the edges and the mechanisms.
        deviations: what the table leaves open about them.
        table: what it was learned from; None after loading, since a saved model does not hold its table.
        library: of the training table: answers come in the same one.
        assessment: None until the model has been assessed.
        known: mechanisms of the table, which models on other orders share; None after loading.
    """

    settings: Settings
    columns: Columns
    scm: LearnedSCM
    deviations: Deviations
    table: TrainingTable | None
    library: str
    assessment: Assessment | None = None
    known: "Known | None" = None

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The D columns."""
        return self.scm.names

    @property
    def kinds(self) -> tuple[str, ...]:
        """(D,) what they are."""
        return tuple(self.columns.kinds[name] for name in self.names)

    @property
    def causal_order(self) -> list[Hashable]:
        """Column names, causes first."""
        return [self.names[column] for column in self.scm.order]

    @property
    def indicators(self) -> list[Hashable]:
        """(E,) the columns, with the levels of a category in its place: whose noises, and whose averages."""
        return [each for name in self.names for each in self.columns.indicators(name)]

    @property
    def training_table(self) -> TrainingTable:
        """What the model was learned from, or a DataError."""
        if self.table is None:
            raise DataError(
                "This needs the training table, which a saved model does not hold: fit on the table again, or call "
                "assess() before saving."
            )
        return self.table

    @cached_property
    def graph(self) -> nx.DiGraph:
        """The edges, with what is known about each."""
        scm = self.scm
        graph = to_networkx(scm.adjacency, self.names, weight=scm.edge_weights, score=scm.edge_scores)
        for effect, mechanism in zip(self.names, scm.mechanisms, strict=True):
            for cause, part in zip(mechanism.causes, mechanism.acts_on, strict=True):
                graph.edges[self.names[cause], effect]["acts_on"] = part
        nx.set_node_attributes(graph, self.columns.kinds, "kind")
        if self.assessment is None:
            return graph
        return with_directions(graph, self.named(self.assessment.order_confidence), self.settings.constraints.knowledge)

    @property
    def standardized_graph(self) -> nx.DiGraph:
        """The graph, with weights in standard deviations; of a category in those of its liveliest level."""
        graph = self.graph.copy()
        spread = {name: float(self.scm.spread(node).max()) for node, name in enumerate(self.names)}
        for cause, effect, data in graph.edges(data=True):
            data["weight"] *= spread[cause] / spread[effect]
        return graph

    @property
    def mechanisms(self) -> pd.DataFrame:
        """One row per column: its causes, and what its mechanism says of itself."""
        rows = [
            {"causes": [self.names[cause] for cause in mechanism.causes], **mechanism.describe()}
            for mechanism in self.scm.mechanisms
        ]
        return pd.DataFrame(rows, index=list(self.names))

    @property
    def selection(self) -> pd.DataFrame:
        """One row per candidate that was tried for a column."""
        return pd.DataFrame(self.scm.trials, columns=Trial._fields)

    def named(self, matrix: NDArray[Any]) -> pd.DataFrame:
        """(D, D) -> a frame with the names of the columns on both sides."""
        return pd.DataFrame(matrix, list(self.names), list(self.names))
