"""Where the variation of a column comes from: Sobol's total indices of the noises behind it.

Each noise in turn is drawn anew while all others stay; half of the mean square of the change that follows is what this
noise contributes to the variance (Jansen's estimator). Of a category, the variances of its levels' shares are added.
Shapes: N units, D columns, E noises.
"""

from collections.abc import Hashable

import numpy as np
import pandas as pd

from fipscm.graph import descendants
from fipscm.report.model import FittedModel

_UNITS = 4000


def variation_shares(model: FittedModel, target: Hashable, rng: np.random.Generator) -> pd.Series:
    """Of the target and all its causes, the share of the target's variance that their own noise makes; sums to one.

    What noises make only together counts for each of them, before the shares are scaled to sum to one.
    """
    scm = model.scm_
    place = scm.names.index(target)
    reach = descendants(scm.adjacency)[:, place]
    noise, fresh = (scm.noise.sample(_UNITS, rng) for _ in range(2))
    rows, found = scm.noise_to_sample(noise), {}
    for source, name in enumerate(scm.names):
        if reach[source] or source == place:
            redrawn, own = noise.copy(), scm.noise_place(source)
            redrawn[:, own] = fresh[:, own]
            changed = scm.recomputed(rows, redrawn, scm.on_the_way([source], [place]))
            before, after = (scm.measured(place, each[:, place]) for each in (rows, changed))
            found[name] = float(np.square(after - before).sum(axis=1).mean())
    shares = pd.Series(found).sort_values(ascending=False)
    return shares / shares.sum()
