"""What a model is made of: the settings it was made with, and what it has learned. Shapes: D variables."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, Self

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from fipscm.arrays import Array
from fipscm.constraints import Constraints
from fipscm.directions import with_directions
from fipscm.graph import to_networkx
from fipscm.knowledge import Knowledge
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.overview import acts_on, overview
from fipscm.questions.deviations import Deviations
from fipscm.tables.blocks import Blocks
from fipscm.tables.columns import Columns
from fipscm.tables.training import TrainingTable


class State(BaseEstimator):
    """Settings and fitted attributes, as `FiP` documents them; its other parts are built on this one."""

    order: Sequence[Hashable] | None
    graph: nx.DiGraph | ArrayLike | None
    knowledge: Knowledge | None
    kinds: Mapping[Hashable, str] | None
    keep: Sequence[Hashable]
    group: Hashable | None
    time: Hashable | None
    missing: str
    scale: str
    edges: Literal["posterior", "test", "jacobian"]
    prune: bool
    skip: bool
    noise: Literal["auto", "additive", "location-scale", "monotone"]
    random_state: Any
    n_jobs: int | None
    device: str
    verbose: bool

    columns_: Columns
    _deviations: Deviations
    _table: TrainingTable | None  # None after loading: a saved model does not hold its table
    _library: str  # of the training table: answers come in the same one

    @property
    def kinds_(self) -> dict[Hashable, str]:
        """The kind of each column, by name."""
        check_is_fitted(self, "scm_")
        return self.columns_.kinds

    @property
    def blocks_(self) -> Blocks:
        """How the columns of tables relate to those of the model."""
        check_is_fitted(self, "scm_")
        return Blocks.of(self.columns_)

    @property
    def order_confidence_(self) -> pd.DataFrame:
        """P(row precedes column) over plausible orders, once the model has been assessed."""
        return self._assessed("order_confidence_")[0]

    @property
    def agreement_(self) -> pd.DataFrame:
        """The share of plausible orders under which the row's total effect on the column keeps its sign."""
        return self._assessed("agreement_")[1]

    def _assessed(self, attribute: str) -> tuple[pd.DataFrame, pd.DataFrame]:
        assessment: tuple[pd.DataFrame, pd.DataFrame] | None = getattr(self, "_assessment", None)
        if assessment is None:
            raise AttributeError(f"There is no {attribute} yet: call model.assess() first, which resamples the orders.")
        return assessment

    @property
    def _fitted(self) -> LearnedSCM:
        check_is_fitted(self, "scm_")
        scm: LearnedSCM = self.scm_
        return scm

    @property
    def _constraints(self) -> Constraints:
        return Constraints(self.order, self.graph, self.knowledge or Knowledge())

    @property
    def _raw(self) -> bool:
        return self.scale == "raw"

    def _adopt(self, scm: LearnedSCM) -> Self:
        self.scm_ = scm
        blocks = self.blocks_
        self.feature_names_in_ = np.array(blocks.outer, dtype=object)
        self.n_features_in_ = len(blocks.outer)
        self.causal_order_ = [blocks.outer[column] for column in blocks.outer_order(scm.order)]
        edges, scores = blocks.largest(scm.adjacency), blocks.largest(scm.edge_scores)
        self.adjacency_ = self._named(edges)
        self.edge_scores_ = self._named(scores)
        self.edge_derivatives_ = self._named(blocks.largest(scm.edge_derivatives))
        self.mechanisms_ = overview(scm, blocks)
        self._assessment: tuple[pd.DataFrame, pd.DataFrame] | None = None
        self.graph_ = to_networkx(edges, blocks.outer, weight=blocks.largest(scm.edge_weights), score=scores)
        nx.set_edge_attributes(self.graph_, acts_on(scm, blocks), "acts_on")
        nx.set_node_attributes(self.graph_, self.kinds_, "kind")
        return self

    def _adopt_assessment(self, confidence: Array, agreeing: Array) -> Self:
        self._assessment = self._named(confidence), self._named(agreeing)
        self.graph_ = with_directions(self.graph_, self._assessment[0], self.knowledge)
        return self

    def _named(self, matrix: ArrayLike) -> pd.DataFrame:
        return pd.DataFrame(np.asarray(matrix), list(self.blocks_.outer), list(self.blocks_.outer))


def generator_of(random_state: Any) -> np.random.Generator:
    """A generator from a seed, a generator (used as it is), scikit-learn's random state, or nothing."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)
