"""How well mechanisms do on rows that they have not seen. Shapes: N rows, K of them unseen, D variables.

Where rows were held out from a mechanism, its errors there are taken as they are. Where it was solved on all rows, the
error of a row is that of the mechanism solved without it: residual / (1 - leverage).
"""

from collections.abc import Mapping

import numpy as np
from scipy import linalg

from fipscm.arrays import Array, Mask
from fipscm.mechanism.noise.distribution import NARROWEST, log_density
from fipscm.mechanism.regression.linear import leverage
from fipscm.mechanism.regression.process import Process
from fipscm.mechanism.regression.products import products
from fipscm.mechanism.regression.skip import Skip
from fipscm.mechanism.regression.smooth import leverage_of_waves
from fipscm.threads import on_one_thread

HIGHEST_LEVERAGE = 1 - 1e-6  # of one row; what is left beside a higher one is rounding errors


@on_one_thread()
def held_out_scores(
    z: Array, residual: Array, allowed: Mask, skip: Skip, smoothness: Mapping[int, Process], fitted: int, unseen: Mask
) -> tuple[Array, Array]:
    """(D,) shares of variance explained, and (D,) mean log-densities, both of standardized columns (N, D).

    The residuals (N, D) are NaN in rows that do not tell about a column. Mechanisms that are `unseen` (D,) saw the rows
    before `fitted` alone, all others every row. The density of each half of the errors is that of the other half.
    """
    r2, log_likelihood = np.full((2, len(allowed)), np.nan)
    for node, causes in enumerate(allowed):
        known = ~np.isnan(residual[:, node])
        rows, errors = z[known], residual[known, node]
        if len(errors) < 2:
            continue
        mean_pull = 1 / len(errors)
        if not unseen[node] or fitted == len(z):
            errors = left_out(errors, _pull(rows, causes, skip, node, smoothness.get(node)))
        tested = np.arange(len(z))[known] >= (fitted if fitted < len(z) else 0)
        errors = errors[tested]
        about_mean = ((rows[:, node] - rows[:, node].mean()) / (1 - mean_pull))[tested]
        if len(errors) < 2 or not about_mean.any():  # a rare level may not occur in these rows at all
            continue
        r2[node] = 1 - np.square(errors).mean() / np.square(about_mean).mean()
        first, second = errors[::2], errors[1::2]
        densities = log_density(first, second, NARROWEST), log_density(second, first, NARROWEST)
        log_likelihood[node] = np.concatenate(densities).mean()
    return r2, log_likelihood


@on_one_thread()
def worse_than_lines(
    z: Array, residual: Array, allowed: Mask, skip: Skip, smoothness: Mapping[int, Process], unusable: Mask
) -> Mask:
    """(D,), the curves that predict left out rows (N, D) with larger errors than least squares does."""
    worse = np.zeros(len(allowed), dtype=bool)
    for node, process in smoothness.items():
        known, causes = ~unusable[:, node], allowed[node]
        rows, effect = z[known], z[known, node]
        curve = left_out(residual[known, node], _pull(rows, causes, skip, node, process))
        design = np.column_stack([np.ones(len(rows)), rows[:, causes]])
        line = left_out(effect - design @ linalg.lstsq(design, effect)[0], leverage(rows[:, causes]))
        worse[node] = np.square(curve).sum() > np.square(line).sum()
    return worse


def left_out(errors: Array, pull: Array) -> Array:
    """(N,), the errors of rows that are left out, given those of rows that are not, and their leverages."""
    return np.asarray(errors / (1 - np.minimum(pull, HIGHEST_LEVERAGE)))


def _pull(rows: Array, causes: Mask, skip: Skip, node: int, process: Process | None) -> Array:
    """(N,), how far each row pulls its own prediction by the mechanism of a node."""
    if process is not None:
        return leverage_of_waves(rows[:, causes], skip.waves_of(node).suited_to(process), process)
    own = skip.products[skip.products[:, 0] == node, 1:]
    return leverage(np.hstack([rows[:, causes], products(rows, own)]))
