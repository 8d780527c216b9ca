"""How probable rows are under a learned model. Shapes: N rows, D variables."""

from functools import partial

import numpy as np
import pandas as pd

from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise.distribution import NARROWEST, log_density


def log_likelihood(scm: LearnedSCM, rows: pd.DataFrame) -> pd.Series:
    """(N,) log-densities of rows with the model's columns, in their units: the sum over cells given their causes."""
    values, known = rows.to_numpy(), scm.noise.ordered
    densities = [
        scm.node_log_density(
            node, values, values[:, node], partial(log_density, known=known[:, node], narrowest=NARROWEST * scale)
        )
        for node, scale in enumerate(scm.scale)
    ]
    return pd.Series(np.sum(densities, axis=0), rows.index, name="log_likelihood")
