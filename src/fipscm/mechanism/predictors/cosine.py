"""Sines and cosines of many angles: PyTorch is several times faster than NumPy, but takes a second to import."""

import sys

import numpy as np

from fipscm.arrays import Array

_FEW = 320_000  # angles, as many as 300 rows and 1,024 waves have: NumPy needs less than a hundredth of that second


def cosines(angles: Array) -> Array:
    """Of each angle.

    >>> cosines(np.array([0.0, np.pi])).tolist()
    [1.0, -1.0]
    """
    if _without_torch(angles):
        return np.asarray(np.cos(angles))
    import torch

    return np.asarray(torch.cos(torch.from_numpy(angles)).numpy())


def sines(angles: Array) -> Array:
    """Of each angle.

    >>> sines(np.array([0.0])).tolist()
    [0.0]
    """
    if _without_torch(angles):
        return np.asarray(np.sin(angles))
    import torch

    return np.asarray(torch.sin(torch.from_numpy(angles)).numpy())


def _without_torch(angles: Array) -> bool:
    """Whether to import PyTorch would take longer than it saves: where a model was learned, it is there already."""
    return angles.size <= _FEW and "torch" not in sys.modules
