"""Learn monotone responses by maximum likelihood. Shapes: N rows, D variables, Q nodes, P causes of one node."""

import math

import numpy as np
import torch

from fipscm.arrays import Array, Mask, Order
from fipscm.mechanism.network.flow import FlowTransformer
from fipscm.mechanism.network.train import TrainingConfig, train
from fipscm.mechanism.network.transformer import Parents, TransformerConfig
from fipscm.mechanism.progress import OnStep, uncounted
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.response.monotone import Monotone
from fipscm.robust import robust_location
from fipscm.threads import on_one_thread

SIZES = TransformerConfig(width=32, heads=4, head_width=16, layers=2, hidden=64)
STEPS, STEPS_ROWS = 1_500, 10_000  # of the optimizer with so many rows; more rows have more to tell, but less each
RATE = 6e-3  # a third of it needs three times as many steps
MOST_EPOCHS = 100
TINY = 1e-12  # of a column's standard deviation; smaller differences are rounding errors


@on_one_thread()
def fit_monotone(
    z: Array,
    residual: Array,
    allowed: Mask,
    nodes: Order,
    centre: Array,
    scale: Array,
    box: Box,
    generator: torch.Generator,
    on_step: OnStep = uncounted,
    sizes: TransformerConfig = SIZES,
    training: TrainingConfig | None = None,
) -> dict[int, Monotone]:
    """Learn how the noise of some nodes acts: one network for all of them, a response for each.

    Args:
        z: (N, D) standardized rows in random order; the last tenth decides when the training ends.
        residual: (N, D) what the locations leave of them, NaN where a row does not tell about a column.
        allowed: (D, D), true where column j causes column i.
        nodes: (Q,) whose responses are wanted.
        centre: (D,) means and
        scale: (D,) standard deviations of the columns.
        box: where the rows were, in standardized columns; without wild cells.
        generator: of all random choices: the same state gives the same responses.
        on_step: told about progress.
        sizes: of the network.
        training: how it is trained.
    """
    training = training or _training(len(z))
    location, unit, stretch = z - residual, *np.ones((2, len(allowed)))
    unit[nodes] = np.maximum(robust_location(residual[:, nodes])[1], TINY)
    spread = np.nanstd(location[:, nodes], axis=0)
    stretch[nodes] = np.divide(1, spread, out=np.ones(len(nodes)), where=spread > TINY)
    # A node reads its causes and, as one more cause, its own location.
    x = np.column_stack([np.clip(z, box.low, box.high), stretch * np.nan_to_num(location)])
    reads = np.column_stack([allowed, np.eye(len(allowed), dtype=bool)])
    network = FlowTransformer(2 * len(allowed), sizes, generator)
    train(
        network,
        Parents.of(reads, nodes),
        torch.as_tensor(x, dtype=torch.float32),
        torch.as_tensor(residual[:, nodes] / unit[nodes], dtype=torch.float32),
        round((1 - training.validation) * len(z)),
        training,
        generator,
        lambda progress: on_step(progress.epoch, training.epochs),
    )
    on_step(training.epochs, training.epochs)
    responses = {}
    for node in nodes:
        causes, own = np.flatnonzero(allowed[node]), location[:, node]
        low, high = np.append(box.low[causes], np.nanmin(own)), np.append(box.high[causes], np.nanmax(own))
        variables = torch.as_tensor([*causes, len(allowed) + node, node])
        alone = network.restricted(variables).double()
        responses[int(node)] = Monotone(centre[node], scale[node], unit[node], causes, low, high, stretch[node], alone)
    return responses


def _training(rows: int) -> TrainingConfig:
    """Beyond STEPS_ROWS the number of steps grows with the root of the rows."""
    batch, steps = 256, STEPS * max(1.0, rows / STEPS_ROWS) ** 0.5
    epochs = min(math.ceil(steps * batch / rows), MOST_EPOCHS)
    return TrainingConfig(epochs=epochs, batch=batch, rate=RATE, patience=max(3, epochs // 4))
