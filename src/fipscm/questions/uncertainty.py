"""How far an answer depends on the order. Shapes: N rows, D variables.

The total effects under each plausible order come from least squares on that order with insignificant edges removed:
cheap enough to repeat for many orders, and sufficient to see whether a sign changes.
"""

from collections.abc import Sequence

import numpy as np

from fipscm.arrays import Array, Mask, Order
from fipscm.graph import allowed_from_order
from fipscm.mechanism.edges.linear_tests import eliminate_linear, least_squares
from fipscm.mechanism.edges.usable import usable_rows
from fipscm.significance import SIGNIFICANCE


def total_effects(values: Array, order: Order, possible: Mask | None = None, intervened: Mask | None = None) -> Array:
    """(D, D), row = cause: the change of the effect per unit of the cause, by a linear model on the order.

    Each column is explained where it was not `intervened` (N, D) on.
    """
    spread = values.std(axis=0)
    z = (values - values.mean(axis=0)) / spread
    allowed = allowed_from_order(order) if possible is None else allowed_from_order(order) & possible
    least = np.log(SIGNIFICANCE / values.shape[1] ** 2)
    for effect in np.flatnonzero(allowed.any(axis=1)):
        causes, rows = np.flatnonzero(allowed[effect]), usable_rows(z, effect, intervened)
        # Backwards: beside all others, few rows would miss a cause under one order that they find under another.
        log_p = eliminate_linear(rows[:, causes], rows[:, effect], np.full(len(causes), least))
        allowed[effect, causes] = log_p < least
    identity = np.eye(len(order))
    standardized = np.linalg.inv(identity - least_squares(z, allowed, intervened).T) - identity
    # Without a path, inversion may leave a rounding error, which must not be taken for an effect.
    return np.asarray(np.where(np.abs(standardized) < 1e-12, 0.0, standardized) * spread / spread[:, None])


def agreement(
    values: Array,
    chosen: Order,
    plausible: Sequence[Order],
    possible: Mask | None = None,
    intervened: Mask | None = None,
) -> Array:
    """(D, D), row = cause: the share of plausible orders under which the total effect keeps its sign (or absence)."""
    signs, *others = (np.sign(total_effects(values, order, possible, intervened)) for order in (chosen, *plausible))
    return np.asarray(np.mean([signs == other for other in others], axis=0))
