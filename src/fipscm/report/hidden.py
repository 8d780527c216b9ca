"""Pairs of columns that may share a hidden cause, as far as the order model can tell."""

from collections.abc import Hashable
from dataclasses import dataclass

import pandas as pd

from fipscm.order.zero_shot import zero_shot
from fipscm.report.model import FittedModel


@dataclass(frozen=True)
class HiddenCauses:
    """Pairs with the probability of a hidden common cause; `known` is false if the order model does not tell."""

    known: bool
    pairs: tuple[tuple[Hashable, Hashable, float], ...] = ()


def hidden_causes(model: FittedModel, frame: pd.DataFrame) -> HiddenCauses:
    """Ask the order model about a table."""
    answer = zero_shot(frame, model.scale, model.knowledge, model.n_jobs)
    return HiddenCauses(answer.confounded is not None, tuple(answer.suspects()))
