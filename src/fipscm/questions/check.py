"""Do the model's assumptions hold on this table? Each check is one row: what was tested, the figure, the verdict."""

from collections.abc import Hashable

import numpy as np
import pandas as pd

from fipscm.arrays import Array
from fipscm.mechanism.inputs import expanded
from fipscm.mechanism.learned import LearnedSCM
from fipscm.questions.findings import CheckResult
from fipscm.questions.known_levels import category_sizes
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

_MOST_ROWS = 20_000  # whose noises are compared by their sizes


def check_model(
    scm: SCM, frame: pd.DataFrame, rng: np.random.Generator, scale_in_use: str | None = None, dependence: str = ""
) -> CheckResult:
    """Run every check of a model on a table with its columns.

    `scale_in_use` says on which scale the order was inferred; None if it was given. `dependence` says in words which
    rows of the training table belong together, if that is known.
    """
    serial = [dependence_finding(dependence)] if dependence else list(serial_findings(frame))
    frame = frame.iloc[rng.permutation(len(frame))]  # some checks look at the first rows only, and tables come sorted
    columns, discrete = range(len(scm.names)), _discrete(scm)
    levels = category_sizes(scm) if isinstance(scm, LearnedSCM) else np.zeros(len(scm.names), dtype=np.intp)
    numbers = [column for column in scm.order if not levels[column]]
    exact = [column for column in columns if scm.names[column] not in discrete]
    drawn = frame.head(SUBSAMPLE).to_numpy()
    parents = [np.flatnonzero(scm.adjacency[:, column]) for column in columns]
    causes = [expanded(drawn[:, each], levels[each]) for each in parents]
    noises, more = (_by_column(scm, frame.head(rows).to_numpy(), rng) for rows in (SUBSAMPLE, _MOST_ROWS))
    inputs = expanded(frame.to_numpy(), levels)
    return CheckResult(
        (
            *noise_findings(scm.names, noises, causes, rng),
            *size_findings(
                [scm.names[column] for column in exact],
                np.hstack([more[0][:, :0], *(more[column] for column in exact)]),
            ),
            *fit_findings(frame, scm.sample(len(frame), rng), levels, rng),
            variance_finding(frame.to_numpy()[:, numbers], scale_in_use),
            *([orderable_finding(inputs)] if scale_in_use == "standardized" else []),
            *serial,
            *table_findings(frame, discrete),
        )
    )


def _by_column(scm: SCM, rows: Array, rng: np.random.Generator) -> list[Array]:
    """(N, W) the noises of each column behind rows (N, D)."""
    noise, places = scm.sample_to_noise(rows, rng), range(len(scm.names))
    if isinstance(scm, LearnedSCM):
        return [noise[:, scm.noise_place(column)].reshape(len(rows), -1) for column in places]
    return [noise[:, [column]] for column in places]


def _discrete(scm: SCM) -> list[Hashable]:
    """Columns that the model itself takes for levels, counts or amounts with zeros."""
    if not isinstance(scm, LearnedSCM):
        return []
    return [name for name, each in zip(scm.names, scm.mechanisms, strict=True) if each.response.discrete]
