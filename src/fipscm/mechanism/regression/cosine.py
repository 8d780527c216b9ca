"""Sines and cosines of many angles: PyTorch is several times faster than NumPy, but takes a second to import.

Shapes: P causes, M waves.
"""

import numpy as np

from fipscm.arrays import Array

FEW = 320_000  # angles, as many as 300 rows and 1,024 waves have: NumPy needs less than a hundredth of that second


def cosines(angles: Array) -> Array:
    """Of each angle.

    >>> cosines(np.array([0.0, np.pi])).tolist()
    [1.0, -1.0]
    """
    if angles.size <= FEW:
        return np.asarray(np.cos(angles))
    import torch

    return np.asarray(torch.cos(torch.from_numpy(angles)).numpy())


def sines(angles: Array) -> Array:
    """Of each angle.

    >>> sines(np.array([0.0])).tolist()
    [0.0]
    """
    if angles.size <= FEW:
        return np.asarray(np.sin(angles))
    import torch

    return np.asarray(torch.sin(torch.from_numpy(angles)).numpy())


def in_turn(frequencies: Array) -> Array:
    """(P, M) -> (P, M), each pair of waves, a cosine and a sine, of one cause alone: the causes take turns.

    >>> in_turn(np.ones((2, 6)))
    array([[1., 1., 0., 0., 1., 1.],
           [0., 0., 1., 1., 0., 0.]])
    """
    causes, waves = frequencies.shape
    turn = np.arange(waves) // 2 % max(causes, 1)
    return np.where(turn == np.arange(causes)[:, None], frequencies, 0.0)
