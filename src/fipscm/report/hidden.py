"""Pairs of columns that may share a hidden cause, as far as the order model can tell."""

from collections.abc import Hashable
from dataclasses import dataclass

import pandas as pd

from fipscm.order.classical import hidden_causes as order_model
from fipscm.order.evidence.observations import Observations
from fipscm.report.model import FittedModel


@dataclass(frozen=True)
class HiddenCauses:
    """Pairs with the probability of a hidden common cause; `known` is false if the order model does not tell."""

    known: bool
    pairs: tuple[tuple[Hashable, Hashable, float], ...] = ()


def hidden_causes(model: FittedModel, frame: pd.DataFrame) -> HiddenCauses:
    """Ask the order model that comes with the package about a table with codes for levels."""
    columns: list[Hashable] = list(frame.columns)
    kinds = [model.blocks_.kinds[name] for name in columns]
    rows, graph = Observations.of(frame.to_numpy(), kinds), model.adjacency_.loc[columns, columns].to_numpy()
    probabilities = order_model.hidden_causes(rows, graph, model.scale == "raw")
    if probabilities is None:
        return HiddenCauses(known=False)
    return HiddenCauses(known=True, pairs=tuple(order_model.suspects(columns, probabilities)))
