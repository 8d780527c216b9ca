"""What experiments say about the order: a column that changes when another one is set is its effect.

Shapes: N rows, D variables. `intervened` (N, D) is true where a column was set from outside.
"""

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from fipscm.arrays import Array, Mask
from fipscm.mechanism.edges.significance import log_f_tail

FEWEST_OBSERVED = 50  # rows without experiments from which the network's statistics are worth reading


def effect_log_odds(values: Array, intervened: Mask) -> Array:
    """(D, D), the log odds that the row affects the column; zero where no experiment tells.

    Rows in which only one column was set are compared with those in which none was. A p-value that is small, even for
    the smallest of D, speaks for an effect. A large one speaks against it, the more so the more often the column was
    set: half the logarithm of the rows, as in the Bayesian information criterion.
    """
    odds = np.zeros((values.shape[1], values.shape[1]))
    observed, alone = ~intervened.any(axis=1), intervened.sum(axis=1) == 1
    for column in np.flatnonzero(intervened[alone].any(axis=0)):
        was_set = alone & intervened[:, column]
        compared = observed | was_set
        log_p = _log_p_of_change(values[compared], was_set[compared], column)
        if log_p is not None:
            odds[column] = -log_p - np.log(len(log_p)) - np.log(was_set.sum()) / 2
            odds[column, column] = -np.inf
    return odds


def observed_rows(values: Array, intervened: Mask) -> Mask:
    """(N,), the rows that the network reads: those in which nothing was set, or all of them if these are too few."""
    observed = np.asarray(~intervened.any(axis=1))
    if observed.all():
        return observed
    if observed.sum() < FEWEST_OBSERVED:
        reason = f"Only {observed.sum()} rows are without experiments, fewer than {FEWEST_OBSERVED}"
    elif (np.ptp(values[observed], axis=0) == 0).any():
        reason = "Where nothing was set, a column is constant"
    else:
        return observed
    warnings.warn(
        f"{reason}: the order network reads all rows, as if nothing had been set in them.", UserWarning, stacklevel=2
    )
    return np.ones_like(observed)


def rows_by_experiment(intervened: Mask) -> list[NDArray[np.intp]]:
    """The positions of the rows in which the same columns were set, group by group."""
    groups, group_of = np.unique(intervened, axis=0, return_inverse=True)
    return [np.flatnonzero(group_of == group) for group in range(len(groups))]


def _log_p_of_change(values: Array, was_set: Mask, column: int) -> Array | None:
    """(N, D), (N,) -> (D,), log p-values of each column not depending on whether, and to what, one of them was set.

    Its level or its spread may depend on that: two F-tests, on normal scores, which outliers cannot upset. None if
    there is nothing to compare: no row without experiments, and always the same value in those with.
    """
    amount = np.where(was_set, values[:, column] - values[was_set, column].mean(), 0.0)
    design = np.column_stack([was_set, amount / max(np.abs(amount).max(), 1e-300)])
    directions, sizes, _ = np.linalg.svd(design - design.mean(axis=0), full_matrices=False)
    basis = directions[:, sizes > 1e-6]
    explained, freedom = basis.shape[1], len(values) - basis.shape[1] - 1
    if explained == 0 or freedom < 1:
        return None
    scores = stats.norm.ppf((stats.rankdata(values, axis=0) - 0.5) / len(values))
    log_p = np.empty((2, values.shape[1]))
    for test, response in enumerate((scores, np.abs(scores))):
        total = np.maximum(len(response) * response.var(axis=0), 1e-300)
        gain = ((basis.T @ response) ** 2).sum(axis=0)  # the basis is centred
        with np.errstate(divide="ignore"):
            ratio = np.log(gain / explained) - np.log(np.maximum(total - gain, 1e-12 * total) / freedom)
        log_p[test] = log_f_tail(ratio, explained, freedom)
    return np.asarray(np.minimum(log_p.min(axis=0) + np.log(2), 0.0))
