"""Everything a training run consists of: weights, their running average, the optimizer's moments and the step."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from fipscm.order.network.encoder import EvidenceEncoder
from fipscm.order.network.views_encoder import ViewsEncoder
from fipscm.order.weights import Encoder, EncoderConfig, build_encoder
from fipscm.tables.archive import load_archive, save_archive
from fipscm.tables.checkpoint import optimizer_arrays, restore_module, restore_optimizer, to_arrays


@dataclass(frozen=True)
class OptimizerConfig:
    """AdamW at a constant rate after its warm-up: a run may stop at any step, and its averaged weights are used.

    A run that knows its last step lowers the rate towards it, which its weights gain more from than from any average.

    Attributes:
        rate: learning rate after the warm-up.
        warmup: steps of the linear warm-up.
        steps: the last step, if it is known.
        cooldown: steps before the last one over which the rate falls to zero.
        memory: steps over which the weights are averaged.
        weight_decay: of AdamW.
        clip: largest norm of a gradient.
    """

    rate: float = 3e-4
    warmup: int = 300
    steps: float = math.inf
    cooldown: int = 2000
    memory: int = 1000
    weight_decay: float = 1e-3
    clip: float = 1.0

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from one."""
        return self.rate * max(0.0, min(1.0, step / self.warmup, (self.steps - step + 1) / self.cooldown))


class Trainer:
    """A network in training."""

    def __init__(self, encoder: EncoderConfig, config: OptimizerConfig, seed: int):
        self.config = config
        self.encoder = _seeded_encoder(encoder, seed)
        self.average = AveragedModel(self.encoder, multi_avg_fn=self._move_average)
        self.optimizer = torch.optim.AdamW(
            self.encoder.parameters(), lr=config.rate, betas=(0.9, 0.98), weight_decay=config.weight_decay
        )
        self.step = 0
        self.seconds = 0.0

    def begin_with(self, encoder: Encoder) -> None:
        """Start from trained weights, perhaps of a smaller network; the optimizer starts without memory."""
        if isinstance(self.encoder, ViewsEncoder) and isinstance(encoder, EvidenceEncoder | ViewsEncoder):
            self.encoder.learn_from(encoder)
        else:
            self.encoder.load_state_dict(encoder.state_dict())
        self.average.module.load_state_dict(self.encoder.state_dict())

    def update(self, loss: Tensor) -> None:
        """Take one step down the gradient of the loss; a step without a finite gradient changes no weight."""
        self.step += 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.rate_at(self.step)
        self.optimizer.zero_grad()
        torch.autograd.backward(loss)
        norm = nn.utils.clip_grad_norm_(self.encoder.parameters(), self.config.clip)
        if not norm.isfinite():
            warnings.warn(f"Step {self.step} has no finite gradient and is left out.", stacklevel=2)
            return
        self.optimizer.step()
        self.average.update_parameters(self.encoder)

    def save(self, path: Path, facts: dict[str, Any]) -> None:
        """Write everything, and the facts given."""
        arrays = {
            **to_arrays(self.encoder.state_dict(), "encoder."),
            **to_arrays(self.average.state_dict(), "average."),
            **optimizer_arrays(self.optimizer),
        }
        save_archive(path, "checkpoint", arrays, {"step": self.step, "seconds": self.seconds, **facts})

    def load(self, path: Path) -> dict[str, Any]:
        """Continue where a checkpoint stopped, and return its facts."""
        arrays, facts = load_archive(path, "checkpoint")
        restore_module(self.encoder, arrays, "encoder.")
        restore_module(self.average, arrays, "average.")
        restore_optimizer(self.optimizer, arrays)
        self.step, self.seconds = int(facts["step"]), float(facts["seconds"])
        return facts

    def _move_average(self, average: Sequence[Tensor], current: Sequence[Tensor], count: Tensor | int) -> None:
        # Early on the average looks back less far, or the initial weights would still be in it.
        memory = min(self.config.memory, 1 + int(count) / 10)
        with torch.no_grad():
            for old, new in zip(average, current, strict=True):
                old.lerp_(new, 1 / memory)


def _seeded_encoder(config: EncoderConfig, seed: int) -> Encoder:
    """Initialise from a seed and leave PyTorch's global generator as it was."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return build_encoder(config)
