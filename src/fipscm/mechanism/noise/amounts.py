"""Amounts without causes are never drawn below zero. Shapes: N rows, D variables."""

from dataclasses import replace

import numpy as np

from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.response.additive import Additive


def with_positive_roots(model: LearnedSCM) -> LearnedSCM:
    """The model, where the noise of a root whose rows are all positive ends where the root would be zero.

    Beyond the lowest row its noise has a tail, which would reach across zero where that row is near to it.
    """
    lowest = np.full(len(model.names), -np.inf)
    for node in np.flatnonzero(~model.allowed.any(axis=1)):
        if isinstance(model.responses[node], Additive):
            without_noise = float(model.node_value(node, np.zeros((1, len(model.names))), np.zeros(1))[0])
            if without_noise + model.noise.ordered[0, node] > 0:
                lowest[node] = -without_noise
    return replace(model, noise=replace(model.noise, lowest=lowest)) if np.isfinite(lowest).any() else model
