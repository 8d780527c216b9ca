"""How probable rows are under a learned model. Shapes: N rows, D variables, K quantiles."""

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from scipy.stats import iqr, norm, t

from fipscm.arrays import Array
from fipscm.mechanism.learned import LearnedSCM

QUANTILES = 500  # stand for all noises of a column: more change the density little
NARROWEST = 1e-9  # of a column's standard deviation: the width of a noise that is always the same


def log_likelihood(scm: LearnedSCM, rows: pd.DataFrame) -> pd.Series:
    """(N,) log-densities of rows with the model's columns, in their units: the sum of those of their noises."""
    noise = scm.sample_to_noise(rows.to_numpy())
    densities = [
        log_density(values, known, NARROWEST * scale)
        for values, known, scale in zip(noise.T, scm.noise.ordered.T, scm.scale, strict=True)
    ]
    return pd.Series(np.sum(densities, axis=0), rows.index, name="log_likelihood")


def log_density(values: Array, known: Array, narrowest: float) -> Array:
    """(N,) log-densities of values where known ones (M,) were seen: normal kernels on their quantiles.

    Of M + 1 values one is taken to be unlike all the others and to follow a wide Student's t, so that the density is
    positive everywhere.
    """
    count = len(known)
    spread = max(float(known.std()), narrowest)
    # Silverman's rule; more than half of a column's noises may be equal.
    width = max(0.9 * min(spread, float(iqr(known)) / 1.34 or spread) * count**-0.2, narrowest)
    centres = np.quantile(known, (np.arange(QUANTILES) + 0.5) / QUANTILES)
    seen = np.concatenate(
        [
            logsumexp(norm.logpdf(part[:, None], centres, width), axis=1)
            for part in np.array_split(values, len(values) // 10_000 + 1)
        ]
    )
    unlike = t.logpdf(values, 3, known.mean(), 3 * spread)
    shares = np.log([count / (count + 1) / QUANTILES, 1 / (count + 1)])
    return np.asarray(np.logaddexp(shares[0] + seen, shares[1] + unlike))
