"""How sure an order is of each pair: the shares of drawn orders, for what they are worth. Shapes: D variables.

A share of drawn orders is no probability: a network that errs about a table errs in most of its draws. The log odds of
a share times `CALIBRATION_SLOPE` are the log odds of being right.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, logit

from fipscm.arrays import Array, Mask, Order
from fipscm.graph import descendants
from fipscm.order.inference import precedence_shares

# The likeliest slope for the certain pairs of 34 measured tables, each table counting once: `fipscm bench measured`
# has the confidence told (with a slope of 0.5) and whether it was right in its lines.
CALIBRATION_SLOPE = 0.4


def confidence(orders: Sequence[Order], before: Mask | None = None, is_set: bool = False) -> Array:
    """(D, D): the probability that the row stands before the column, from orders that were drawn for a table.

    What is known (`before`) stays certain, and so do experiments (`is_set`), which decide whatever the network says.
    """
    shares = precedence_shares(orders)
    if is_set:
        return shares
    calibrated = expit(CALIBRATION_SLOPE * log_odds(shares, len(orders)))
    # Of three tiers the first stands before the last, too.
    known = np.zeros(shares.shape, dtype=bool) if before is None else descendants(before)
    return np.where(known | known.T | np.eye(len(shares), dtype=bool), shares, calibrated)


def log_odds(shares: Array, draws: int) -> Array:
    """Of shares of so many draws; none is certain.

    >>> log_odds(np.array([0.5, 1.0]), 20).round(1).tolist()
    [0.0, 3.7]
    """
    return np.asarray(logit((shares * draws + 0.5) / (draws + 1)))
