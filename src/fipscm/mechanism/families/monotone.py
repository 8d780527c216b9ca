"""Monotone noise: an increasing spline of the noise for each row, by maximum likelihood. Shapes: N rows, F inputs."""

import math
from dataclasses import dataclass

import numpy as np
import torch

from fipscm.arrays import Array
from fipscm.mechanism.data import ColumnData, Rows
from fipscm.mechanism.families.additive import Scaled
from fipscm.mechanism.families.family import Family, Fitted
from fipscm.mechanism.network.flow import FlowTransformer
from fipscm.mechanism.network.train import TrainingConfig, train
from fipscm.mechanism.network.transformer import Parents, TransformerConfig
from fipscm.mechanism.responses.monotone import Monotone
from fipscm.mechanism.responses.spread import with_location
from fipscm.robust import robust_location
from fipscm.threads import on_one_thread

_SIZES = TransformerConfig(width=32, heads=4, head_width=16, layers=2, hidden=64)
_STEPS, STEPS_ROWS = 1_500, 10_000  # of the optimizer with so many rows; more rows have more to tell, but less each
_RATE = 6e-3  # a third of it needs three times as many steps
MOST_EPOCHS = 100
_TINY = 1e-12  # of a column's standard deviation; smaller differences are rounding errors
_FEWEST_ROWS, FEWEST_VALUES = 200, 20  # an increasing function of a few values is any function of them


@dataclass(frozen=True)
class MonotoneFamily(Family):
    """x = f(causes) + T(causes, f, noise), T increasing in the noise."""

    response = "monotone"
    is_trained = True

    def applies(self, data: ColumnData) -> bool:
        """Where rows and values are enough."""
        has_enough = len(data.values) >= _FEWEST_ROWS and len(np.unique(data.values)) >= FEWEST_VALUES
        return has_enough and bool(len(data.inputs.causes)) and super().applies(data)

    def prepare(self, data: ColumnData) -> Scaled:
        """The prior of the mean."""
        return Scaled.of(data, data.values, self.predictor)

    def solve(self, data: ColumnData, rows: Rows, prepared: Scaled) -> Fitted:
        """The mean in closed form, and a network on what it leaves; the last tenth of the rows ends its training."""
        solved, z = prepared.solve(data, rows), data.z[rows]
        location = solved.predictor(z)
        residual = (data.values[rows] - prepared.centre) / prepared.scale - location[:, 0]
        unit = max(float(robust_location(residual[:, None])[1][0]), _TINY)
        deviation = float(location.std())
        per_location = 1 / deviation if deviation > _TINY else 1.0
        inputs = with_location(z, location[:, 0])
        network = trained_flow(inputs * [*np.ones(z.shape[1]), per_location], residual / unit)
        low, high = inputs.min(axis=0), inputs.max(axis=0)
        response = Monotone(prepared.centre, prepared.scale, unit, low, high, per_location, network)
        noise = response.noise(location, z, data.values[rows])
        return Fitted(solved.predictor, response, noise[:, None])


@on_one_thread()
def trained_flow(inputs: Array, residual: Array) -> FlowTransformer:
    """A network that reads inputs (N, F + 1), for a target (N,)."""
    variables = inputs.shape[1] + 1
    generator = torch.Generator().manual_seed(0)  # of its own, so that no column depends on another one
    network = FlowTransformer(variables, _SIZES, generator)
    mask = np.zeros((variables, variables), dtype=bool)
    mask[-1, :-1] = True
    training = _training(len(inputs))
    train(
        network,
        Parents.of(mask, [variables - 1]),
        torch.as_tensor(np.column_stack([inputs, np.zeros(len(inputs))]), dtype=torch.float32),
        torch.as_tensor(residual[:, None], dtype=torch.float32),
        round((1 - training.validation) * len(inputs)),
        training,
        generator,
    )
    return network.double()


def _training(rows: int) -> TrainingConfig:
    """Beyond STEPS_ROWS the number of steps grows with the root of the rows."""
    batch, steps = 256, _STEPS * max(1.0, rows / STEPS_ROWS) ** 0.5
    epochs = min(math.ceil(steps * batch / rows), MOST_EPOCHS)
    return TrainingConfig(epochs=epochs, batch=batch, rate=_RATE, patience=max(3, epochs // 4))
