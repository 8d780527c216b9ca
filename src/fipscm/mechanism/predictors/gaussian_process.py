"""Gaussian processes: how smooth a node is, learned by marginal likelihood. Shapes: N rows, P causes.

Two rows z, z' of causes have the prior covariance LEVEL + <z, z'> + signal exp(-|(z - z') relevance|^2 / 2):
a level, a line, and a smooth part with one length scale per cause. Noise comes on top. Without a smooth part the
process is linear regression, so that the evidence of the two says whether a node is curved. A process that is additive
has the average over the causes of such smooth parts of one cause each.
"""

from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

import numpy as np
import torch
from scipy import linalg, optimize

from fipscm.arrays import Array
from fipscm.factorisation import lower_factor

MOST_ROWS = 800  # the time is cubic in their number
_MANY_ROWS, ENOUGH_ROWS = 2_000, 500  # so many tell amplitudes so well that length scales of fewer do as well
LEVEL = 10.0
CURVED = 6.0  # by how much the log evidence of a curve must exceed that of a line: skewed noise may feign a little
STEEPNESS = (1.0, 4.0, 16.0)  # prior standard deviations of slopes: causes that go together may have steep ones
STARTS = (0.1, 0.4, 1.0)  # inverse length scales
FIRST_ROWS, FIRST_STEPS, SUM_STEPS, LAST_STEPS = 250, 20, 10, 20
# A step that gains a smaller share is the last. Where rows are few, evidence is compared; more serve for length scales.
_EXACT, ROUGH = 1e-6, 1e-4
HARDLY_LESS = 3.0  # in log evidence of a few rows: an additive process that lacks more of it is not looked at further
AWAKE = 0.1  # a cause that looks irrelevant to a few rows, or a smooth part that looks absent, gets a second chance
# Logarithms: from almost linear to very rough, from no smooth part to nothing else, from hardly any noise to noise.
ROUGHNESS, SIGNAL, NOISE = (-5.0, 3.0), (-8.0, 6.0), (-12.0, 2.0)


@dataclass(frozen=True)
class Process:
    """What the rows say about a node's smoothness.

    Attributes:
        relevance: (P,) inverse length scales; a small one makes the effect of a cause nearly linear.
        signal: variance of the smooth part.
        noise: variance of the noise.
        evidence: log marginal likelihood of the rows.
        additive: whether the smooth part is a sum of one curve per cause.
    """

    relevance: Array
    signal: float
    noise: float
    evidence: float
    additive: bool = False

    def of(self, causes: list[int]) -> "Process":
        """The same smoothness for some of the causes; its evidence is not known."""
        return replace(self, relevance=self.relevance[causes], evidence=-np.inf)

    def awake(self) -> "Process":
        """A process to learn from: where relevance or signal is nearly zero, so is the slope that would raise it."""
        relevance, signal = np.maximum(self.relevance, AWAKE), max(self.signal, AWAKE)
        return replace(self, relevance=relevance, signal=signal, evidence=-np.inf)

    def evidence_of(self, z: Array, y: Array) -> float:
        """Log marginal likelihood of causes (N, P) and effect (N,), of at most the first MOST_ROWS rows."""
        z, y = z[:MOST_ROWS], y[:MOST_ROWS]
        smooth = _smooth_parts(z * self.relevance, np.log(self.signal), self.additive)
        factor = _factor(reduce(np.add, smooth, _straight(z)), self.noise)
        return -_loss(factor, y, linalg.cho_solve((factor, True), y, check_finite=False))

    @property
    def parameters(self) -> Array:
        """(P + 2,) logarithms."""
        return np.log([*self.relevance, self.signal, self.noise])


