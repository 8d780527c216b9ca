"""Do the model's assumptions hold on this table? Each check is one row: what was tested, the figure, the verdict."""

from collections.abc import Hashable

import numpy as np
import pandas as pd

from fipscm.mechanism.responding import RespondingSCM
from fipscm.questions.findings import CheckResult
from fipscm.questions.model_findings import (
    SUBSAMPLE,
    fit_findings,
    noise_findings,
    size_findings,
    variance_finding,
)
from fipscm.questions.table_findings import (
    dependence_finding,
    orderable_finding,
    serial_findings,
    table_findings,
)
from fipscm.scm.base import SCM

MOST_ROWS = 20_000  # whose noises are compared by their sizes


def check_model(
    scm: SCM, frame: pd.DataFrame, rng: np.random.Generator, scale_in_use: str | None = None, dependence: str = ""
) -> CheckResult:
    """Run every check of a model on a table with its columns.

    `scale_in_use` says on which scale the order was inferred; None if it was given. `dependence` says in words which
    rows of the training table belong together, if that is known.
    """
    serial = [dependence_finding(dependence)] if dependence else list(serial_findings(frame))
    frame = frame.iloc[rng.permutation(len(frame))]  # some checks look at the first rows only, and tables come sorted
    drawn = frame.head(SUBSAMPLE).to_numpy()
    parents = [np.flatnonzero(scm.adjacency[:, column]) for column in range(len(scm.names))]
    exact = [column for column, name in enumerate(scm.names) if name not in _discrete(scm)]
    noise = scm.sample_to_noise(frame.head(MOST_ROWS).to_numpy(), rng)
    return CheckResult(
        (
            *noise_findings(scm.names, scm.sample_to_noise(drawn, rng), drawn, parents, rng),
            *size_findings([scm.names[column] for column in exact], noise[:, exact]),
            *fit_findings(frame, scm.sample(len(frame), rng), rng),
            variance_finding(frame.to_numpy()[:, scm.order], scale_in_use),
            *([orderable_finding(frame.to_numpy())] if scale_in_use == "standardized" else []),
            *serial,
            *table_findings(frame, _discrete(scm)),
        )
    )


def _discrete(scm: SCM) -> list[Hashable]:
    """Columns that the model itself takes for levels or counts."""
    if not isinstance(scm, RespondingSCM):
        return []
    return [name for name, response in zip(scm.names, scm.responses, strict=True) if response.discrete]
