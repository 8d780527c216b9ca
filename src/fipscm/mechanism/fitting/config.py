"""How an SCM is learned, as data."""

from dataclasses import dataclass, field
from typing import Literal

from fipscm.errors import unknown_name
from fipscm.mechanism.network.train import TrainingConfig
from fipscm.mechanism.network.transformer import TransformerConfig
from fipscm.mechanism.noise.noise_kinds import AUTO, NOISES
from fipscm.significance import SIGNIFICANCE

# Odds of one, a level of significance, and the mean absolute derivative between standardized columns of the paper.
THRESHOLDS = {"posterior": 0.0, "test": SIGNIFICANCE, "jacobian": 0.1}


@dataclass(frozen=True)
class MechanismConfig:
    """How an SCM is learned.

    Attributes:
        edges: "posterior" weighs rows and order model, "test" takes p-values alone, "jacobian" is the paper's rule.
        prune: fit on the edges found instead of on everything allowed.
        skip: solve a linear and a smooth part first and train the network on the rest; False is the paper's model.
        threshold: of an edge: log10 of its odds (0), level of its test (0.01), or its mean absolute derivative (0.1).
        provisional: for drawing missing cells alone: no network is trained, nothing is measured on unseen rows, no
            column is tried on another scale, and uneven noise does not change how smooth a curve is.
        noise: "additive", "location-scale", "monotone", or "auto" for the simplest kind that unseen rows do not reject.
        device: where the network is trained.
        transformer: the network's sizes.
        training: how it is trained.
    """

    edges: Literal["posterior", "test", "jacobian"] = "test"
    prune: bool = True
    skip: bool = True
    provisional: bool = False
    noise: str = AUTO
    threshold: float | None = None
    device: str = "cpu"
    transformer: TransformerConfig = field(default_factory=TransformerConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)

    def __post_init__(self) -> None:
        if self.edges not in THRESHOLDS:
            raise unknown_name("edge rule", self.edges, THRESHOLDS)
        if self.noise not in NOISES:
            raise unknown_name("kind of noise", self.noise, NOISES)

    @property
    def limit(self) -> float:
        """The threshold in force."""
        return THRESHOLDS[self.edges] if self.threshold is None else self.threshold
