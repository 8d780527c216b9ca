"""Pretraining of the order model: simulator processes feed the trainer, and a killed run resumes bit for bit.

Step t trains on batch t of the task stream, a function of the seed and t alone, so a checkpoint needs no random state.
Under torchrun every process trains on batches of its own, and gradients are averaged.
"""

import json
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch import distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from fipscm.errors import ModelFileError
from fipscm.order.encoder import EvidenceConfig, EvidenceEncoder
from fipscm.order.training.loss import task_loss, top_hits
from fipscm.order.training.tasks import Slab, TaskConfig, curriculum, training_batch
from fipscm.order.training.trainer import OptimizerConfig, Trainer
from fipscm.order.weights import save_encoder
from fipscm.tables.write import write_whole

__all__ = ["PretrainConfig", "curriculum", "pretrain"]

CHECKPOINT, LOG, CURVE = "checkpoint.safetensors", "log.jsonl", "curve.png"
FIGURES = ("leaf loss", "parent loss", "top-1 leaf, standardized", "top-1 leaf, raw")
Told = Callable[[dict[str, float]], object]


@dataclass(frozen=True)
class PretrainConfig:
    """A training run: what it sees, what it trains, how, how often it tells, and the command its weights remember."""

    tasks: TaskConfig = field(default_factory=TaskConfig)
    encoder: EvidenceConfig = field(default_factory=EvidenceConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    log_every: int = 20
    save_minutes: float = 3.0
    command: str = "pretrain"


class TaskStream(IterableDataset[list[Slab]]):
    """The batches of one trainer from a given step on, dealt out to its simulator processes in turn."""

    def __init__(self, config: TaskConfig, start: int, rank: int = 0, trainers: int = 1):
        self.config, self.start, self.rank, self.trainers = config, start, rank, trainers

    def __iter__(self) -> Iterator[list[Slab]]:
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        step = self.start + worker
        while True:
            yield training_batch(self.config, step * self.trainers + self.rank)
            step += workers


class Objective(nn.Module):
    """The loss of a batch as one forward pass, so that it can be distributed; each table is read in both scales."""

    def __init__(self, encoder: EvidenceEncoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, batch: list[Slab]) -> tuple[Tensor, Tensor]:
        """Return the loss, and the FIGURES for the log."""
        rows = []
        for slab in batch:
            for raw in (0.0, 1.0):
                logits = self.encoder(slab.pair, slab.node, slab.scale, torch.full((len(slab.pair),), raw))
                loss = task_loss(logits, slab.leaf, slab.parent)
                rows.append(torch.stack([*loss, top_hits(logits.leaf, slab.leaf).mean()]))
        figures = torch.stack(rows).view(len(batch), 2, 3)
        leaf, parent = figures[..., 0].mean(), figures[..., 1].mean()
        return leaf + parent, torch.stack([leaf, parent, *figures[..., 2].mean(dim=0)]).detach()


def pretrain(
    config: PretrainConfig,
    run: Path,
    minutes: float = math.inf,
    steps: float = math.inf,
    *,
    simulators: int = 1,
    weights: Path | None = None,
    tell: Told = lambda line: None,
) -> Trainer:
    """Train for some minutes, or until a number of steps in all; a run folder with a checkpoint is resumed.

    Args:
        config: what is trained, and how.
        run: folder of the log, the learning curve and the checkpoint.
        minutes: how long this call may take.
        steps: how many steps the run may have in all, those before a resume included.
        simulators: processes that make training tables; none: the trainer makes them itself.
        weights: where to write the averaged weights at the end.
        tell: hears every line of the log.
    """
    run.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(config.encoder, config.optimizer, config.tasks.seed)
    if (run / CHECKPOINT).exists():
        _resume(trainer, run / CHECKPOINT, config)
    with _process_group() as (rank, trainers):
        stream = TaskStream(config.tasks, trainer.step, rank, trainers)
        _train(trainer, stream, simulators, _Journal(config, run, trainer, minutes, steps, tell, writes=rank == 0))
        if weights is not None and rank == 0:
            _export(trainer, config, weights)
    return trainer


def _resume(trainer: Trainer, checkpoint: Path, config: PretrainConfig) -> None:
    before = trainer.load(checkpoint)["config"]["tasks"]["seed"]
    if before != config.tasks.seed:
        raise ModelFileError(
            f"The run in '{checkpoint.parent}' has the seed {before}, not {config.tasks.seed}: "
            "resume it with its own seed, or train in another folder."
        )


def _train(trainer: Trainer, stream: TaskStream, simulators: int, journal: "_Journal") -> None:
    objective: nn.Module = Objective(trainer.encoder)
    if stream.trainers > 1:
        objective = DistributedDataParallel(objective)
    ahead = 4 if simulators else None
    batches = iter(DataLoader(stream, batch_size=None, num_workers=simulators, prefetch_factor=ahead))
    while not journal.over():
        loss, figures = objective(next(batches))
        trainer.update(loss)
        journal.note(figures)
    journal.close()


def _export(trainer: Trainer, config: PretrainConfig, path: Path) -> None:
    """Write the averaged weights as a file to ship, with what made them; scores are added by whoever measures them."""
    facts: dict[str, Any] = {
        "command": config.command,
        "seed": config.tasks.seed,
        "steps": trainer.step,
        "minutes": round(trainer.seconds / 60, 1),
        "prior": "P_IN, presets avici and released, half of the time with other noises; no Laplace noise, no P_OUT",
        "config": asdict(config),
        "scores": {},
    }
    save_encoder(cast(EvidenceEncoder, trainer.average.module), path, facts)


class _Journal:
    """The log, the learning curve and the checkpoints of a run; only the first of several trainers writes."""

    def __init__(
        self,
        config: PretrainConfig,
        run: Path,
        trainer: Trainer,
        minutes: float,
        steps: float,
        tell: Told,
        writes: bool,
    ):
        self.config, self.run, self.trainer, self.tell, self.writes = config, run, trainer, tell, writes
        self.minutes, self.steps = minutes, steps
        self.began = self.saved = time.monotonic()
        self.before = trainer.seconds
        self.window: list[Tensor] = []
        if writes:
            self._forget_later_lines()

    def over(self) -> bool:
        """Tell whether the time or the steps are used up; several trainers stop together."""
        late = torch.tensor(float(time.monotonic() - self.began >= 60 * self.minutes))
        if dist.is_initialized():
            dist.broadcast(late, src=0)
        return bool(late) or self.trainer.step >= self.steps

    def note(self, figures: Tensor) -> None:
        """Remember the figures of a step; now and then write them down and save."""
        if not self.writes:
            return
        self.window.append(figures)
        if self.trainer.step % self.config.log_every:
            return
        self._clock()
        means = torch.stack(self.window).mean(dim=0).tolist()
        line = {"step": self.trainer.step, "minutes": self.trainer.seconds / 60}
        line |= dict(zip(FIGURES, means, strict=True))
        with (self.run / LOG).open("a") as file:
            file.write(json.dumps(line) + "\n")
        self.tell(line)
        self.window = []
        if time.monotonic() - self.saved >= 60 * self.config.save_minutes:
            self._save()

    def close(self) -> None:
        """Save one last time."""
        if self.writes:
            self._clock()
            self._save()

    def _clock(self) -> None:
        self.trainer.seconds = self.before + time.monotonic() - self.began

    def _save(self) -> None:
        self.trainer.save(self.run / CHECKPOINT, {"config": asdict(self.config)})
        if (self.run / LOG).exists():
            draw_curve(self.run / LOG, self.run / CURVE)
        self.saved = time.monotonic()

    def _forget_later_lines(self) -> None:
        """A killed run may have logged steps beyond its last checkpoint, which are now repeated."""
        log = self.run / LOG
        if log.exists():
            whole = [line for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
            kept = [line for line in whole if json.loads(line)["step"] <= self.trainer.step]
            write_whole(log, lambda file: file.write("".join(kept).encode()))


def draw_curve(log: Path, picture: Path) -> None:
    """Draw the smoothed learning curve of a log."""
    table = pd.read_json(log, lines=True).set_index("minutes")
    smooth = table[list(FIGURES)].ewm(span=10).mean()
    figure = Figure(figsize=(10, 4), layout="constrained")
    axes = figure.subplots(1, 2)
    for axis, names in zip(axes, (FIGURES[:2], FIGURES[2:]), strict=True):
        smooth[list(names)].plot(ax=axis, xlabel="minutes", grid=True)
    write_whole(picture, lambda file: figure.savefig(file, format="png", dpi=100))


@contextmanager
def _process_group() -> Iterator[tuple[int, int]]:
    """Join the other trainers if torchrun started several; yields this one's rank and their number."""
    if "WORLD_SIZE" not in os.environ:
        yield 0, 1
        return
    dist.init_process_group("gloo")
    try:
        yield dist.get_rank(), dist.get_world_size()
        dist.barrier()  # nobody leaves while another still talks
    finally:
        dist.destroy_process_group()
