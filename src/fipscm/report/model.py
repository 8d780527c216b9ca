"""What a report asks of a fitted model; `fipscm.FiP` answers all of it."""

from collections.abc import Hashable
from typing import Any, Protocol

import networkx as nx
import pandas as pd

from fipscm.knowledge import Knowledge
from fipscm.mechanism.learned import LearnedSCM
from fipscm.questions.effect import Effect
from fipscm.questions.findings import CheckResult
from fipscm.tables.columns import Columns
from fipscm.tables.kinds import Level


class FittedModel(Protocol):
    """The part of a fitted estimator that a report reads."""

    scale: str
    knowledge: Knowledge | None
    n_jobs: int | None
    causal_order_: list[Hashable]
    adjacency_: pd.DataFrame
    mechanisms_: pd.DataFrame
    scm_: LearnedSCM
    columns_: Columns

    @property
    def order_confidence_(self) -> pd.DataFrame:
        """P(row precedes column), once an inferred order has been assessed."""
        ...

    def to_networkx(self, *, standardized: bool = False) -> nx.DiGraph:
        """The graph, with weights in standard deviations if asked."""
        ...

    def effect(
        self, treatment: Hashable, on: Hashable, treated: Level = ..., control: Level = ..., *, random_state: Any = ...
    ) -> Effect:
        """Average effect with an interval."""
        ...

    def check(self, X: Any, random_state: Any = ...) -> CheckResult:
        """Test the assumptions."""
        ...
