"""A curve of several causes: one function of all of them, or a sum of functions of one each. Shapes: N rows, P causes.

A function of all causes is known where rows were, and goes anywhere where one cause takes a value that it never had
beside the others. A sum is known wherever each of them was: where the rows do not speak against it, it is preferred.
"""

from dataclasses import replace

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.regression.process import Process, learn_process
from fipscm.mechanism.regression.smooth import Fit, WaveRegression, Waves


def fit_curve(z: Array, y: Array, waves: Waves, process: Process, weights: Array | None = None) -> tuple[Process, Fit]:
    """The likelier curve of causes (N, P) and effect (N,), and how smooth it is: as given, or as a sum.

    Rows may have weights (N,), by which the squares of their errors are multiplied. A few rows tell how smooth a sum
    is; all of them decide.
    """
    one = WaveRegression(z, waves, process, weights)
    if z.shape[1] == 1 or not len(waves.phases):
        return process, one.fit(y)
    spread = None if weights is None else 1 / np.sqrt(weights)
    start = replace(process, signal=process.signal * z.shape[1], apart=True)
    smoothness = learn_process(z, y, start, spread)
    several = WaveRegression(z, waves.apart(), smoothness, weights)
    if several.evidence(y) > one.evidence(y):
        return smoothness, several.fit(y)
    return process, one.fit(y)