def learn_process(
    z: Array, y: Array, start: Process | None = None, spread: Array | None = None, *, roughly: bool = False
) -> Process:
    """Learn from causes (N, P) and effect (N,); at most from the first MOST_ROWS, of many from the first ENOUGH_ROWS.

    Without a start, several are tried on a few rows, which come near in little time; more rows then need few steps.
    What is learned is a sum of parts if its start is. Where noises are uneven, a spread (N,)
    multiplies that of each row. What is learned roughly takes half of the time.
    """
    rows, tolerance = _rows_and_tolerance(len(z))
    tolerance = ROUGH if roughly else tolerance
    uneven = np.ones(len(z)) if spread is None else np.square(spread)
    if start is None:
        few = z[:FIRST_ROWS], y[:FIRST_ROWS], uneven[:FIRST_ROWS]
        tried = [Process(np.full(z.shape[1], roughness), 1.0, 0.2, -np.inf) for roughness in STARTS]
        first = [_climb(*few, process, FIRST_STEPS, tolerance) for process in tried]
        start = max(first, key=lambda process: process.evidence)
    return _climb(z[:rows], y[:rows], uneven[:rows], start.awake(), LAST_STEPS, tolerance)


def simpler_process(joint: Process, z: Array, y: Array) -> Process:
    """An additive process if causes (N, P) and effect (N,) prefer it to the joint one that was learned, else that.

    A few rows mostly see that there is more than a sum.
    """
    rows, tolerance = _rows_and_tolerance(len(z))
    z, y = z[:rows], y[:rows]
    few, same = slice(0, FIRST_ROWS), np.ones(len(z))
    additive = replace(joint.awake(), additive=True)
    additive = _climb(z[few], y[few], same[few], additive, SUM_STEPS, tolerance)
    if additive.evidence + HARDLY_LESS < joint.evidence_of(z[few], y[few]):
        return joint
    additive = _climb(z, y, same, additive.awake(), LAST_STEPS, tolerance)
    return additive if additive.evidence > joint.evidence_of(z, y) else joint


def _rows_and_tolerance(rows: int) -> tuple[int, float]:
    """How many of so many rows to learn from, and how exactly."""
    return (MOST_ROWS if rows < _MANY_ROWS else ENOUGH_ROWS), (_EXACT if rows <= MOST_ROWS else ROUGH)


def _climb(z: Array, y: Array, uneven: Array, start: Process, steps: int, tolerance: float) -> Process:
    """Raise the marginal likelihood of all rows by so many steps, or until one raises it by hardly anything."""
    found = optimize.minimize(
        loss_and_slope,
        start.parameters,
        (z, y, _straight(z), uneven, start.additive),
        method="L-BFGS-B",
        jac=True,
        bounds=[*[ROUGHNESS] * z.shape[1], SIGNAL, NOISE],
        options={"maxiter": steps, "ftol": tolerance},
    )
    *relevance, signal, noise = np.exp(found.x)
    return Process(np.array(relevance), float(signal), float(noise), -float(found.fun), start.additive)


class Line(NamedTuple):
    """The process without a smooth part: variance of the noise, and log marginal likelihood."""

    noise: float
    evidence: float


def learn_line(z: Array, y: Array) -> Line:
    """Learn from causes (N, P) and effect (N,), of at most the first MOST_ROWS rows.

    It needs no more than the singular values of the design, so that P may be zero.
    """
    z, y = z[:MOST_ROWS], y[:MOST_ROWS]
    design = np.column_stack([np.full(len(z), LEVEL**0.5), z])
    vectors, values, _ = linalg.svd(design, full_matrices=False)
    explained = np.square(vectors.T @ y)
    rest = max(float(y @ y - explained.sum()), 0.0)

    def loss(log_noise: float) -> float:
        noise = np.exp(log_noise)
        variances = np.square(values) + noise
        spread = np.log(variances).sum() + (len(y) - len(values)) * log_noise
        return 0.5 * float((explained / variances).sum() + rest / noise + spread + len(y) * np.log(2 * np.pi))

    found = optimize.minimize_scalar(loss, bounds=NOISE, method="bounded")
    return Line(float(np.exp(found.x)), -float(found.fun))


def linear_evidence(z: Array, y: Array) -> float:
    """Log marginal likelihood of the process without a smooth part."""
    return learn_line(z, y).evidence


def is_curved(process: Process, z: Array, y: Array) -> bool:
    """Whether the rows clearly prefer this process to any line, more clearly the more length scales it has.

    Each of them gains half a unit of log evidence by being chosen.
    """
    return process.evidence_of(z, y) > steepest_evidence(z, y) + CURVED + 0.5 * z.shape[1]


