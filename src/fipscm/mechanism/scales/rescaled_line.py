"""A regression of a node on another scale: a line, or a curve, in its causes. Shapes: N rows, P causes."""

from typing import NamedTuple

import numpy as np
import torch

from fipscm.arrays import Array
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise.distribution import NARROWEST
from fipscm.mechanism.regression.curve import fit_curve
from fipscm.mechanism.regression.process import Process, is_curved, learn_process
from fipscm.mechanism.regression.skip import WAVES, WAVES_PER_CAUSE
from fipscm.mechanism.regression.smooth import Fit, Waves, fit_waves, predict

RIDGE = 1e-6  # of lines, whose causes may be collinear


class RescaledLine(NamedTuple):
    """A regression on another scale: its centre and scale, and a line or a curve in the causes."""

    centre: float
    scale: float
    waves: Waves
    process: Process
    fit: Fit

    @classmethod
    def fitted(cls, model: LearnedSCM, node: int, causes: Array, bent: Array) -> "RescaledLine":
        """To standardized causes (N, P) and what a node is on the other scale (N,)."""
        centre, scale = float(bent.mean()), max(float(bent.std()), NARROWEST)
        y, positions = (bent - centre) / scale, np.flatnonzero(model.allowed[node])
        count, process = 0, Process(np.ones(causes.shape[1]), 1.0, RIDGE, -np.inf)
        if causes.shape[1] and len(model.skip.phases):
            learned = learn_process(causes, y)
            if is_curved(learned, causes, y):
                count, process = min(WAVES, WAVES_PER_CAUSE * len(positions)), learned
        phases = torch.from_numpy(model.skip.phases[:count])
        waves = Waves(torch.from_numpy(model.skip.frequencies[positions, :count]), phases)
        process, fit = fit_curve(causes, y, waves, process)
        return cls(centre, scale, waves.suited_to(process), process, fit)

    def fitted_again(self, causes: Array, bent: Array) -> "RescaledLine":
        """The same, as smooth as it is, fitted to other rows."""
        return self._replace(fit=fit_waves(causes, (bent - self.centre) / self.scale, self.waves, self.process))

    def location(self, causes: Array) -> Array:
        """(N, P) -> (N,), in units of the scale."""
        return predict(causes, self.waves, self.process, self.fit)

    def middle(self, location: Array) -> Array:
        """(N,) -> (N,), where a node without noise is on the other scale."""
        return np.asarray(self.centre + self.scale * location)
