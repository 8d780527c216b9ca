"""Pairs of columns that may share a hidden cause, as far as the order model can tell."""

from collections.abc import Hashable
from dataclasses import dataclass

import pandas as pd

from fipscm.order.classical import hidden_causes as order_model
from fipscm.order.rows.category_scores import with_scores
from fipscm.report.model import FittedModel


@dataclass(frozen=True)
class HiddenCauses:
    """Pairs with the probability of a hidden common cause; `known` is false if the order model does not tell."""

    known: bool
    pairs: tuple[tuple[Hashable, Hashable, float], ...] = ()


def hidden_causes(model: FittedModel, frame: pd.DataFrame) -> HiddenCauses:
    """Ask the order model that comes with the package about a table with codes for levels."""
    columns: list[Hashable] = list(frame.columns)
    categories = [columns.index(name) for name in model.blocks_.levels]
    values, graph = with_scores(frame.to_numpy(), categories), model.adjacency_.loc[columns, columns].to_numpy()
    probabilities = order_model.hidden_causes(values, graph, model.scale == "raw")
    if probabilities is None:
        return HiddenCauses(known=False)
    return HiddenCauses(known=True, pairs=tuple(order_model.suspects(columns, probabilities)))
