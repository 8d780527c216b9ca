"""Everything a training run consists of: weights, their running average, the optimizer's moments and the step."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from fipscm.errors import ModelFileError
from fipscm.order.training.recipe import Recipe
from fipscm.order.weights import Encoder, EncoderConfig, build_encoder, load_encoder
from fipscm.tables.archive import load_archive, save_archive
from fipscm.tables.checkpoint import optimizer_arrays, restore_module, restore_optimizer, to_arrays


class Trainer:
    """A network in training."""

    def __init__(self, recipe: Recipe):
        self.recipe, self.config = recipe, recipe.optimizer
        self.encoder = _seeded_encoder(recipe.network, recipe.seed)
        self._forget()
        self.step = 0
        self.seconds = 0.0

    def _forget(self) -> None:
        """Begin the running average and the optimizer's moments anew."""
        self.average = AveragedModel(self.encoder, multi_avg_fn=self._move_average)
        self.optimizer = torch.optim.AdamW(
            self.encoder.parameters(), betas=(0.9, 0.98), weight_decay=self.config.weight_decay
        )

    def restart_if_due(self) -> None:
        """Go on from the averaged weights if the next step is the first of a stage that wants it; twice is as once."""
        place, step = self.recipe.at(self.step)
        if step == 0 and self.recipe.stages[place].restart:
            self.encoder.load_state_dict(self.average.module.state_dict())
            self._forget()

    def begin_after(self, weights: Path) -> None:
        """Begin with the stage after those that made a weights file, which is to be one that restarts."""
        facts = load_archive(weights, "weights")[1]
        made = Recipe.parse(facts["recipe"])
        later = self.recipe.stages[len(made.stages) :]
        so_far = replace(self.recipe, stages=self.recipe.stages[: len(made.stages)])
        if made != so_far or facts["steps"] != made.steps or not later or not later[0].restart:
            raise ModelFileError(
                f"The weights in '{weights}' are not those of the first stages of this recipe, after which a stage "
                "with 'restart = true' comes: name weights of these stages, or train from nothing."
            )
        self.average.module.load_state_dict(load_encoder(weights).state_dict())
        self.step, self.seconds = made.steps, 60 * float(facts["minutes"])

    def update(self, loss: Tensor) -> None:
        """Take one step down the gradient of the loss; a step without a finite gradient changes no weight."""
        place, step = self.recipe.at(self.step)
        for group in self.optimizer.param_groups:
            group["lr"] = self.recipe.stages[place].rate_at(step + 1)
        self.step += 1
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
