"""Another scale beside the mechanism that a node has, compared on held-out rows.

Shapes: N rows, D variables, K held-out rows.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
import torch

from fipscm.arrays import Array, Mask
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise.distribution import NARROWEST, log_density
from fipscm.mechanism.noise.unevenness import log_p_of_uneven_shape
from fipscm.mechanism.scales.rescaled_line import RescaledLine
from fipscm.mechanism.scales.rescaling import Rescaling
from fipscm.mechanism.scales.scale_table import ScaleTable
from fipscm.significance import log_p_of_gain

HELD_OUT = 5  # one of so many rows
CLEARLY = 0.02  # gain in the log-likelihood per row


class Comparison(NamedTuple):
    """Another scale beside the mechanism that a node has.

    The causes (D,), the regression on it, whether unseen rows clearly prefer it, by how much, their log-densities (K,),
    and the log p-value of its noises not depending on the causes.
    """

    causes: Mask
    line: RescaledLine
    is_better: bool
    gain: float
    told: Array
    log_p_of_unevenness: float


def compared(model: LearnedSCM, original: LearnedSCM, node: int, table: ScaleTable, rescaling: Rescaling) -> Comparison:
    """A node on another scale, fitted to the first rows."""
    used = table.used(node, model.allowed[node])
    causes, values = table.z[used][:, model.allowed[node]], table.rows[used, node]
    seen, unseen = _seen_and_unseen(len(values))
    bent = rescaling(values)
    line = RescaledLine.fitted(model, node, causes[seen], bent[seen])
    errors = bent - line.middle(line.location(causes))
    told = log_density(errors[unseen], errors[seen], NARROWEST) + np.log(rescaling.slope(values[unseen]))
    gain = told - log_density_of_unseen(original, node, table)
    is_better = bool(gain.mean() > CLEARLY) and log_p_of_gain(torch.from_numpy(gain)) < table.limit
    uneven = log_p_of_uneven_shape(causes, errors) if causes.shape[1] else 0.0
    return Comparison(model.allowed[node], line, is_better, float(gain.mean()), told, uneven)


def _seen_and_unseen(rows: int) -> tuple[slice, slice]:
    """The rows that another scale is fitted to, and those that it is judged by."""
    seen = rows - rows // HELD_OUT
    return slice(0, seen), slice(seen, rows)


def log_density_of_unseen(model: LearnedSCM, node: int, table: ScaleTable) -> Array:
    """(K,) log-densities of unseen rows under the mechanism that the model has, which may have seen them."""
    rows = table.rows[table.used(node, model.allowed[node])]
    seen, unseen = _seen_and_unseen(len(rows))
    noise = model.node_noise(node, rows, rows[:, node])
    density = partial(log_density, known=noise[seen], narrowest=NARROWEST * float(model.scale[node]))
    return model.node_log_density(node, rows[unseen], rows[unseen, node], density)
