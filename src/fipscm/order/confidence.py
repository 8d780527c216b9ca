"""How sure an order is of each pair: the shares of drawn orders, for what they are worth. Shapes: D variables.

A share of drawn orders is no probability: a network that errs about a table errs in most of its draws. The log odds of
a share times a slope are the log odds of being right. `fipscm bench-calibration` fits the slope to measured tables with
known answers and writes it, with how many directions it told there and how many were right, into `calibration.json`.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import expit, logit

from fipscm.arrays import Array, Mask, Order
from fipscm.graph import descendants
from fipscm.order.inference import precedence_shares

CALIBRATION = Path(__file__).with_name("calibration.json")
_FEWEST_TOLD = 20  # directions: of fewer, a share that was right means little


class Told(NamedTuple):
    """Of directions told with at least this confidence on tables with known answers, so many of so many were right."""

    at_least: float
    right: int
    told: int


@dataclass(frozen=True)
class Calibration:
    """What a share of drawn orders is worth.

    Attributes:
        slope: what the log odds of a share are multiplied by.
        weights: the beginning of the hash of the weights that drew the orders.
        tables: how many measured tables it was fitted to, each counting once.
        told: what was told of their certain pairs, each table by the slope that the others have.
        simulated: the same of simulated tables, by the slope of the measured ones.
    """

    slope: float
    weights: str
    tables: int
    told: tuple[Told, ...]
    simulated: tuple[Told, ...] = ()

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote."""
        facts: dict[str, Any] = json.loads(path.read_text())
        lists = {key: tuple(Told(*each) for each in facts[key]) for key in ("told", "simulated")}
        return cls(**{**facts, **lists})

    def save(self, path: Path) -> None:
        """Write a small file of JSON."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")

    def probability(self, shares: Array, draws: int) -> Array:
        """Of being right, from shares of so many draws."""
        return np.asarray(expit(self.slope * log_odds(shares, draws)))

    @property
    def sentence(self) -> str:
        """What a confidence means, in one sentence."""
        often = [each for each in self.told if each.told >= _FEWEST_TOLD]
        if not often:
            return "On measured tables with known answers, orders found in rows alone were hardly better than a coin."
        level, right, told = often[-1]
        return (
            f"Of directions told with {level:.0%} or more on measured tables with known answers, "
            f"{right:,} of {told:,} were right."
        )


@lru_cache(maxsize=1)
def shipped_calibration() -> Calibration:
    """That of the order model that comes with the package, read from its file once."""
    return Calibration.load(CALIBRATION)


def confidence(orders: Sequence[Order], before: Mask | None = None, is_set: bool = False) -> Array:
    """(D, D): the probability that the row stands before the column, from orders that were drawn for a table.

    What is known (`before`) stays certain, and so do experiments (`is_set`), which decide whatever the network says.
    """
    shares = precedence_shares(orders)
    if is_set:
        return shares
    calibrated = shipped_calibration().probability(shares, len(orders))
    # Of three tiers the first stands before the last, too.
    known = np.zeros(shares.shape, dtype=bool) if before is None else descendants(before)
    return np.where(known | known.T | np.eye(len(shares), dtype=bool), shares, calibrated)


def log_odds(shares: Array, draws: int) -> Array:
    """Of shares of so many draws; none is certain.

    >>> log_odds(np.array([0.5, 1.0]), 20).round(1).tolist()
    [0.0, 3.7]
    """
    return np.asarray(logit((shares * draws + 0.5) / (draws + 1)))