def steepest_evidence(z: Array, y: Array) -> float:
    """Log marginal likelihood of the likeliest line, however steep.

    A curve with long length scales is a steep line, and beside a line that may not be steep it would look like a bend.
    """
    return max(linear_evidence(steepness * z, y) for steepness in STEEPNESS)


def _straight(z: Array) -> Array:
    """(N, N), the covariance of the level and the line."""
    return np.asarray(LEVEL + z @ z.T)


@np.errstate(under="ignore")  # rows far apart have no covariance
def loss_and_slope(
    parameters: Array, z: Array, y: Array, straight: Array, uneven: Array, additive: bool = False
) -> tuple[float, Array]:
    """Minus the log marginal likelihood, and its derivatives in the logarithms of relevance, signal and noise.

    The variance of the noise of a row is that of the process times `uneven` (N,).
    All large matrices are symmetric: each is written once, and of the inverse only the lower triangle is.
    """
    rows, causes = z.shape
    relevance, log_signal, noise = np.exp(parameters[:causes]), parameters[-2], np.exp(parameters[-1])
    smooth = _smooth_parts(z * relevance, log_signal, additive)
    factor = _factor(reduce(np.add, smooth, straight), noise * uneven)
    answer = linalg.cho_solve((factor, True), y, check_finite=False)
    loss = _loss(factor, y, answer)
    inverse = linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)[0]
    by_noise = 0.5 * noise * float((uneven * answer) @ answer - uneven @ inverse.diagonal())
    by_relevance, by_signal = np.empty(causes), 0.0
    for part, covariance in zip(_parts(causes, additive), smooth, strict=True):
        # The derivative in a covariance is half of answer x answer - inverse; an entry pulls as far as it is smooth.
        pushed, functions = inverse * covariance.T, np.column_stack([z[:, part], np.ones(rows)])
        below, diagonal = pushed @ functions, pushed.diagonal()
        pull = answer[:, None] * (covariance @ (answer[:, None] * functions))
        squares = np.einsum("np,np->p", functions, pull - 2 * below) + diagonal @ np.square(functions)
        of_row = pull[:, -1] - below[:, -1] - pushed.sum(axis=0) + diagonal
        by_relevance[part] = np.square(relevance[part]) * (squares[:-1] - of_row @ np.square(z[:, part]))
        by_signal += 0.5 * squares[-1]
    return loss, -np.array([*by_relevance, by_signal, by_noise])


def _parts(causes: int, additive: bool) -> list[slice]:
    """The causes of which the smooth parts of the process are functions."""
    return [slice(cause, cause + 1) for cause in range(causes)] if additive else [slice(0, causes)]


def _smooth_parts(near: Array, log_signal: float, additive: bool) -> list[Array]:
    """The covariances (N, N) of the smooth parts between rows (N, P) in units of the length scales."""
    parts = _parts(near.shape[1], additive)
    return [_smooth(near[:, part], log_signal - np.log(len(parts))) for part in parts]


def _factor(covariance: Array, noise: float | Array) -> Array:
    """(N, N), the lower triangular factor of a covariance, which is overwritten, with noise on top."""
    covariance.flat[:: len(covariance) + 1] += noise
    return lower_factor(covariance)


def _loss(factor: Array, y: Array, answer: Array) -> float:
    """Minus the log density of y (N,), given the factor of its covariance and what that makes y of (N,)."""
    return 0.5 * float(y @ answer) + float(np.log(factor.diagonal()).sum()) + float(0.5 * len(y) * np.log(2 * np.pi))


def _smooth(near: Array, log_signal: float) -> Array:
    """(N, P) -> (N, N), the covariance of the smooth part between rows in units of the length scales.

    One product makes all exponents; PyTorch's exponential is twice as fast as NumPy's.
    """
    half, ones = 0.5 * np.square(near).sum(axis=1), np.ones(len(near))
    exponents = np.column_stack([near, -half, ones]) @ np.column_stack([near, ones, log_signal - half]).T
    return torch.from_numpy(exponents).exp_().numpy()
