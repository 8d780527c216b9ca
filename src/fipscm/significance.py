"""How sure a test is: the level that all tests share, and tail probabilities that never underflow.

Scores of edges are compared and ranked, so they must stay finite and ordered however strong the evidence is.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from fipscm.arrays import Array

if TYPE_CHECKING:
    from torch import Tensor

# P-values are corrected for the number of tests: of a hundred graphs without edges, about one gets a false edge.
SIGNIFICANCE = 0.01


def log_f_tail(log_ratio: ArrayLike, numerator: ArrayLike, denominator: ArrayLike) -> Array:
    """Log of the probability that an F-distributed variable exceeds exp(log_ratio), with these degrees of freedom.

    The tail is a regularised incomplete beta function. Where it underflows, the leading term of its continued fraction
    is used, whose relative error is small there.

    >>> round(float(log_f_tail(np.log(4.0), 1, 100)), 6) == round(float(stats.f.logsf(4.0, 1, 100)), 6)
    True
    >>> bool(log_f_tail(20.0, 1, 10_000) > log_f_tail(21.0, 1, 10_000) > -np.inf)
    True
    """
    log_ratio, first, second = np.broadcast_arrays(
        *(np.asarray(v, dtype=np.float64) for v in (log_ratio, numerator, denominator))
    )
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        exact = np.log(special.fdtrc(first, second, np.exp(log_ratio)))
    a, b = second / 2, first / 2
    log_odds = log_ratio + np.log(first / second)
    log_x, log_rest = -np.logaddexp(0.0, log_odds), -np.logaddexp(0.0, -log_odds)
    with np.errstate(under="ignore"):
        growth = np.minimum((a + b) / (a + 1) * np.exp(log_x), 1 - 1e-12)
    leading = a * log_x + b * log_rest - np.log(a) - special.betaln(a, b) - np.log1p(-growth)
    return np.asarray(np.where(np.isfinite(exact), exact, np.minimum(leading, 0.0)))


def log_p_of_correction(errors: Array, correction: Array) -> float:
    """One-sided log p-value of a correction (N,) being of no use against errors (N,), both of unseen rows.

    If it is of none, the errors lean its way by chance alone. The sum of their products over the root of the sum of its
    squares is then standard normal, however unequal or heavy-tailed the errors are. The errors must lean its way by
    more than a quarter: a cause of no use may still mend a little of what the waves cannot follow.
    """
    agreement = correction * (errors - correction / 4)
    size = float(np.sqrt(np.square(agreement).sum()))
    return float(stats.norm.logsf(agreement.sum() / max(size, 1e-300)))


def log_p_of_gain(gains: "Tensor") -> float:
    """One-sided log p-value of the mean gain (N,) being above zero."""
    # Squared errors have heavy tails: without a bound, a handful of rows would decide alone.
    bound = gains.abs().quantile(0.95)
    bounded = gains.clamp(-bound, bound)
    mean, error = float(bounded.mean()), float(bounded.std()) / len(bounded) ** 0.5
    # Gains that are all equal have no standard error: the statistic is bounded by a billion.
    return float(stats.norm.logsf(mean / max(error, 1e-9 * abs(mean), 1e-300)))


def scores_from_log_p(log_p: Array, variables: int) -> Array:
    """-log10 of p-values, corrected for all pairs of variables, and at least zero: scores compare across nodes."""
    return np.asarray(np.maximum(-(log_p + 2 * np.log(variables)) / np.log(10), 0.0))
