from collections.abc import Hashable

import numpy as np

from fipscm.report.document import write_document
from fipscm.report.model import FittedModel
from fipscm.report.page import Report, render
from fipscm.tables.training import TrainingTable

__all__ = ["Report", "build_report"]


def build_report(
    model: FittedModel,
    table: TrainingTable,
    inferred: bool,
    target: Hashable | None,
    rng: np.random.Generator,
) -> Report:
    """A page about a model and a table with codes for levels and no gaps; an `inferred` order must be assessed."""
    return render(write_document(model, table, inferred, target, rng))
