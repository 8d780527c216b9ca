"""Which of the curved mechanisms are sums of curves, one of each cause. Shapes: N rows, D variables."""

from collections.abc import Mapping

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.mechanism.regression.process import Process, simpler_process
from fipscm.mechanism.regression.usable import uncentred_rows
from fipscm.threads import on_one_thread


@on_one_thread()
def with_sums(
    z: Array, allowed: Mask, curved: Mask, smoothness: Mapping[int, Process], unusable: Mask
) -> dict[int, Process]:
    """The smoothness of each node, where that of curved ones (D,) is that of a sum if the rows prefer it.

    The rows are standardized (N, D), those that are `unusable` (N, D) for a node are left out. A sum is known wherever
    its causes were seen one by one, also where no row has them together: there an intervention leads.
    """
    found = dict(smoothness)
    for node in np.flatnonzero(curved & (allowed.sum(axis=1) > 1)).tolist():
        rows = uncentred_rows(z, node, unusable)
        found[node] = simpler_process(smoothness[node], rows[:, allowed[node]], rows[:, node])
    return found
