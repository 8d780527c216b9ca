"""A curve of several causes: one function of all of them, or a sum of functions of one each. Shapes: N rows, P causes.

A function of all causes is known where rows were, and goes anywhere where one cause takes a value that it never had
beside the others. A sum is known wherever each of them was. The rows decide by their marginal likelihood, which also
chooses the length scales: a few hundred rows, of which an exact process learns them, may miss that a cause is curved
in its tail. The waves of `smooth.py` make it possible to ask thousands.
"""

from dataclasses import replace

import numpy as np
import torch
from scipy import optimize

from fipscm.arrays import Array
from fipscm.mechanism.regression.process import LEVEL, NOISE, ROUGHNESS, SIGNAL, Process
from fipscm.mechanism.regression.smooth import Fit, WaveRegression, Waves

MOST_ROWS, MOST_WAVES, WAVES_PER_CAUSE = 2_500, 256, 64  # for length scales
STEPS, TOLERANCE = 20, 1e-5  # of the search; one that gains a smaller share is the last


def fit_curve(z: Array, y: Array, waves: Waves, process: Process, weights: Array | None = None) -> tuple[Process, Fit]:
    """The likelier curve of causes (N, P) and effect (N,), and how smooth it is: as one function, or as a sum.

    Rows may have weights (N,), by which the squares of their errors are multiplied. The search for the smoothness
    begins with the process given. Without waves the curve is a line.
    """
    if not len(waves.phases):
        return process, WaveRegression(z, waves, process, weights).fit(y)
    even, causes, starts = np.ones(len(z)) if weights is None else weights, z.shape[1], [process]
    if causes > 1 and not process.additive:
        starts.append(replace(process, signal=process.signal * causes, additive=True))
    # A start that came from all of its rows may be better than what some of the waves tell.
    learned = [process, *(_learned(z, y, waves, start, even) for start in starts)]
    curves = [WaveRegression(z, waves.suited_to(found), found, weights) for found in learned]
    best = int(np.argmax([curve.evidence(y) for curve in curves]))
    return learned[best], curves[best].fit(y)


def _learned(z: Array, y: Array, waves: Waves, start: Process, weights: Array) -> Process:
    """The process under which the first rows are the most likely, by some of the waves."""
    few, causes = slice(0, MOST_ROWS), z.shape[1]
    some = waves.of(list(range(causes)), min(MOST_WAVES, WAVES_PER_CAUSE * causes)).suited_to(start)
    rows, target, root = (torch.from_numpy(np.ascontiguousarray(each[few])) for each in (z, y, np.sqrt(weights)))
    straight = torch.column_stack([torch.ones(len(rows), dtype=torch.float64), rows])
    variances = torch.tensor([LEVEL, *[1.0] * causes], dtype=torch.float64)

    def loss_and_slope(parameters: Array) -> tuple[float, Array]:
        at = torch.tensor(parameters, requires_grad=True)
        relevance, signal, noise = torch.exp(at[:-2]), torch.exp(at[-2]), torch.exp(at[-1])
        functions = root[:, None] * torch.column_stack([straight, some.cosines(rows, relevance)])
        share = 2 * signal / len(some.phases)
        penalties = noise / torch.cat([variances, share.expand(len(some.phases))])
        factor = torch.linalg.cholesky(functions.T @ functions + torch.diag(penalties))
        explained = torch.linalg.solve_triangular(factor, (functions.T @ (root * target))[:, None], upper=False)
        unexplained = torch.square(root * target).sum() - torch.square(explained).sum()
        volume = 2 * torch.log(factor.diagonal()).sum() - torch.log(penalties).sum()
        loss = 0.5 * (unexplained / noise + volume + len(rows) * at[-1])
        (slope,) = torch.autograd.grad(loss, at)
        return float(loss.detach()), slope.numpy()

    bounds, options = [*[ROUGHNESS] * causes, SIGNAL, NOISE], {"maxiter": STEPS, "ftol": TOLERANCE}
    begin = start.awake().parameters
    found = optimize.minimize(loss_and_slope, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    *lengths, signal, noise = np.exp(found.x)
    return Process(np.array(lengths), float(signal), float(noise), -np.inf, start.additive)
