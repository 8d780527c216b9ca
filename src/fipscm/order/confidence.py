"""How sure an order is of each pair: the shares of drawn orders, for what they are worth. Shapes: N rows, D variables.

A share of drawn orders is no probability: a network that errs about a table errs in most of its draws. How much a share
is worth depends on what the table is like, and was learned from simulated tables: the log odds of a share times `TRUST`
are the log odds of being right.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, logit

from fipscm.arrays import Array, Mask, Order
from fipscm.graph import descendants
from fipscm.order.inference import precedence_shares
from fipscm.order.network.encoder import WORLDS
from fipscm.order.readings import first_look

# By scale and what the table is like: `python benchmarks/order.py trust`, rounded. Discrete tables, of which it saw too
# few edges to tell, have the mean of the others, weighed by their edges.
TRUST = {
    "standardized": {
        "linear-gaussian": 1.0,
        "additive": 1.0,
        "location-scale": 1.0,
        "post-nonlinear": 0.8,
        "discrete": 1.0,
    },
    "raw": {
        "linear-gaussian": 1.1,
        "additive": 1.0,
        "location-scale": 0.8,
        "post-nonlinear": 0.4,
        "discrete": 0.8,
    },
}


def confidence(
    values: Array, orders: Sequence[Order], raw: bool = False, before: Mask | None = None, is_set: bool = False
) -> Array:
    """(D, D): the probability that the row stands before the column, from orders that were drawn for rows (N, D).

    What is known (`before`) stays certain, and so do experiments (`is_set`), which decide whatever the table is like.
    """
    shares = precedence_shares(orders)
    world = None if is_set else first_look(values, raw)[1]
    if world is None:
        return shares
    calibrated = expit(trust(world, raw) * log_odds(shares, len(orders)))
    # Of three tiers the first stands before the last, too.
    known = np.zeros(shares.shape, dtype=bool) if before is None else descendants(before)
    return np.where(known | known.T | np.eye(len(shares), dtype=bool), shares, calibrated)


def trust(world: Array, raw: bool) -> float:
    """What log odds of a share are worth in a table that is of each of the worlds with such a probability."""
    slopes = TRUST["raw" if raw else "standardized"]
    return float(world @ [slopes[name] for name in WORLDS])


def log_odds(shares: Array, draws: int) -> Array:
    """Of shares of so many draws; none is certain.

    >>> log_odds(np.array([0.5, 1.0]), 20).round(1).tolist()
    [0.0, 3.7]
    """
    return np.asarray(logit((shares * draws + 0.5) / (draws + 1)))
