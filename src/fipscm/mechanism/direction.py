"""Which of two variables causes the other, by the likelihood of additive noise. Shapes: N rows, D variables, P causes.

With nonlinear mechanisms only one direction leaves residuals that are independent of the causes, and so the other one
has the lower likelihood; linear Gaussian mechanisms fit both ways equally well.
"""

import numpy as np
import torch
from scipy.signal import fftconvolve
from torch import Tensor

from fipscm.intervention import Array
from fipscm.mechanism.edges import FITTED_SHARE
from fipscm.mechanism.regression import Effort, Waves, errors, learn_relevance

QUICK = Effort(rows=1_000, waves=100, steps=40)
FEATURES = 200
GRID = 2_048


def evidence_of_reversal(z: Tensor, cause: int, effect: int, others: list[int], generator: torch.Generator) -> float:
    """How many standard errors the log-likelihood of unseen rows (N, D) gains if the effect is the cause.

    The others are the further causes of either; none of them may be an effect of the two.
    """
    z = z[torch.randperm(len(z), generator=generator)]
    waves = Waves.draw(len(others) + 1, FEATURES, generator)

    def log_likelihood(node: int, causes: list[int]) -> Array:
        return log_density(_unseen_errors(z[:, causes], z[:, node], waves.of(torch.arange(len(causes))), generator))

    reversed_ = log_likelihood(effect, others) + log_likelihood(cause, [*others, effect])
    gain = reversed_ - log_likelihood(cause, others) - log_likelihood(effect, [*others, cause])
    return float(gain.mean() / max(gain.std() / len(gain) ** 0.5, 1e-300))


def log_density(values: Array) -> Array:
    """(N,) -> (N,), each value's log density by a Gaussian kernel on all the others."""
    rows, spread = len(values), max(float(np.std(values)), 1e-12)
    quartiles = float(np.subtract(*np.percentile(values, [75, 25]))) / 1.349
    width = 0.9 * (min(spread, quartiles) or spread) * rows**-0.2
    low, high = values.min() - 4 * width, values.max() + 4 * width
    step = (high - low) / (GRID - 1)
    place = (values - low) / step
    left, share = np.floor(place).astype(np.intp), place % 1
    counts = np.bincount(left, 1 - share, GRID) + np.bincount(left + 1, share, GRID)
    kernel = np.exp(-0.5 * (np.arange(1 - GRID, GRID) * step / width) ** 2) / (width * np.sqrt(2 * np.pi))
    totals = fftconvolve(counts, kernel)[GRID - 1 : 2 * GRID - 1]
    density = (np.interp(place, np.arange(GRID), totals) - kernel[GRID - 1]) / (rows - 1)
    # Far from all others the kernel says nothing: no single row may decide.
    return np.asarray(np.log(np.maximum(density, 1e-4 / (rows * spread))))


def _unseen_errors(z: Tensor, y: Tensor, waves: Waves, generator: torch.Generator) -> Array:
    """Errors of a smooth regression on causes (N, P), on the rows that it was not fitted on."""
    fitted = int(FITTED_SHARE * len(z))
    if z.shape[1] == 0:
        return np.asarray((y[fitted:] - y[:fitted].mean()).double())
    relevance = learn_relevance(z[:fitted], y[:fitted], waves, QUICK, generator)
    return np.asarray(errors(z, y, waves, relevance, fitted))
