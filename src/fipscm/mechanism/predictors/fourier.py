"""Random Fourier features of a Gaussian process. Shapes: R inputs that are read, M features.

With normally distributed frequencies, cosines have the covariance of the process in `gaussian_process.py`, up to an
error that vanishes as they become many (https://papers.nips.cc/paper/3182-random-features-for-large-scale-kernel-machines).
"""

import numpy as np
import torch

from fipscm.arrays import Array, Order
from fipscm.mechanism.predictors.basis import Waves
from fipscm.mechanism.predictors.gaussian_process import Process

_SEED = 0  # the same features everywhere, so that no column depends on what was drawn for others


def fourier_features(process: Process, reads: Order, most: int, per_input: int) -> Waves:
    """The features of a process in some inputs, so many of each and at most so many in all."""
    count = min(most, per_input * len(reads))
    frequencies, phases = drawn_frequencies(len(reads), count)
    frequencies = along_axes(frequencies) if process.additive else frequencies
    return Waves(reads, process.relevance, frequencies, phases, process.additive)


def drawn_frequencies(inputs: int, features: int) -> tuple[Array, Array]:
    """Frequencies (R, M) and phases (M,) of an even number of features: a cosine and a sine of each frequency.

    The frequencies fill the space evenly (a scrambled Sobol sequence): the kernel's error is smaller than with
    independent ones.
    """
    engine = torch.quasirandom.SobolEngine(inputs, scramble=True, seed=_SEED)  # type: ignore[no-untyped-call]
    even = engine.draw(features // 2, dtype=torch.float64)
    normal = torch.special.ndtri(even.clamp(1e-9, 1 - 1e-9)).T.numpy()
    return np.repeat(normal, 2, axis=1), np.tile([0.0, -np.pi / 2], features // 2)


def along_axes(frequencies: Array) -> Array:
    """(R, M) -> (R, M), the frequencies of features of which each varies with one input alone.

    The features of an input stand side by side: neighbours in an evenly spread sequence are evenly spread themselves.

    >>> along_axes(np.ones((2, 4))).tolist()
    [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]
    """
    inputs, count = frequencies.shape
    own = np.arange(count) // 2 * inputs // max(1, count // 2)
    return np.where(np.arange(inputs)[:, None] == own, frequencies, 0.0)
