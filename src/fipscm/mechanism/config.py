"""How an SCM is learned, as data."""

from dataclasses import dataclass, field
from typing import Literal

from fipscm.errors import unknown_name
from fipscm.mechanism.candidates import ADDITIVE, AUTO, NOISES
from fipscm.mechanism.network.train import TrainingConfig
from fipscm.mechanism.network.transformer import TransformerConfig
from fipscm.mechanism.select import Criterion
from fipscm.significance import SIGNIFICANCE

# Odds of one, a level of significance, and the mean absolute derivative between standardized columns of the paper.
THRESHOLDS = {"posterior": 0.0, "test": SIGNIFICANCE, "jacobian": 0.1}


@dataclass(frozen=True)
class MechanismConfig:
    """How an SCM is learned.

    Attributes:
        edges: "posterior" weighs rows and order model, "test" takes p-values alone, "jacobian" is the paper's rule.
        prune: fit on the edges found instead of on everything allowed.
        skip: fit functions in closed form, and train the network on what they leave; False is the paper's model.
        threshold: of an edge: log10 of its odds (0), level of its test (0.01), or its mean absolute derivative (0.1).
        provisional: for drawing missing cells alone: lines and curves with additive noise.
        noise: "additive", "location-scale", "monotone", or "auto" for the simplest kind that unseen rows do not reject.
        device: where the network is trained.
        jobs: how many columns are learned at a time; None for one, or as many as an engine of joblib is set to.
        criterion: when a richer mechanism takes the place of a simpler one.
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
    jobs: int | None = None
    criterion: Criterion = field(default_factory=Criterion)
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

    @property
    def uneven(self) -> bool:
        """Whether noises may be."""
        return self.noise != ADDITIVE

    @property
    def looks_for_spread(self) -> bool:
        """Whether causes of spreads alone are looked for: the paper's rules know none."""
        return self.noise == AUTO and self.edges != "jacobian" and self.prune and self.skip and not self.provisional
