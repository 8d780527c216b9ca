"""Pairs of columns that may share a hidden cause. Shapes: N rows, D variables.

The order model has an opinion, and so have regressions along the graph (`order.classical.shared_noise`): both together
know more.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from fipscm.arrays import Adjacency, Array
from fipscm.order.classical.shared_noise import signs_of_hidden_causes
from fipscm.order.evidence.observations import Observations
from fipscm.order.model import OrderModel, shipped_model

# A pair counts as suspect where even odds are told. They are too high: hardly any such pair of simulated tables had a
# hidden cause (`python benchmarks/order.py hidden`), so that whoever names a pair says that the sign is weak.
LIKELY = 0.5
WEAK_SIGN = (
    "The sign is weak: no measured table with known answers tells of hidden causes, so that it was calibrated on "
    "simulated ones, and most such pairs of these had none."
)
Suspect = tuple[Hashable, Hashable, float]  # two columns, and the probability of a hidden cause of both


@dataclass(frozen=True)
class SignWeights:
    """What each sign of a hidden cause counts: `python benchmarks/order.py shared`, rounded.

    There every second table has hidden causes, and counts once, however many pairs they move.
    """

    before_all: float = -1.0  # log odds of as many hidden causes as training has, of 45 pairs in 1,000
    network: float = 0.75  # for the log odds that the order model told
    least: float = 1e-3  # that it told of anything: no network is surer than that
    signs: tuple[float, ...] = (-0.15, 1.75, -0.05, 0.1, 0.05)  # for the SIGNS


SIGN_WEIGHTS = SignWeights()


def hidden_causes(
    observations: Observations, adjacency: Adjacency, raw: bool = False, model: OrderModel | None = None
) -> Array | None:
    """(D, D), the probability that a hidden variable causes both columns; None if the model cannot tell.

    The graph of the columns is that which was found: a hidden cause often looks like an edge.
    """
    told = (model or shipped_model()).confounded(observations, raw)
    return None if told is None else with_signs(told, observations.numbers, adjacency)


def with_signs(told: Array, values: Array, adjacency: Adjacency) -> Array:
    """(D, D): what the order model told of each pair, and what regressions of the rows say, as one probability."""
    odds = evidence_of(told, values, adjacency) @ np.array([SIGN_WEIGHTS.network, *SIGN_WEIGHTS.signs])
    odds = SIGN_WEIGHTS.before_all + odds
    np.fill_diagonal(odds, -np.inf)
    return np.asarray(expit(odds))


def evidence_of(told: Array, values: Array, adjacency: Adjacency) -> Array:
    """(D, D, 1 + SIGNS): the log odds that the order model told, and the signs."""
    signs = signs_of_hidden_causes(values, adjacency)
    least = SIGN_WEIGHTS.least
    return np.concatenate([logit(np.clip(told, least, 1 - least))[..., None], signs], axis=-1)


def suspects(names: Sequence[Hashable], probabilities: Array, limit: float = LIKELY) -> list[Suspect]:
    """Pairs that may share a hidden cause, the likeliest first.

    >>> suspects(["a", "b"], np.array([[0.0, 0.8], [0.8, 0.0]]))
    [('a', 'b', 0.8)]
    """
    above = np.triu(probabilities, 1)
    likely = [(names[i], names[j], float(above[i, j])) for i, j in np.argwhere(above > limit)]
    return sorted(likely, key=lambda pair: -pair[2])
