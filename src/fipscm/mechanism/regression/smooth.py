"""Smooth regression on waves: a Gaussian process for any number of rows. Shapes: N rows, P causes, M waves.

y = intercept + z weights + cos((z * relevance) frequencies + phases) amplitudes. With normally distributed frequencies
the waves have the covariance of the process in `process.py`, up to an error that vanishes as they become many; its
prior variances are the penalties of a ridge regression.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from scipy import linalg
from threadpoolctl import threadpool_limits
from torch import Tensor

from fipscm.arrays import Array
from fipscm.mechanism.regression.process import LEVEL, Process

BLOCK = 8_192  # rows at a time: the waves of a million rows do not fit into memory


@contextmanager
def numpy_on_one_thread() -> Iterator[None]:
    """Limit NumPy's linear algebra to one thread: beside PyTorch's threads, more of them double the time."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield


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

    def of(self, causes: list[int]) -> "Waves":
        """Keep only some of the causes."""
        return Waves(self.frequencies[causes], self.phases)

    def cosines(self, z: Tensor, relevance: Tensor) -> Tensor:
        """(N, P), (P,) -> (N, M), between -1 and 1."""
        return torch.cos(self._angles(z, relevance))

    def slopes(self, z: Tensor, relevance: Tensor, amplitudes: Tensor) -> Tensor:
        """(N, P), the derivatives in z of the sum of the cosines with these amplitudes (M,)."""
        return (-torch.sin(self._angles(z, relevance)) * amplitudes) @ self.frequencies.T * relevance

    def bends(self, z: Tensor, relevance: Tensor, amplitudes: Tensor, along: Tensor) -> Tensor:
        """(N, P), how fast these slopes change along directions (N, P)."""
        speed = (along * relevance) @ self.frequencies
        return (-torch.cos(self._angles(z, relevance)) * speed * amplitudes) @ self.frequencies.T * relevance

    def _angles(self, z: Tensor, relevance: Tensor) -> Tensor:
        return torch.addmm(self.phases, z * relevance, self.frequencies)


@dataclass(frozen=True)
class Fit:
    """What enters linearly: an intercept, weights (P,) of the causes, and amplitudes (M,) of the waves."""

    intercept: float
    weights: Array
    amplitudes: Array


def fit_waves(z: Array, y: Array, waves: Waves, process: Process) -> Fit:
    """The posterior mean of the process, given causes (N, P) and effect (N,)."""
    causes, count = z.shape[1], len(waves.phases)
    size = 1 + causes + count
    gram, target = np.zeros((size, size)), np.zeros(size)
    for design, answers in _blocks(z, y, waves, process):
        gram += design.T @ design
        target += design.T @ answers
    # The waves share the variance of one function; a cosine squared is one half on average.
    variances = np.concatenate([[LEVEL], np.ones(causes), np.full(count, 2 * process.signal / count)])
    gram.flat[:: size + 1] += process.noise / variances
    solution = linalg.solve(gram, target, assume_a="pos", overwrite_a=True, check_finite=False)
    return Fit(float(solution[0]), solution[1 : causes + 1], solution[causes + 1 :])


def predict(z: Array, waves: Waves, process: Process, fit: Fit) -> Array:
    """(N, P) -> (N,)."""
    solution = np.concatenate([[fit.intercept], fit.weights, fit.amplitudes])
    return np.concatenate([design @ solution for design, _ in _blocks(z, np.zeros(len(z)), waves, process)])


def _blocks(z: Array, y: Array, waves: Waves, process: Process) -> Iterator[tuple[Array, Array]]:
    """The columns (B, 1 + P + M) that enter linearly, and the answers (B,), a block of rows at a time."""
    relevance = torch.from_numpy(process.relevance)
    for start in range(0, len(z), BLOCK):
        rows = torch.from_numpy(np.ascontiguousarray(z[start : start + BLOCK]))
        design = torch.cat([torch.ones(len(rows), 1, dtype=torch.float64), rows, waves.cosines(rows, relevance)], dim=1)
        yield design.numpy(), y[start : start + BLOCK]
