"""Which of the curved mechanisms have a line beside their waves. Shapes: N rows, D variables."""

from collections.abc import Mapping

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.mechanism.regression.process import MOST_ROWS, Process, without_line
from fipscm.mechanism.regression.usable import count_usable, uncentred_rows
from fipscm.threads import on_one_thread


@on_one_thread()
def with_lines_in_doubt(
    z: Array, allowed: Mask, curved: Mask, smoothness: Mapping[int, Process], unusable: Mask
) -> dict[int, Process]:
    """The smoothness of each node, where that of curved ones (D,) has no line if the rows are likelier without.

    The rows are standardized (N, D), those that are `unusable` (N, D) for a node are left out. More than a few rows
    tell the slopes of a line so well that it does no harm.
    """
    found, few = dict(smoothness), count_usable(z, unusable) <= MOST_ROWS
    for node in np.flatnonzero(curved & few & allowed.any(axis=1)).tolist():
        rows = uncentred_rows(z, node, unusable)
        found[node] = without_line(smoothness[node], rows[:, allowed[node]], rows[:, node])
    return found
