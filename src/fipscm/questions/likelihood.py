"""How probable rows are under a learned model. Shapes: N rows, D variables."""

import numpy as np
import pandas as pd

from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise import NARROWEST, log_density


def log_likelihood(scm: LearnedSCM, rows: pd.DataFrame) -> pd.Series:
    """(N,) log-densities of rows with the model's columns, in their units: the sum of those of their noises."""
    noise = scm.sample_to_noise(rows.to_numpy())
    densities = [
        log_density(values, known, NARROWEST * scale)
        for values, known, scale in zip(noise.T, scm.noise.ordered.T, scm.scale, strict=True)
    ]
    return pd.Series(np.sum(densities, axis=0), rows.index, name="log_likelihood")
