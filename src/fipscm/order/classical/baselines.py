"""Classical causal orders to compare with. Shapes: N rows, D variables. Each takes rows (N, D) and returns an order.

SCORE (Rolland et al., 2022) and NoGAM (Montagna et al., 2023) read leaves off an estimate of the gradient of the log
density; they take memory and time beyond the square of the rows, so both look at a limited number of them.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_solve
from scipy.spatial.distance import pdist, squareform
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import KFold, cross_val_predict

from fipscm.arrays import Array, Order
from fipscm.errors import NotInstalledError
from fipscm.factorisation import inverse, lower_factor

MOST_KERNEL_ROWS = 1000  # the time of a kernel method grows with their cube


def by_variance(rows: Array) -> Order:
    """Sort by variance, smallest first."""
    return np.argsort(rows.var(axis=0), kind="stable")


def by_r2(rows: Array) -> Order:
    """Sort by how well all other variables explain each one linearly, worst first."""
    correlation = np.corrcoef(rows, rowvar=False)
    unexplained = 1 / np.diag(inverse(correlation + 1e-9 * np.eye(len(correlation))))
    return np.argsort(-unexplained, kind="stable")


def direct_lingam(rows: Array) -> Order:
    """DirectLiNGAM of the lingam package."""
    try:
        from lingam import DirectLiNGAM
    except ImportError:
        raise NotInstalledError("DirectLiNGAM needs the lingam package: install fipscm[baselines].") from None
    return np.array(DirectLiNGAM().fit(rows).causal_order_, dtype=np.intp)


def score(rows: Array) -> Order:
    """SCORE: the leaf is the variable whose second derivative of the log density varies least."""
    return _leaf_by_leaf(_thinned(rows), lambda part: int(_stein(part)[1].var(axis=0).argmin()))


def nogam(rows: Array) -> Order:
    """NoGAM: the leaf is the variable whose residual on the others best predicts its derivative of the log density."""
    return _leaf_by_leaf(_thinned(rows), _nogam_leaf)


BASELINES: dict[str, Callable[[Array], Order]] = {
    "variance": by_variance,
    "r2": by_r2,
    "direct-lingam": direct_lingam,
    "score": score,
    "nogam": nogam,
}


def _thinned(rows: Array) -> Array:
    """At most MOST_ROWS of the rows, evenly spread."""
    kept = np.unique(np.linspace(0, len(rows) - 1, MOST_KERNEL_ROWS).astype(int))
    return np.asarray(rows[kept])


def _leaf_by_leaf(rows: Array, find_leaf: Callable[[Array], int]) -> Order:
    remaining, removed = np.arange(rows.shape[1]), []
    while len(remaining) > 1:
        leaf = find_leaf(rows[:, remaining])
        removed.append(remaining[leaf])
        remaining = np.delete(remaining, leaf)
    return np.array([*remaining, *removed[::-1]], dtype=np.intp)


def _stein(rows: Array, ridge: float = 1e-3) -> tuple[Array, Array]:
    """Stein estimates (N, D) of the first and second derivatives of the log density at the rows."""
    distances = pdist(rows)
    width = float(np.median(distances)) ** 2
    kernel = np.exp(-(squareform(distances) ** 2) / (2 * width))
    factor = lower_factor(kernel + ridge * np.eye(len(kernel))), True
    mass, first = kernel.sum(axis=1, keepdims=True), kernel @ rows
    slope = (mass * rows - first) / width
    curvature = (mass * rows**2 - 2 * rows * first + kernel @ rows**2) / width**2 - mass / width
    gradient = -cho_solve(factor, slope)
    return gradient, cho_solve(factor, curvature) - gradient**2


def _nogam_leaf(rows: Array) -> int:
    gradient, _ = _stein(rows)
    errors = []
    for variable in range(rows.shape[1]):
        target, others = rows[:, variable], np.delete(rows, variable, axis=1)
        residual = target - _predicted(others, target)
        errors.append(np.mean((gradient[:, variable] - _predicted(residual[:, None], gradient[:, variable])) ** 2))
    return int(np.argmin(errors))


def _predicted(inputs: Array, target: Array) -> Array:
    """Cross-validated kernel ridge predictions on standardized inputs."""
    scaled = (inputs - inputs.mean(axis=0)) / np.maximum(inputs.std(axis=0), 1e-12)
    model = KernelRidge(alpha=0.01, kernel="rbf", gamma=0.5 / scaled.shape[1])
    predicted: Array = cross_val_predict(model, scaled, target - target.mean(), cv=KFold(3))
    return np.asarray(predicted + target.mean())
