"""Kernel tests of independence and of equal distributions, with p-values over all shuffles. Shapes: N rows."""

import numpy as np
from scipy import stats

from fipscm.arrays import Array
from fipscm.metrics import gaussian_kernel

SHUFFLES = 300  # enough to estimate a skewness
DOUBTFUL = (1e-9, 0.05)  # p-values for which a better approximation may change the verdict


def dependence(first: Array, second: Array, rng: np.random.Generator) -> tuple[float, float]:
    """Hilbert-Schmidt independence criterion of (N, ...) samples, normalised to [0, 1], with a permutation p-value."""
    left, right = _centred_kernel(first), _centred_kernel(second)
    observed, p_value = _permutation_test(left, right, rng)
    return observed / float(np.sqrt((left**2).sum() * (right**2).sum())), p_value


def discrepancy(first: Array, second: Array, rng: np.random.Generator) -> tuple[float, float]:
    """Squared maximum mean discrepancy of two (N, D) samples, with a permutation p-value."""
    sides = np.repeat([1.0 / len(first), -1.0 / len(second)], [len(first), len(second)])
    return _permutation_test(_centred_kernel(np.concatenate([first, second])), np.outer(sides, sides), rng)


def _centred_kernel(sample: Array) -> Array:
    kernel = gaussian_kernel(sample, reference=sample)
    return np.asarray(kernel - kernel.mean(axis=0) - kernel.mean(axis=1, keepdims=True) + kernel.mean())


def _permutation_test(left: Array, right: Array, rng: np.random.Generator) -> tuple[float, float]:
    """The sum of the products of two centred kernels (N, N), and the chance of a larger one when rows are shuffled.

    Mean and variance over all shuffles are known exactly; a gamma distribution with both gives the p-value. Its tail is
    too light, so small p-values are computed again, with the skewness of some shuffles (Pearson's type III).
    """
    observed, (mean, variance) = float((left * right).sum()), _moments_over_shuffles(left, right)
    p_value = stats.gamma.sf(observed, mean**2 / variance, scale=variance / mean)
    if DOUBTFUL[0] < p_value < DOUBTFUL[1]:
        orders = (rng.permutation(len(left)) for _ in range(SHUFFLES))
        shuffled = [float((left * right[np.ix_(order, order)]).sum()) for order in orders]
        p_value = stats.pearson3.sf(observed, stats.skew(shuffled), mean, variance**0.5)
    return observed, float(p_value)


def _moments_over_shuffles(left: Array, right: Array) -> tuple[float, float]:
    """Mean and variance of the sum of products over all orders of the rows of one kernel (Kazi-Aoual et al., 1995)."""
    n = len(left)
    traces = [(np.trace(kernel), (kernel**2).sum(), (np.diag(kernel) ** 2).sum()) for kernel in (left, right)]
    mean = traces[0][0] * traces[1][0] / (n - 1)
    spread = np.prod([(n - 1) * squares - trace**2 for trace, squares, _ in traces])
    uneven = np.prod([n * (n + 1) * own - (n - 1) * (trace**2 + 2 * squares) for trace, squares, own in traces])
    variance = 2 * spread / ((n - 1) ** 2 * (n + 1) * (n - 2)) + uneven / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    return float(mean), float(variance)
