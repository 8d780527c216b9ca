"""The log, the learning curve and the checkpoints of a training run."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch import distributed as dist

from fipscm.order.training.objectives import COURSES
from fipscm.order.training.trainer import Trainer
from fipscm.tables.write import write_whole

CHECKPOINT, LOG, CURVE = "checkpoint.safetensors", "log.jsonl", "curve.png"
LOG_EVERY = 20  # steps
Tell = Callable[[dict[str, float]], object]


class Journal:
    """What a run writes down, and when it is over; of several trainers only the first writes."""

    def __init__(
        self, run: Path, trainer: Trainer, minutes: float, steps: float, save_minutes: float, tell: Tell, writes: bool
    ):
        self.run, self.trainer, self.tell, self.writes = run, trainer, tell, writes
        self.minutes, self.save_minutes = minutes, save_minutes
        self.steps = min(steps, trainer.recipe.steps)
        self.began = self.saved = time.monotonic()
        self.before = trainer.seconds
        self.window: list[Tensor] = []
        if writes:
            self._drop_lines_after_checkpoint()

    def over(self) -> bool:
        """Tell whether the time or the steps are used up; several trainers stop together."""
        late = torch.tensor(float(time.monotonic() - self.began >= 60 * self.minutes))
        if dist.is_initialized():
            dist.broadcast(late, src=0)
        return bool(late) or self.trainer.step >= self.steps

    def note(self, figures: Tensor) -> None:
        """Collect the figures of a step; every few steps write a line, every few minutes a checkpoint."""
        if not self.writes:
            return
        self.window.append(figures)
        if self.trainer.step % LOG_EVERY:
            return
        self._clock()
        means = torch.stack(self.window).mean(dim=0).tolist()
        line = {"step": self.trainer.step, "minutes": self.trainer.seconds / 60}
        line |= dict(zip(COURSES[type(self.trainer.recipe.network)].figures, means, strict=True))
        with (self.run / LOG).open("a") as file:
            file.write(json.dumps(line) + "\n")
        self.tell(line)
        self.window = []
        if time.monotonic() - self.saved >= 60 * self.save_minutes:
            self._save()

    def close(self) -> None:
        """Save one last time."""
        if self.writes:
            self._clock()
            self._save()

    def _clock(self) -> None:
        self.trainer.seconds = self.before + time.monotonic() - self.began

    def _save(self) -> None:
        self.trainer.save(self.run / CHECKPOINT, {"recipe": self.trainer.recipe.content()})
        if (self.run / LOG).exists():
            draw_curve(self.run / LOG, self.run / CURVE)
        self.saved = time.monotonic()

    def _drop_lines_after_checkpoint(self) -> None:
        """A killed run may have logged steps beyond its last checkpoint, which are now repeated."""
        log = self.run / LOG
        if log.exists():
            whole = [line for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
            kept = [line for line in whole if json.loads(line)["step"] <= self.trainer.step]
            write_whole(log, lambda file: file.write("".join(kept).encode()))


def draw_curve(log: Path, picture: Path) -> None:
    """Draw the smoothed figures of a log over the minutes: losses on one side, the others on the other."""
    table = pd.read_json(log, lines=True).set_index("minutes").drop(columns="step")
    smooth = table.ewm(span=10).mean()
    is_loss = smooth.columns.str.endswith("loss")
    sides = [side for side in (smooth.loc[:, is_loss], smooth.loc[:, ~is_loss]) if side.shape[1]]
    figure = Figure(figsize=(5 * len(sides), 4), layout="constrained")
    for axis, side in zip(figure.subplots(1, len(sides), squeeze=False)[0], sides, strict=True):
        side.plot(ax=axis, xlabel="minutes", grid=True)
    write_whole(picture, lambda file: figure.savefig(file, format="png", dpi=100))
