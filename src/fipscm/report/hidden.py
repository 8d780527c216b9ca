"""Pairs of columns that may share a hidden cause, as far as the order model can tell."""

from collections.abc import Hashable
from dataclasses import dataclass

import pandas as pd

from fipscm.order.category_scores import with_scores
from fipscm.order.weights import shipped_encoder, tells_hidden_causes
from fipscm.order.zero_shot import zero_shot
from fipscm.report.model import FittedModel


@dataclass(frozen=True)
class HiddenCauses:
    """Pairs with the probability of a hidden common cause; `known` is false if the order model does not tell."""

    known: bool
    pairs: tuple[tuple[Hashable, Hashable, float], ...] = ()


def hidden_causes(model: FittedModel, frame: pd.DataFrame) -> HiddenCauses:
    """Ask the order model that comes with the package about a table with codes for levels."""
    if not tells_hidden_causes(shipped_encoder()):
        return HiddenCauses(known=False)
    categories = [model.blocks_.outer.index(name) for name in model.blocks_.levels]
    readable = pd.DataFrame(with_scores(frame.to_numpy(), categories), frame.index, frame.columns)
    answer = zero_shot(readable, model.scale, model.knowledge, model.n_jobs)
    return HiddenCauses(known=True, pairs=tuple(answer.suspects()))
