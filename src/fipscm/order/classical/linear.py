"""Orders of linear tables whose noise is not normal (DirectLiNGAM, Shimizu et al. 2011). Shapes: N rows, D variables.

Along the right order, what each column has beyond the columns before it is its noise, and all noises are independent.
A network that has learned from many tables comes close to that order; where rows cannot be told from those of a linear
model along another order, and are likelier along it beyond doubt, that order is the better one.
"""

import math

import numpy as np
import torch
from scipy import linalg
from torch import Tensor

from fipscm.arrays import Array, Order
from fipscm.factorisation import lower_factor
from fipscm.order.classical.gaussian import p_of_correlations, standardized, undetermined

FEWEST_ROWS = 1000  # fewer cannot tell a line from a gentle bend
SIGNIFICANCE = 0.01  # of residuals that depend on each other
DOUBT = 3.0  # standard errors by which the likelihood must rise
LIKE_LINEAR = 0.5  # share of the columns whose residuals must look like noise along the first order
# Hyvarinen's approximation (1998) of the entropy of a standardized variable by two of its moments.
NORMAL_ENTROPY = (1 + math.log(2 * math.pi)) / 2
BY_SIZE, BY_SKEW, NORMAL_SIZE = 79.047, 7.4129, 0.37457


def linear_order(values: Array, order: Order) -> Order | None:
    """The order of a linear model of rows (N, D): the one given, or a likelier one; None if they do not look linear."""
    z = standardized(values)
    if len(z) < FEWEST_ROWS or undetermined(z).shape != z.shape:
        return None
    first = _residuals(z, order)
    like_noise = _p_of_noises(first) > SIGNIFICANCE
    if like_noise.mean() < LIKE_LINEAR:
        return None
    other = direct_order(z)
    noises = _residuals(z, other)
    if _p_of_noises(noises).min() > SIGNIFICANCE:
        gain, error = _gain(first, noises)
        if gain > DOUBT * error:
            return other
    return order if like_noise.all() else None


def direct_order(z: Array) -> Order:
    """Causes first: the column that explains all others best stands first, and is regressed out of them.

    >>> rng = np.random.default_rng(0)
    >>> cause = rng.laplace(size=1000)
    >>> direct_order(np.column_stack([cause + rng.laplace(size=1000), cause])).tolist()
    [1, 0]
    """
    left, remaining, order = torch.from_numpy(z), list(range(z.shape[1])), []
    while len(remaining) > 1:
        left = _standardized(left)
        root = int(_rootness(left).argmax())
        order.append(remaining.pop(root))
        rest = left - torch.outer(left[:, root], left.T @ left[:, root] / len(left))
        left = rest[:, torch.arange(rest.shape[1]) != root]
    return np.array([*order, *remaining], dtype=np.intp)


def _rootness(z: Tensor) -> Tensor:
    """(N, D) -> (D,): by how much likelihoods of pairs speak against a column as an effect (Hyvarinen, Smith 2013)."""
    correlation = z.T @ z / len(z)
    own = _entropies(z)
    # At [i, j]: the entropy of what i has beyond j.
    beyond = torch.stack([_entropies(_standardized(z[:, [i]] - z * correlation[i])) for i in range(z.shape[1])])
    against = (own + beyond) - (own + beyond).T
    return -against.fill_diagonal_(0.0).clamp_max(0.0).square().sum(dim=1)


def _residuals(z: Array, order: Order) -> Array:
    """(N, D), in the order's order: what each column has beyond the columns before it."""
    triangle = lower_factor(z[:, order].T @ z[:, order] / len(z))
    return np.asarray(linalg.solve_triangular(triangle, z[:, order].T, lower=True).T * np.diag(triangle))


def _p_of_noises(residuals: Array) -> Array:
    """(D,) p-values of each residual being independent of all others, by rank correlations of values and sizes."""
    count, size = residuals.shape[1], np.abs(residuals - np.median(residuals, axis=0))
    pairs = ((residuals, residuals), (residuals, size), (size, residuals), (size, size))
    p_values = np.concatenate([p_of_correlations(a, b).reshape(count, -1) for a, b in pairs], axis=1)
    return np.asarray(np.minimum(1.0, p_values.min(axis=1) * p_values.size))


def _gain(first: Array, other: Array) -> tuple[float, float]:
    """By how much the log-likelihood per row rises from the first residuals to the other ones, and its error."""
    one, two = (_log_likelihoods(torch.from_numpy(residuals)) for residuals in (first, other))
    change = (two - one).numpy()
    return float(change.mean()), float(change.std() / len(change) ** 0.5)


def _log_likelihoods(residuals: Tensor) -> Tensor:
    """(N, D) -> (N,): what each row adds to the estimate of minus the entropy of all residuals."""
    scale = residuals.std(dim=0, correction=0)
    u = residuals / scale
    size, skew = _moments(u)
    sizes, skews = size.mean(dim=0) - NORMAL_SIZE, skew.mean(dim=0)
    entropy = NORMAL_ENTROPY - BY_SIZE * sizes.square() - BY_SKEW * skews.square() + scale.log()
    # To first order, a row moves an entropy by how far its own moments are from their means.
    moved = -2 * BY_SIZE * sizes * (size - size.mean(dim=0)) - 2 * BY_SKEW * skews * (skew - skews)
    return -(entropy + moved + (u.square() - 1) / 2).sum(dim=1)


def _entropies(u: Tensor) -> Tensor:
    """(N, D) standardized -> (D,)."""
    size, skew = (moment.mean(dim=0).double() for moment in _moments(u.float()))
    return NORMAL_ENTROPY - BY_SIZE * (size - NORMAL_SIZE).square() - BY_SKEW * skew.square()


def _moments(u: Tensor) -> tuple[Tensor, Tensor]:
    far = u.abs()
    return far + torch.log1p(torch.exp(-2 * far)) - math.log(2), u * torch.exp(-u.square() / 2)


def _standardized(x: Tensor) -> Tensor:
    return (x - x.mean(dim=0)) / x.std(dim=0, correction=0).clamp_min(1e-12)
