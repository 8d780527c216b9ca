"""Where the variation of a column comes from: Sobol's total indices of the noises behind it.

Each noise in turn is drawn anew while all others stay; half of the mean square of the change that follows is what this
noise contributes to the variance (Jansen's estimator). Shapes: N units, D variables.
"""

from collections.abc import Hashable

import numpy as np
import pandas as pd

from fipscm.graph import descendants
from fipscm.scm.base import SCM

UNITS = 4000


def variation_shares(scm: SCM, target: Hashable, rng: np.random.Generator) -> pd.Series:
    """Of the target and all its causes, the share of the target's variance that their own noise makes; sums to one.

    What noises make only together counts for each of them, before the shares are scaled to sum to one.
    """
    column = scm.names.index(target)
    sources = np.flatnonzero(descendants(scm.adjacency)[:, column] | (np.arange(len(scm.names)) == column))
    noise, fresh = (scm.noise.sample(UNITS, rng) for _ in range(2))
    values = scm.noise_to_sample(noise)[:, column]
    found = {}
    for source in sources:
        redrawn = noise.copy()
        redrawn[:, source] = fresh[:, source]
        found[scm.names[source]] = float(np.square(scm.noise_to_sample(redrawn)[:, column] - values).mean())
    shares = pd.Series(found).sort_values(ascending=False)
    return shares / shares.sum()
