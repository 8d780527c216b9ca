"""Whether the rows that tell about a column were selected by its effects. Shapes: N rows, D variables.

Where cells are missing, a mechanism is best learned from the rows that have the column and its causes. That is right
whatever the causes have to do with it: given these, the column does not know which rows are left. It is wrong if its
effects decide: where a cell is missing because an effect is large, those that are left are too small.
"""

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.graph import descendants
from fipscm.mechanism.regression.linear import log_p_values
from fipscm.mechanism.significance import SIGNIFICANCE


def selected_by_effects(values: Array, lacking: Mask, intervened: Mask, causes: Mask) -> Mask:
    """(D,), columns for which the rows that are `lacking` (N, D) depend on what they lead to, given their causes.

    The values (N, D) have no holes; where a column was `intervened` (N, D) on, its row is not looked at. Of causes
    (D, D), row = effect, column = cause.
    """
    effects, limit = descendants(causes.T), np.log(SIGNIFICANCE / causes.size)
    selected = np.zeros(len(causes), dtype=bool)
    for node in np.flatnonzero(lacking.any(axis=0)):
        rows = ~intervened[:, node]
        z, left_out = (table - table.mean(axis=0) for table in (values[rows], lacking[rows, node].astype(np.float64)))
        tests = (np.column_stack([z[:, effect], z[:, causes[node]]]) for effect in np.flatnonzero(effects[node]))
        selected[node] = any(log_p_values(test, left_out)[0] < limit for test in tests)
    return selected
