"""Each half of some rows as the other half predicts it, by random features. Shapes: N rows, P causes, M features."""

from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Array
from fipscm.factorisation import solve
from fipscm.mechanism.predictors.fourier import drawn_frequencies
from fipscm.mechanism.predictors.gaussian_process import LEVEL, Process


@dataclass(frozen=True)
class Features:
    """Frequencies (P, M / 2) of cosines and sines."""

    frequencies: Array

    @classmethod
    def draw(cls, causes: int, count: int) -> "Features":
        """So many of them, an even number."""
        return cls(drawn_frequencies(causes, count)[0][:, ::2])

    def of(self, causes: list[int], count: int) -> "Features":
        """Keep only some of the causes, and so many of the features."""
        return Features(self.frequencies[causes, : count // 2])

    def functions(self, z: Array, process: Process) -> Array:
        """(N, P) -> (N, 1 + P + M), the features in single precision.

        That takes half of the time. Their rounding errors are no errors of the fit: they belong to its functions.
        """
        angles = ((z * process.relevance) @ self.frequencies).astype(np.float32)
        causes, pairs = z.shape[1], angles.shape[1]
        functions = np.empty((len(z), 1 + causes + 2 * pairs))
        functions[:, 0] = 1
        functions[:, 1 : 1 + causes] = z
        functions[:, 1 + causes : 1 + causes + pairs] = np.cos(angles)
        functions[:, 1 + causes + pairs :] = np.sin(angles)
        return functions

    def predict_halves(self, z: Array, y: Array, process: Process, spread: Array | None = None) -> Array:
        """(N, P), (N,) -> (N,); rows may have a spread (N,) of noise."""
        functions, half = self.functions(z, process), len(y) // 2
        if spread is not None:  # rows of equal noise, from functions to predictions
            functions, y = functions / spread[:, None], y / spread
        count = 2 * self.frequencies.shape[1]
        variances = np.concatenate([[LEVEL], np.ones(z.shape[1]), np.full(count, 2 * process.signal / max(count, 1))])
        first, second = slice(0, half), slice(half, None)
        predicted = np.empty(len(y))
        for seen, unseen in ((first, second), (second, first)):
            gram, target = functions[seen].T @ functions[seen], functions[seen].T @ y[seen]
            gram.flat[:: len(gram) + 1] += process.noise / variances
            predicted[unseen] = functions[unseen] @ solve(gram, target)
        return predicted if spread is None else predicted * spread
