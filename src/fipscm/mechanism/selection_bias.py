"""Whether the rows that tell about a column were selected by what it leads to. Shapes: N rows, D variables.

Where cells are missing, a mechanism is best learned from the rows that have the column and its causes. That is right
whatever comes before the column: given its causes, it does not know which rows are left. It is wrong if its own value
or its effects decide: where a cause is missing because the column is large, those that are left are too small.
"""

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.graph import descendants
from fipscm.mechanism.edges.linear_tests import log_p_values
from fipscm.significance import SIGNIFICANCE


def selected_by_outcome(values: Array, holes: Mask, intervened: Mask, causes: Mask) -> Mask:
    """(D,), columns for which it depends on their own values or effects in which rows they or their causes are missing.

    The values (N, D) have numbers in all `holes` (N, D); where a column was `intervened` (N, D) on, its row is not
    looked at. Of causes (D, D), row = effect, column = cause. Everything else that comes before or beside the column is
    taken into account first: what it decides does no harm.
    """
    later, limit = descendants(causes.T) | np.eye(len(causes), dtype=bool), np.log(SIGNIFICANCE / causes.size)
    selected = np.zeros(len(causes), dtype=bool)
    for node in np.flatnonzero((holes | holes @ causes.T).any(axis=0)):
        left_out = holes[:, node] | holes[:, causes[node]].any(axis=1)
        for column in np.flatnonzero(later[node]):
            rows = ~(intervened[:, node] | holes[:, column])
            z = np.column_stack([values[rows, column], values[rows][:, ~later[node]]])
            y = left_out[rows].astype(np.float64)
            if log_p_values(z - z.mean(axis=0), y - y.mean())[0] < limit:
                selected[node] = True
                break
    return selected
