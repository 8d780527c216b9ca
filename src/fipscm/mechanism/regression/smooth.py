"""Smooth regression with automatic relevance: random Fourier features, one length scale per cause.

Shapes: N rows, P causes, M features. y = intercept + z weights + cos((z * relevance) frequencies + phases) amplitudes.
A relevance of zero makes a cause irrelevant, a small one makes its effect nearly linear.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from threadpoolctl import threadpool_limits
from torch import Tensor


@dataclass(frozen=True)
class Effort:
    """How carefully length scales are learned: rows on either side of a split, waves, and steps of descent."""

    rows: int
    waves: int
    steps: int


ROUGH, FINE = Effort(rows=1_500, waves=160, steps=60), Effort(rows=3_000, waves=256, steps=25)


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
        """Draw frequencies and phases."""
        frequencies = torch.randn(causes, features, generator=generator, dtype=torch.float32)
        return cls(frequencies, 2 * torch.pi * torch.rand(features, generator=generator, dtype=torch.float32))

    def first(self, features: int) -> "Waves":
        """Keep only some of the features."""
        return Waves(self.frequencies[:, :features], self.phases[:features])

    def of(self, causes: Tensor) -> "Waves":
        """Keep only some of the causes."""
        return Waves(self.frequencies[causes], self.phases)

    def __call__(self, z: Tensor, relevance: Tensor) -> Tensor:
        """(N, P), (P,) -> (N, M), of unit mean square."""
        return self.cosines(z, relevance) * 2**0.5

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
class Relevance:
    """What the rows say about smoothness: inverse length scales (P,), and the noise's variance over the waves'."""

    inverse_lengths: Tensor
    noise_ratio: float


@dataclass(frozen=True)
class Fit:
    """Weights (P,) of the causes, amplitudes (M,) of the waves, and an intercept."""

    weights: Tensor
    amplitudes: Tensor
    intercept: Tensor


def learn_relevance(
    z: Tensor, y: Tensor, waves: Waves, effort: Effort, generator: torch.Generator, start: Relevance | None = None
) -> Relevance:
    """Choose length scales and noise ratio by gradient descent on the error of held-out rows, drawn anew each step."""
    lengths = z.new_full((z.shape[1],), -1.0) if start is None else start.inverse_lengths.log()
    noise_ratio = z.new_tensor(0.1 if start is None else start.noise_ratio).log()
    parameters = [lengths.clone().requires_grad_(), noise_ratio.requires_grad_()]
    optimizer = torch.optim.Adam(parameters, lr=0.15)
    waves = waves.first(effort.waves)
    half = min(effort.rows, len(z) // 2)
    for _ in range(effort.steps):
        rows = torch.randperm(len(z), generator=generator)[: 2 * half]
        design = _design(z[rows], waves, parameters[0].exp())
        fit = _solve(design[:half], y[rows[:half]], parameters[1].exp(), z.shape[1])
        error = (y[rows[half:]] - design[half:] @ fit[1:] - fit[0]).square().mean()
        optimizer.zero_grad()
        error.log().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        with torch.no_grad():  # from almost linear to very rough; from hardly any noise to hardly anything else
            parameters[0].clamp_(-5.0, 3.0)
            parameters[1].clamp_(-12.0, 6.0)
    return Relevance(parameters[0].detach().exp(), float(parameters[1].detach().exp()))


def fit_waves(z: Tensor, y: Tensor, waves: Waves, relevance: Relevance) -> Fit:
    """Solve for everything that enters linearly, in double precision."""
    design = _design(z, waves, relevance.inverse_lengths).double()
    solution = _solve(design, y.double(), torch.tensor(relevance.noise_ratio).double(), z.shape[1])
    return Fit(solution[1 : z.shape[1] + 1], solution[z.shape[1] + 1 :], solution[0])


def squared_errors(z: Tensor, y: Tensor, waves: Waves, relevance: Relevance, fitted: int) -> Tensor:
    """Fit on the first rows and return the squared errors of all later ones: (N - fitted,)."""
    design = _design(z, waves, relevance.inverse_lengths).double()
    solution = _solve(design[:fitted], y[:fitted].double(), torch.tensor(relevance.noise_ratio).double(), z.shape[1])
    return (y[fitted:].double() - design[fitted:] @ solution[1:] - solution[0]).square()


def _design(z: Tensor, waves: Waves, inverse_lengths: Tensor) -> Tensor:
    return torch.cat([z, waves(z, inverse_lengths)], dim=1)


def _solve(design: Tensor, y: Tensor, noise_ratio: Tensor, causes: int) -> Tensor:
    """Ridge with an intercept, which comes first in the answer; the causes' own weights are hardly penalised."""
    centre, level = design.mean(dim=0), y.mean()
    waves = design.shape[1] - causes
    # The waves share the variance of one function, so each alone is expected to be small.
    penalty = (noise_ratio * waves / len(design)).expand(waves)
    ridge = torch.cat([torch.full((causes,), 1e-6).to(design), penalty])
    solution: Tensor = Ridge.apply(design - centre, y - level, ridge)  # type: ignore[no-untyped-call]
    return torch.cat([(level - centre @ solution)[None], solution])


class Ridge(torch.autograd.Function):
    """The weights (M,) that explain y (N,) by centred columns (N, M) under a penalty (M,) of each.

    The gradient is that of the normal equations (implicit differentiation), which takes products with two vectors; that
    of the Gram matrix and its factorisation would take several products of matrices.
    """

    @staticmethod
    def forward(context: Any, columns: Tensor, y: Tensor, ridge: Tensor) -> Tensor:
        """Solve the normal equations."""
        values = columns.numpy()
        gram = torch.from_numpy(values.T @ values) / len(columns)  # NumPy computes only half of a symmetric product
        factor = torch.linalg.cholesky(gram + torch.diag(ridge))
        solution = torch.cholesky_solve((columns.T @ y / len(columns))[:, None], factor)[:, 0]
        context.save_for_backward(columns, y, factor, solution)
        return solution

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None, Tensor]:
        """Return the derivatives by the columns and by the penalty; those by y are not needed."""
        columns, y, factor, solution = context.saved_tensors
        adjoint = torch.cholesky_solve(gradients[0][:, None], factor)[:, 0]
        left_over = torch.outer(y - columns @ solution, adjoint) - torch.outer(columns @ adjoint, solution)
        return left_over / len(columns), None, -adjoint * solution
