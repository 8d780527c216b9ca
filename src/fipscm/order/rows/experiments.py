"""What experiments say about the order: what changes comes after what does not, and after what was acted on.

Shapes: N rows, D variables. A column that does not change is no effect of the targets, so it may stand before all that
do. Among those that change, the target comes first: it is told, or it is the one given which the others do not change.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from fipscm.arrays import Array, Mask, Order
from fipscm.order.evidence.interactions import INTERACTIONS
from fipscm.order.evidence.table import normal_scores
from fipscm.significance import log_f_tail
from fipscm.tables.experiments import Comparison, Experiments


@dataclass(frozen=True)
class ExperimentConfig:
    """How experiments are read."""

    fewest_observed: int = 50  # rows without experiments from which the network's statistics are worth reading
    certain: float = 50.0  # log odds of a change that is told; beyond 37, a probability is one in float64
    stable: float = 0.25  # of the columns not acted on, at least so many are taken to be stable
    fewest_tests: int = 8  # from which a quarter of them says how much all rows of an experiment drift


EXPERIMENTS = ExperimentConfig()


class _Tested(NamedTuple):
    """The rows of a comparison (N, D), those of the experiment (N,), and a log p-value of each column's stability."""

    comparison: Comparison
    rows: Array
    inside: Mask
    log_p: Array


def precedence_log_odds(values: Array, experiments: Experiments) -> Array:
    """(D, D), the log odds that the row stands before the column; zero where no experiment tells."""
    odds, tested = np.zeros((values.shape[1], values.shape[1])), []
    for comparison in experiments.comparisons():
        compared = comparison.inside | comparison.reference
        rows, inside = values[compared], comparison.inside[compared]
        basis = _experiment_basis(rows, inside, comparison.fixed)
        if basis.shape[1] > 0 and len(rows) > basis.shape[1] + 1:
            log_p = _log_p_of_dependence(normal_scores(rows), basis)
            tested.append(_Tested(comparison, rows, inside, log_p))
    inflation = _inflation([np.delete(each.log_p, each.comparison.targets) for each in tested])
    for each in tested:
        told = len(each.comparison.targets) > 0
        odds += _told_precedence(each, inflation) if told else _unknown_precedence(each, inflation)
        np.fill_diagonal(odds, -np.inf)
    return odds


def observed_rows(values: Array, experiments: Experiments) -> Mask:
    """(N,), the rows that the network reads: those of the reference, or all of them if these are too few."""
    observed = experiments.observed
    if observed.all():
        return observed
    if observed.sum() < EXPERIMENTS.fewest_observed:
        reason = f"Only {observed.sum()} rows are without experiments, fewer than {EXPERIMENTS.fewest_observed}"
    elif (np.ptp(values[observed], axis=0) == 0).any():
        reason = "Where nothing was set, a column is constant"
    else:
        return observed
    warnings.warn(
        f"{reason}: the order network reads all rows, as if nothing had been set in them.", UserWarning, stacklevel=2
    )
    return np.ones_like(observed)


def changed_mechanisms(values: Array, experiments: Experiments, order: Order) -> Mask:
    """(N, D), true in settings with unknown targets where a column depends on those before it in another way."""
    found = [each for each in experiments.comparisons() if len(each.targets) == 0 and each.reference.any()]
    log_p = np.zeros((len(found), len(order)))
    for row, (inside, reference, _, _) in zip(log_p, found, strict=True):
        rows = values[inside | reference]
        for place, column in enumerate(order):
            row[column] = _log_p_given(rows, inside[inside | reference], column, order[:place])
    changed, inflation = np.zeros(values.shape, dtype=bool), _inflation(list(log_p))
    for row, each in zip(log_p, found, strict=True):
        changed[each.inside] = _log_odds(row / inflation, len(row), each.inside) > 0
    return changed


def _told_precedence(tested: _Tested, inflation: float) -> Array:
    """(D, D), where targets are told."""
    targets, change = tested.comparison.targets, _log_odds(tested.log_p / inflation, len(tested.log_p), tested.inside)
    change[targets] = EXPERIMENTS.certain
    odds = _stable_before_changed(change)
    if len(targets) == 1:
        odds[targets[0]], odds[:, targets[0]] = change, -change
    return odds


