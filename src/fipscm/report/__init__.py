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
    inferred: bool,
    target: Hashable | None,
    rng: np.random.Generator,
) -> Report:
    """A page about a model and a table with its columns; an `inferred` order must have been assessed."""
    return render(write_document(model, frame, inferred, target, rng))
