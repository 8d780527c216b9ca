"""Smooth regression on waves: a Gaussian process for any number of rows. Shapes: N rows, P causes, M waves.

y = intercept + z weights + cos((z * relevance) frequencies + phases) amplitudes. With normally distributed frequencies
the waves have the covariance of the process in `process.py`, up to an error that vanishes as they become many; its
prior variances are the penalties of a ridge regression.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from scipy import linalg
from torch import Tensor

from fipscm.arrays import Array
from fipscm.factorisation import lower_factor, solve
from fipscm.mechanism.regression.axes import along_axes
from fipscm.mechanism.regression.process import LEVEL, Process
from fipscm.mechanism.regression.ridge import InFunctions, InRows, is_quicker_in_rows

BLOCK = 8_192  # rows at a time: the waves of a million rows do not fit into memory
MOST_KEPT = 20_000_000  # values of functions that are kept for another fit


@dataclass(frozen=True)
class Waves:
    """Frequencies (P, M), normally distributed, and phases (M,): together they approximate a Gaussian kernel."""

    frequencies: Tensor
    phases: Tensor

    @classmethod
    def draw(cls, causes: int, features: int, generator: torch.Generator) -> "Waves":
        """Draw so many waves, an even number: a cosine and a sine of each frequency.

        The frequencies fill the space evenly (a scrambled Sobol sequence): the kernel's error is smaller than with
        independent ones.
        """
        seed = int(torch.randint(2**31, (), generator=generator))
        engine = torch.quasirandom.SobolEngine(causes, scramble=True, seed=seed)  # type: ignore[no-untyped-call]
        even = engine.draw(features // 2, dtype=torch.float64)
        normal = torch.special.ndtri(even.clamp(1e-9, 1 - 1e-9)).T
        phases = torch.tensor([0.0, -torch.pi / 2], dtype=torch.float64).repeat(features // 2)
        return cls(normal.repeat_interleave(2, dim=1), phases)

    def of(self, causes: list[int], count: int | None = None) -> "Waves":
        """Keep only some of the causes, and so many of the waves, an even number."""
        return Waves(self.frequencies[causes, :count], self.phases[:count])

    def suited_to(self, process: Process) -> "Waves":
        """The same waves; of an additive process, each of one cause alone: together they approximate it."""
        if not process.additive:
            return self
        return Waves(torch.from_numpy(along_axes(self.frequencies.numpy())), self.phases)

    def cosines(self, z: Tensor, relevance: Tensor) -> Tensor:
        """(N, P), (P,) -> (N, M), between -1 and 1."""
        return torch.cos(self.angles(z, relevance))

    def slopes(self, z: Tensor, relevance: Tensor, amplitudes: Tensor) -> Tensor:
        """(N, P), the derivatives in z of the sum of the cosines with these amplitudes (M,)."""
        return (-torch.sin(self.angles(z, relevance)) * amplitudes) @ self.frequencies.T * relevance

    def bends(self, z: Tensor, relevance: Tensor, amplitudes: Tensor, along: Tensor) -> Tensor:
        """(N, P), how fast these slopes change along directions (N, P)."""
        speed = (along * relevance) @ self.frequencies
        return (-torch.cos(self.angles(z, relevance)) * speed * amplitudes) @ self.frequencies.T * relevance

    def angles(self, z: Tensor, relevance: Tensor) -> Tensor:
        """(N, P), (P,) -> (N, M)."""
        return torch.addmm(self.phases, z * relevance, self.frequencies)


@dataclass(frozen=True)
class Fit:
    """What enters linearly: an intercept, weights (P,) of the causes, and amplitudes (M,) of the waves."""

    intercept: float
    weights: Array
    amplitudes: Array


def fit_waves(z: Array, y: Array, waves: Waves, process: Process) -> Fit:
    """The posterior mean of the process, given causes (N, P) and effect (N,)."""
    size = 1 + z.shape[1] + len(waves.phases)
    if is_quicker_in_rows(len(z), size):
        return WaveRegression(z, waves, process).fit(y)
    gram, target = np.zeros((size, size)), np.zeros(size)
    for start in range(0, len(z), BLOCK):
        functions = _functions(z[start : start + BLOCK], waves, process)
        gram += functions.T @ functions
        target += functions.T @ y[start : start + BLOCK]
    solution = _solved(gram, target, z.shape[1], process)
    return Fit(float(solution[0]), solution[1 : z.shape[1] + 1], solution[z.shape[1] + 1 :])


class WaveRegression:
    """Rows of causes (N, P), factored once: any number of effects of the same rows is then fitted fast.

    Rows may have weights (N,), by which the squares of their errors are multiplied. Without waves it is a line.
    """

    def __init__(self, z: Array, waves: Waves, process: Process, weights: Array | None = None) -> None:
        self._z, self._waves, self._process = z, waves, process
        size = 1 + z.shape[1] + len(waves.phases)
        self._kept = list(self._computed()) if len(z) * size <= MOST_KEPT else None
        penalties = _penalties(size, z.shape[1], process)
        self._ridge: InRows | InFunctions
        if is_quicker_in_rows(len(z), size):
            self._ridge = InRows(np.vstack([functions for _, functions in self._blocks()]), penalties, weights)
        else:
            self._ridge = InFunctions(self._blocks, penalties, weights)

    def fit(self, y: Array) -> Fit:
        """The posterior mean of the process, given an effect (N,)."""
        causes, solution = self._z.shape[1], self._ridge.coefficients(y)
        return Fit(float(solution[0]), solution[1 : causes + 1], solution[causes + 1 :])

    def evidence(self, y: Array) -> float:
        """Log marginal likelihood of an effect (N,), but for what no process changes."""
        noise, unexplained = self._process.noise, self._ridge.unexplained(y)
        return -0.5 * (unexplained / noise + self._ridge.volume + len(y) * float(np.log(noise)))

    def predict(self, fit: Fit) -> Array:
        """(N,), what a fit says about these rows."""
        solution = np.concatenate([[fit.intercept], fit.weights, fit.amplitudes])
        return np.concatenate([functions @ solution for _, functions in self._blocks()])

    def _blocks(self) -> Iterable[tuple[slice, Array]]:
        return self._computed() if self._kept is None else self._kept

    def _computed(self) -> Iterator[tuple[slice, Array]]:
        for start in range(0, len(self._z), BLOCK):
            block = slice(start, start + BLOCK)
            yield block, _functions(self._z[block], self._waves, self._process)


def predict(z: Array, waves: Waves, process: Process, fit: Fit) -> Array:
    """(N, P) -> (N,)."""
    solution = np.concatenate([[fit.intercept], fit.weights, fit.amplitudes])
    pieces = (z[start : start + BLOCK] for start in range(0, len(z), BLOCK))
    return np.concatenate([_functions(piece, waves, process) @ solution for piece in pieces])


def predict_halves(z: Array, y: Array, waves: Waves, process: Process, spread: Array | None = None) -> Array:
    """(N, P), (N,) -> (N,), each half of the rows as the other half predicts it; rows may have a spread (N,) of noise.

    The rows must be few enough for all their waves at once: what fits one half predicts the other.
    """
    functions, half = _quick_functions(z, waves, process), len(y) // 2
    if spread is not None:  # rows of equal noise, from functions to predictions
        functions, y = functions / spread[:, None], y / spread
    first, second = slice(0, half), slice(half, None)
    predicted = np.empty(len(y))
    for seen, unseen in ((first, second), (second, first)):
        gram, target = functions[seen].T @ functions[seen], functions[seen].T @ y[seen]
        predicted[unseen] = functions[unseen] @ _solved(gram, target, z.shape[1], process)
    return predicted if spread is None else predicted * spread


def leverage_of_waves(z: Array, waves: Waves, process: Process) -> Array:
    """(N, P) -> (N,), how far each row pulls its own prediction, if `fit_waves` is given all of them."""
    functions = _functions(z, waves, process)
    penalties = _penalties(functions.shape[1], z.shape[1], process)
    if is_quicker_in_rows(*functions.shape):
        return InRows(functions, penalties, None).leverage()
    gram = functions.T @ functions
    gram.flat[:: len(gram) + 1] += penalties
    root = lower_factor(gram)
    return np.asarray(np.square(linalg.solve_triangular(root, functions.T, lower=True)).sum(axis=0))


def _functions(z: Array, waves: Waves, process: Process) -> Array:
    """(N, P) -> (N, 1 + P + M), what enters linearly: one, the causes (zeros if there is no line), the waves."""
    functions = torch.empty(len(z), 1 + z.shape[1] + len(waves.phases), dtype=torch.float64)
    rows = torch.from_numpy(np.ascontiguousarray(z))
    functions[:, 0] = 1
    functions[:, 1 : 1 + z.shape[1]] = rows if process.line else 0
    torch.cos(waves.angles(rows, torch.from_numpy(process.relevance)), out=functions[:, 1 + z.shape[1] :])
    return functions.numpy()


def _quick_functions(z: Array, waves: Waves, process: Process) -> Array:
    """(N, P) -> (N, 1 + P + M), the same in another order, the waves in single precision.

    That takes half of the time. Their rounding errors are no errors of the fit: they belong to the functions fitted.
    """
    angles = ((z * process.relevance) @ waves.frequencies[:, ::2].numpy()).astype(np.float32)
    causes, pairs = z.shape[1], angles.shape[1]
    functions = np.empty((len(z), 1 + causes + 2 * pairs))
    functions[:, 0] = 1
    functions[:, 1 : 1 + causes] = z if process.line else 0
    functions[:, 1 + causes : 1 + causes + pairs] = np.cos(angles)
    functions[:, 1 + causes + pairs :] = np.sin(angles)
    return functions


def _solved(gram: Array, target: Array, causes: int, process: Process) -> Array:
    """(1 + P + M,), the coefficients of what enters linearly; the gram matrix is overwritten."""
    gram.flat[:: len(gram) + 1] += _penalties(len(gram), causes, process)
    return solve(gram, target)


def _penalties(size: int, causes: int, process: Process) -> Array:
    """(1 + P + M,), the variance of the noise over that of each coefficient.

    The waves share the variance of one function; a cosine squared is one half on average.
    """
    count = size - 1 - causes
    return process.noise / np.concatenate(
        [[LEVEL], np.ones(causes), np.full(count, 2 * process.signal / max(count, 1))]
    )
