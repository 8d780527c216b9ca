from collections.abc import Hashable

import numpy as np
import pandas as pd

from fipscm.report.document import write_document
from fipscm.report.model import FittedModel
from fipscm.report.page import Report, render

__all__ = ["Report", "build_report"]


def build_report(
    model: FittedModel,
    frame: pd.DataFrame,
    confidence: pd.DataFrame | None,
    target: Hashable | None,
    rng: np.random.Generator,
) -> Report:
    """A page about a model and a table with its columns; `confidence` is None if the causal order was given."""
    return render(write_document(model, frame, confidence, target, rng))
