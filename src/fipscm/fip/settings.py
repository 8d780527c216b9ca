"""How models are learned, as `FiP` was told."""

from dataclasses import dataclass
from typing import Literal

from fipscm.constraints import Constraints


@dataclass(frozen=True)
class Settings:
    """What of the arguments of `FiP` has a say after its table was read; they are explained there.

    Attributes:
        constraints: the order, the graph and the knowledge given.
        raw: whether the columns' variances are evidence about the order.
    """

    constraints: Constraints
    raw: bool
    missing: str
    edges: Literal["posterior", "test", "jacobian"]
    prune: bool
    skip: bool
    noise: str
    n_jobs: int | None
    device: str
    verbose: bool
