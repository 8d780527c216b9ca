"""A training run as data: it is stored in every checkpoint and in the weights it ends in."""

from dataclasses import dataclass, field

from fipscm.order.network.encoder import EvidenceConfig
from fipscm.order.training.examples import TaskConfig
from fipscm.order.training.trainer import OptimizerConfig
from fipscm.order.weights import EncoderConfig


@dataclass(frozen=True)
class PretrainConfig:
    """A training run.

    Attributes:
        tasks: the sizes of the simulated tables.
        encoder: the network; its kind decides what it is trained on.
        optimizer: how it is trained.
        log_every: steps between two lines of the log.
        save_minutes: minutes between two checkpoints.
        command: the command that started the run, to be stored with the weights.
    """

    tasks: TaskConfig = field(default_factory=TaskConfig)
    encoder: EncoderConfig = field(default_factory=EvidenceConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    log_every: int = 20
    save_minutes: float = 3.0
    command: str = "pretrain"