def _unknown_precedence(tested: _Tested, inflation: float) -> Array:
    """(D, D), where targets are unknown.

    Of two columns that change, the first is the one given which the other does not, beside all that are stable.
    """
    change = _log_odds(tested.log_p / inflation, len(tested.log_p), tested.inside)
    odds, stable, changed = _stable_before_changed(change), np.flatnonzero(change <= 0), np.flatnonzero(change > 0)
    for place, one in enumerate(changed):
        for other in changed[place + 1 :]:
            given = (one, [other, *stable]), (other, [one, *stable])
            log_p = np.array([_log_p_given(tested.rows, tested.inside, *each) for each in given])
            first = _stable_before_changed(_log_odds(log_p / inflation, len(change), tested.inside))[1, 0]
            odds[one, other] += first
            odds[other, one] -= first
    return odds


def _stable_before_changed(change: Array) -> Array:
    """(D,) log odds of having changed -> (D, D) log odds of the row standing before the column.

    What is stable may stand before what has changed; two of a kind may stand either way round.
    """
    changed = expit(change)
    before = np.outer(1 - changed, changed)
    alike = 1 - before - before.T
    return np.asarray(np.log(before + alike / 2) - np.log(before.T + alike / 2))


def _log_odds(log_p: Array, variables: int, inside: Mask) -> Array:
    """Log odds of a change from log p-values of there being none, of as many variables as given.

    A p-value that is small, even for the smallest of all, speaks for a change. A large one speaks against it, the more
    so the more rows the experiment has: half their logarithm, as in the Bayesian information criterion.
    """
    return np.asarray(-log_p - np.log(variables) - np.log(inside.sum()) / 2)


def _inflation(log_p: Sequence[Array]) -> float:
    """By how much log p-values are too large in size because all rows of an experiment drift; at least one.

    Rows that were measured on another day differ a little in every column. As in genomic control (Devlin and Roeder,
    1999), the columns with the least change show by how much: of so many of them nothing but drift is seen.
    """
    sizes = -np.concatenate([np.zeros(0), *log_p])
    if len(sizes) < EXPERIMENTS.fewest_tests:
        return 1.0
    return max(1.0, float(np.quantile(sizes, EXPERIMENTS.stable) / -np.log1p(-EXPERIMENTS.stable)))


def _experiment_basis(rows: Array, inside: Mask, fixed: np.intp | None) -> Array:
    """(N, K), what a column may depend on: the experiment, and what a target was set to."""
    if fixed is None:
        return _centred_basis(inside[:, None])
    amount = np.where(inside, rows[:, fixed] - rows[inside, fixed].mean(), 0.0)
    return _centred_basis(np.column_stack([inside, amount / max(np.abs(amount).max(), 1e-300)]))


def _centred_basis(design: Array | Mask) -> Array:
    directions, sizes, _ = np.linalg.svd(design - design.mean(axis=0), full_matrices=False)
    return np.asarray(directions[:, sizes > 1e-6])


def _log_p_given(rows: Array, inside: Mask, column: int, given: Sequence[int] | Order) -> float:
    """Log p-value of a column not depending on the experiment, given others."""
    residual = _cubic_residual(rows[:, given], rows[:, column])
    return float(_log_p_of_dependence(normal_scores(residual[:, None]), _centred_basis(inside[:, None]))[0])


def _cubic_residual(x: Array, y: Array) -> Array:
    """(N, P), (N,) -> (N,), of least squares on powers up to the third and products of two; linear if rows are few."""
    rows = np.column_stack([x, y])
    z = np.clip(
        (rows - rows.mean(axis=0)) / np.maximum(rows.std(axis=0), 1e-300), -INTERACTIONS.clip, INTERACTIONS.clip
    )
    x, y = z[:, :-1], z[:, -1]
    first, second = np.triu_indices(x.shape[1])
    design = np.column_stack([np.ones(len(x)), x, x[:, first] * x[:, second], x**3])
    if design.shape[1] > len(x) / 10:
        design = design[:, : 1 + x.shape[1]]
    return np.asarray(y - design @ np.linalg.lstsq(design, y, rcond=None)[0])


def _log_p_of_dependence(scores: Array, basis: Array) -> Array:
    """(N, D), (N, K) -> (D,), log p-values of the level and the spread of each column not depending on the basis.

    Two F-tests, of which the smaller p-value counts.
    """
    explained, freedom = basis.shape[1], len(scores) - basis.shape[1] - 1
    log_p = np.empty((2, scores.shape[1]))
    for test, response in enumerate((scores, np.abs(scores))):
        total = np.maximum(len(response) * response.var(axis=0), 1e-300)
        gain = ((basis.T @ response) ** 2).sum(axis=0)  # the basis is centred
        with np.errstate(divide="ignore"):
            ratio = np.log(gain / explained) - np.log(np.maximum(total - gain, 1e-12 * total) / freedom)
        log_p[test] = log_f_tail(ratio, explained, freedom)
    return np.asarray(np.minimum(log_p.min(axis=0) + np.log(2), 0.0))
