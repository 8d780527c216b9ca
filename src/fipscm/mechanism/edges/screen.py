"""Which causes could matter at all: F-tests in models that are linear in a growing basis.

Shapes: N rows, D variables, M basis functions, P causes of one node.
The basis has four levels (the columns, their squares, bumps of each column, products of two columns) and uses as many
as the rows can determine. One factorisation per node and level gives the tests of all its causes.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, stats

from fipscm.arrays import Array, Mask, Order
from fipscm.factorisation import inverse, solve
from fipscm.mechanism.edges.linear_tests import eliminate_linear
from fipscm.mechanism.edges.usable import usable_rows
from fipscm.significance import log_f_tail
from fipscm.threads import on_one_thread

BUMPS = 8  # per column: enough for a curve that turns a few times
MOST_FUNCTIONS = 2_000  # the cost is cubic in their number
_MOST_ROWS = 10_000  # on which functions are evaluated; straight lines are tested on all
_MOST_LEVELS = 3  # beyond the linear one
ROWS_PER_FUNCTION = 5  # at least, so that the remaining error can be estimated


@dataclass(frozen=True)
class Screening:
    """Evidence before any network is trained, all as logarithms of p-values.

    Attributes:
        linear: (D, D) of the least-squares t-test; row = effect, column = cause.
        dependence: (D, D) of the strongest test over the levels, corrected for their number.
        curvature: (D,) of the node's mechanism being linear.
    """

    linear: Array
    dependence: Array
    curvature: Array


@dataclass(frozen=True)
class _Basis:
    """Functions (N, M) of unit variance, the columns (M, 2) each one reads, and their correlations (M, M)."""

    values: Array
    reads: NDArray[np.intp]
    correlations: Array

    @classmethod
    def of(cls, values: Array, reads: NDArray[np.intp]) -> "_Basis":
        centred = values - values.mean(axis=0)
        unit = centred / np.maximum(centred.std(axis=0), 1e-12)
        return cls(unit, reads, unit.T @ unit / len(unit))


@on_one_thread()
def screen(z: Array, allowed: Mask, limits: Array, unusable: Mask | None = None) -> Screening:
    """Test every allowed cause of every node on standardized columns (N, D), on rows not `unusable` (N, D) for it.

    The rows are in random order: the first of them stand for all where there are very many.
    The limits (D, D) are the log p-values below which linear causes survive elimination.
    """
    variables = z.shape[1]
    linear, dependence, curvature = (
        np.zeros((variables, variables)),
        np.zeros((variables, variables)),
        np.zeros(variables),
    )
    shared = _levels(z[:_MOST_ROWS], np.arange(variables))
    straight = []
    for node in np.flatnonzero(allowed.any(axis=1)):
        causes, rows = np.flatnonzero(allowed[node]), usable_rows(z, node, unusable)
        # All levels of all columns serve every node; if the rows do not suffice for that, a node's own causes may do.
        few = rows[:_MOST_ROWS]
        levels = shared if rows is z and len(shared) == _MOST_LEVELS else _levels(few, causes)
        straight += [] if levels else [node]
        linear[node, causes] = eliminate_linear(rows[:, causes], rows[:, node], limits[node, causes])
        dependence[node, causes] = linear[node, causes]
        for level in levels:
            grouped, joint = _group_tests(level, few, node, causes)
            dependence[node, causes] = np.minimum(dependence[node, causes], grouped + np.log(len(levels) + 1))
            curvature[node] = min(curvature[node], joint + np.log(len(levels)))
    if straight:
        warnings.warn(
            f"{len(z)} rows of {variables} columns do not suffice to test {len(straight)} of them for curvature, so "
            "that their mechanisms are fitted as straight lines: use more rows, or fewer columns.",
            UserWarning,
            stacklevel=3,
        )
    return Screening(linear, np.minimum(dependence, 0), np.minimum(curvature, 0))


def log_p_of_structure(causes: Array, residual: Array) -> float:
    """Log p-value of a residual (N,) not depending on the causes (N, P), beyond a line; zero where rows are too few."""
    columns = np.arange(causes.shape[1])
    rows = np.column_stack([causes, residual])
    levels = _levels(rows, columns)
    joint = [_group_tests(level, rows, len(columns), columns)[1] for level in levels]
    return float(min(0.0, min(joint, default=0.0) + np.log(max(1, len(levels)))))


def _levels(z: Array, columns: Order) -> list[_Basis]:
    """The bases of these columns (N, D) beyond the linear one for which there are enough rows, from small to large."""
    rows, count = len(z), len(columns)
    most = min(MOST_FUNCTIONS, rows // ROWS_PER_FUNCTION)
    first, second = np.triu_indices(count, 1)
    if 2 * count > most:
        return []
    # Normal scores of ranks: with heavy tails most bumps would be empty, and a few rows would dominate the products.
    scores = stats.norm.ppf((stats.rankdata(z[:, columns], axis=0) - 0.5) / rows)
    alone = np.column_stack([columns, columns])
    # A weak bend that squares tell is lost among the many bumps.
    bases = [_Basis.of(np.hstack([z[:, columns], np.square(scores)]), np.vstack([alone, alone]))]
    if count * (BUMPS + 1) > most:
        return bases
    centres = np.linspace(-2.2, 2.2, BUMPS)  # 97 % of normal scores lie between
    bumps = np.exp(-0.5 * ((scores[:, :, None] - centres) / (centres[1] - centres[0])) ** 2).reshape(rows, -1)
    values, reads = np.hstack([z[:, columns], bumps]), np.vstack([alone, np.repeat(alone, BUMPS, axis=0)])
    bases.append(_Basis.of(values, reads))
    if count * (BUMPS + 1) + len(first) <= most:
        products = scores[:, first] * scores[:, second]
        together = np.column_stack([columns[first], columns[second]])
        bases.append(_Basis.of(np.hstack([values, products]), np.vstack([reads, together])))
    return bases


def _group_tests(basis: _Basis, z: Array, node: int, causes: Order) -> tuple[Array, float]:
    """Log p-values of each cause's functions (P,), and of everything beyond the linear part."""
    usable = np.isin(basis.reads, causes).all(axis=1)
    reads, rows, count = basis.reads[usable], len(z), int(usable.sum())
    covariance = inverse(basis.correlations[np.ix_(usable, usable)] + 1e-7 * np.eye(count))
    straight = linalg.lstsq(z[:, causes], z[:, node], cond=1e-12)[0]
    residual = z[:, node] - z[:, causes] @ straight
    unexplained = max(float(residual @ residual) / rows, 1e-24)
    projection = basis.values[:, usable].T @ residual / rows
    error = max(unexplained - float(projection @ covariance @ projection), 1e-12 * unexplained)
    freedom = rows - count - 1
    extra = count - len(causes)
    joint = float(_log_f_test((unexplained - error) / error, extra, freedom))
    coefficients = covariance @ projection
    coefficients[: len(causes)] += straight
    grouped = np.empty(len(causes))
    for place, cause in enumerate(causes):
        own = (reads == cause).any(axis=1)
        drop = coefficients[own] @ solve(covariance[np.ix_(own, own)], coefficients[own])
        grouped[place] = _log_f_test(drop / error, own.sum(), freedom)
    return grouped, joint


def _log_f_test(gain: float, functions: int, freedom: int) -> Array:
    """Log p-value of a gain, in units of the error that remains, by so many functions."""
    with np.errstate(divide="ignore"):
        return log_f_tail(np.log(np.maximum(gain, 0.0) * freedom / functions), functions, freedom)
