"""A curve of several causes: one function of all of them, or a sum of functions of one each. Shapes: N rows, P causes.

A function of all causes is known where rows were, and goes anywhere where one cause takes a value that it never had
beside the others. A sum is known wherever each of them was. The rows decide by their marginal likelihood, which also
chooses the length scales: a few hundred rows, of which an exact process learns them, may miss that a cause is curved
in its tail. The waves of `smooth.py` make it possible to ask thousands.
"""

from dataclasses import replace

import numpy as np
import torch
from scipy import linalg, optimize

from fipscm.arrays import Array
from fipscm.factorisation import lower_factor
from fipscm.mechanism.regression.process import LEVEL, NOISE, ROUGHNESS, SIGNAL, Process
from fipscm.mechanism.regression.smooth import Fit, WaveRegression, Waves

MOST_ROWS, MOST_WAVES, WAVES_PER_CAUSE = 2_500, 256, 64  # for length scales
STEPS, TOLERANCE = 20, 1e-4  # of the search; one that gains a smaller share is the last
IN_DOUBT = 1.0  # in log evidence of these rows: curves that lack more of it are not compared on all of them


def fit_curve(z: Array, y: Array, waves: Waves, process: Process, weights: Array | None = None) -> tuple[Process, Fit]:
    """The likelier curve of causes (N, P) and effect (N,), and how smooth it is: as one function, or as a sum.

    Rows may have weights (N,), by which the squares of their errors are multiplied. The search for the smoothness
    begins with the process given. Without waves the curve is a line.
    """
    if not len(waves.phases):
        return process, WaveRegression(z, waves, process, weights).fit(y)
    causes, starts = z.shape[1], [process]
    if causes > 1 and not process.additive:
        starts.append(replace(process, signal=process.signal * causes, additive=True, line=True))
    even = np.ones(len(z)) if weights is None else weights
    few = [_first_rows(z, y, waves, start, even) for start in starts]
    # A start that came from all of its rows may be better than what some of the waves tell.
    known = replace(process, evidence=few[0].evidence_of(process))
    learned = [known, *(rows.learned(start) for rows, start in zip(few, starts, strict=True))]
    highest = max(found.evidence for found in learned)
    likely = [found for found in learned if found.evidence > highest - IN_DOUBT]
    curves = [WaveRegression(z, waves.suited_to(found), found, weights) for found in likely]
    best = int(np.argmax([curve.evidence(y) for curve in curves])) if len(curves) > 1 else 0
    return likely[best], curves[best].fit(y)


def _first_rows(z: Array, y: Array, waves: Waves, process: Process, weights: Array) -> "WaveEvidence":
    """Those that length scales are learned from, with some of the waves."""
    few, causes = slice(0, MOST_ROWS), z.shape[1]
    some = waves.of(list(range(causes)), min(MOST_WAVES, WAVES_PER_CAUSE * causes)).suited_to(process)
    return WaveEvidence(z[few], y[few], some, weights[few], process.line)


class WaveEvidence:
    """How likely rows are under a process, but for what no process changes.

    Of causes (N, P), effect (N,), waves that suit the process, in pairs, and weights (N,) of the rows; and whether it
    has a line.
    """

    def __init__(self, z: Array, y: Array, waves: Waves, weights: Array, line: bool = True) -> None:
        root = np.sqrt(weights)[:, None]
        # A cosine and a sine of each frequency: either is, but for its sign, the slope of the other.
        self._frequencies, self._root, self._z = waves.frequencies[:, ::2].numpy(), root, z
        self._causes, self._target = root * z, root[:, 0] * y
        self._straight = np.hstack([root, self._causes if line else np.zeros_like(z)])

    def evidence_of(self, process: Process) -> float:
        """The log marginal likelihood of the rows under a process."""
        return -self.loss_and_slope(process.parameters)[0]

    def learned(self, start: Process) -> Process:
        """The process under which the rows are the most likely, sought from a start."""
        bounds, options = [*[ROUGHNESS] * len(start.relevance), SIGNAL, NOISE], {"maxiter": STEPS, "ftol": TOLERANCE}
        begin = start.awake().parameters
        found = optimize.minimize(
            self.loss_and_slope, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options
        )
        *lengths, signal, noise = np.exp(found.x)
        return Process(np.array(lengths), float(signal), float(noise), -float(found.fun), start.additive, start.line)

    def loss_and_slope(self, parameters: Array) -> tuple[float, Array]:
        """Minus the log marginal likelihood at the logarithms (P + 2,) of relevance, signal and noise, and its slope.

        With F the functions of the rows, A = F'F + penalties and the coefficients c = A^-1 F'y, the derivative in F is
        F A^-1 - (y - F c) c' / noise; automatic differentiation takes more than twice the time.
        """
        (*_, log_noise), relevance = parameters, np.exp(parameters[:-2])
        signal, noise = np.exp(parameters[-2:])
        pairs, waves = self._frequencies.shape[1], slice(self._straight.shape[1], None)
        angles = torch.from_numpy((self._z * relevance) @ self._frequencies)
        cosines, sines = angles.cos().numpy(), angles.sin().numpy()
        functions = np.hstack([self._straight, self._root * cosines, self._root * sines])
        variances = np.concatenate([[LEVEL], np.ones(len(relevance)), np.full(2 * pairs, signal / pairs)])
        penalties = noise / variances
        gram, common = functions.T @ functions, functions.T @ self._target
        gram.flat[:: len(gram) + 1] += penalties
        factor = lower_factor(gram)
        inverse = linalg.cho_solve((factor, True), np.eye(len(factor)), check_finite=False)
        solution = inverse @ common
        unexplained = float(self._target @ self._target - common @ solution) / noise
        volume = 2 * np.log(factor.diagonal()).sum() - np.log(penalties).sum()
        loss = 0.5 * (unexplained + float(volume) + len(self._target) * log_noise)
        by_penalties = 0.5 * (penalties * (np.square(solution) / noise + inverse.diagonal()) - 1)
        left = (self._target - functions @ solution) / noise
        pull = functions @ inverse[:, waves] - np.outer(left, solution[waves])
        along = self._causes.T @ (cosines * pull[:, pairs:] - sines * pull[:, :pairs])
        by_relevance = relevance * np.einsum("pm,pm->p", self._frequencies, along)
        by_noise = by_penalties.sum() + 0.5 * (len(self._target) - unexplained)
        return loss, np.array([*by_relevance, -by_penalties[waves].sum(), by_noise])
