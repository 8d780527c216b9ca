"""How probable rows are under a learned model. Shapes: N rows, D variables."""

import numpy as np
import pandas as pd

from fipscm.mechanism.learned import LearnedSCM


def log_likelihood(scm: LearnedSCM, rows: pd.DataFrame) -> pd.Series:
    """(N,) log-densities of rows with the model's columns, in their units: the sum over cells given their causes."""
    values = rows.to_numpy()
    densities = [scm.log_density(node, values, values[:, node]) for node in range(len(scm.names))]
    return pd.Series(np.sum(densities, axis=0), rows.index, name="log_likelihood")
