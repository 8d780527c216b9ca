"""What is on the screen: a model, its picture, and everything that answers are computed from."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pandas as pd

from fipscm.explore.edits import Changes, Edits
from fipscm.explore.units import Units
from fipscm.knowledge import Knowledge
from fipscm.layout import Layout, layered

if TYPE_CHECKING:
    from fipscm.estimator import FiP


@dataclass(frozen=True)
class Screen:
    """One model and its picture; a refit makes another one.

    Attributes:
        version: counts the models of a session.
        model: the model.
        units: simulated units that all answers share.
        layout: where the graph is drawn.
        changes: how the graph differs from that of the screen before.
        remarks: what the fit warned of.
    """

    version: int
    model: "FiP"
    units: Units
    layout: Layout
    changes: Changes
    remarks: list[str]

    @classmethod
    def of(cls, model: "FiP", table: pd.DataFrame, remarks: list[str], earlier: "Screen | None") -> "Screen":
        """Prepare a model; boxes keep their places of the screen before as far as the new edges permit."""
        units = Units.of(model, table)
        edges = list(model.graph_.edges)
        return cls(
            version=1 if earlier is None else earlier.version + 1,
            model=model,
            units=units,
            layout=layered(model.graph_, None if earlier is None else earlier.layout),
            changes=Changes.between(edges if earlier is None else earlier.model.graph_.edges, edges),
            remarks=remarks,
        )

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The columns of the table."""
        return self.units.names

    def settings(self, edits: Edits) -> dict[str, Any]:
        """The arguments of FiP for a refit that obeys the edits.

        A graph that was given is edited, and an order that was given is kept as far as the edits permit; what was
        inferred is inferred again.
        """
        model = self.model
        given = {**model.get_params(), "knowledge": None if edits.knowledge == Knowledge() else edits.knowledge}
        given["kinds"] = dict(edits.kinds) or None
        if model.graph is not None:
            given["graph"] = edits.applied_to(model.graph_)
        if model.order is not None:
            given["order"] = edits.order_like(model.causal_order_, model.graph_)
        if not isinstance(model.random_state, (int, np.integer)):
            given["random_state"] = 0  # so that the fit can be repeated
        return given

    def given(self) -> dict[str, Any]:
        """The arguments of FiP that make this model, without those that have their usual value."""
        usual = {**type(self.model)().get_params(), "verbose": self.model.verbose}
        given = self.model.get_params()
        if given["graph"] is not None:  # perhaps as an array or a table
            given["graph"] = nx.DiGraph(self.model.graph_.edges)
        return {name: value for name, value in given.items() if usual[name] is not value and usual[name] != value}
