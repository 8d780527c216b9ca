"""Pretraining of the order model: simulator processes feed the trainer, and a killed run resumes bit for bit.

Step t trains on a batch that is a function of the recipe and t alone, so a checkpoint needs no random state. Under
torchrun every process trains on batches of its own, and gradients are averaged.
"""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from fipscm.errors import ModelFileError
from fipscm.order.training.examples import batch_of_step
from fipscm.order.training.journal import CHECKPOINT, Journal, Tell
from fipscm.order.training.objectives import COURSES
from fipscm.order.training.pool import BatchPool, in_the_other_scale
from fipscm.order.training.recipe import Recipe
from fipscm.order.training.trainer import Trainer
from fipscm.order.weights import Encoder, save_encoder
from fipscm.tables.archive import load_archive

SAVE_MINUTES = 3.0  # a killed run loses no more


class TaskStream(IterableDataset[Any]):
    """The batches of one trainer from a given step on, dealt out to its simulator processes in turn."""

    def __init__(self, recipe: Recipe, folder: Path, start: int, rank: int = 0, trainers: int = 1):
        self.recipe, self.folder, self.start = recipe, folder, start
        self.rank, self.trainers = rank, trainers

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        for step in range(self.start + worker, self.recipe.steps, workers):
            yield self._batch(step)

    def _batch(self, step: int) -> Any:
        place, step = self.recipe.at(step)
        stage, seeds = self.recipe.stages[place], (self.recipe.seed, place)
        number, in_other_scale = batch_of_step(stage, step, seeds)
        index = number * self.trainers + self.rank
        course = COURSES[type(self.recipe.network)]
        simulate = partial(course.batch, stage, self.recipe.network, (*seeds, index))
        if stage.passes == 1:
            return simulate()
        pool = BatchPool(self.folder / str(place))
        pool.forget((number - stage.pool) * self.trainers + self.rank)
        batch = pool.batch(index, simulate)
        return in_the_other_scale(batch) if in_other_scale else batch


def pretrain(
    recipe: Recipe,
    run: Path,
    minutes: float = math.inf,
    steps: float = math.inf,
    *,
    simulators: int = 1,
    weights: Path | None = None,
    after: Path | None = None,
    save_minutes: float = SAVE_MINUTES,
    tell: Tell = lambda line: None,
) -> Trainer:
    """Train by a recipe until its end, or for some minutes; a run folder with a checkpoint is resumed.

    Args:
        recipe: what is trained, and how.
        run: folder of the log, the learning curve and the checkpoint.
        minutes: how long this call may take.
        steps: the step after which it stops, wherever the recipe ends.
        simulators: processes that simulate training tables; with 0 the trainer does it itself.
        weights: where to write the averaged weights at the end.
        after: weights of the recipe's first stages, which a new run then leaves out; the next one is to restart.
        save_minutes: minutes between two checkpoints.
        tell: called with every line of the log.
    """
    run.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(recipe)
    if (run / CHECKPOINT).exists():
        _resume(trainer, run / CHECKPOINT, recipe)
    elif after is not None:
        trainer.begin_after(after)
    with _process_group() as (rank, trainers):
        stream = TaskStream(recipe, run / "batches", trainer.step, rank, trainers)
        _train(trainer, stream, simulators, Journal(run, trainer, minutes, steps, save_minutes, tell, writes=rank == 0))
        if weights is not None and rank == 0:
            _export(trainer, weights)
    return trainer


def _resume(trainer: Trainer, checkpoint: Path, recipe: Recipe) -> None:
    """Go on with a run, if what it has done so far is what the recipe says; later stages may differ."""
    facts = load_archive(checkpoint, "checkpoint")[1]
    before = Recipe.parse(facts["recipe"])
    begun = 0 if facts["step"] == 0 else before.at(facts["step"] - 1)[0] + 1
    for part in ("seed", "network", "optimizer"):
        if getattr(before, part) != getattr(recipe, part):
            raise ModelFileError(
                f"The run in '{checkpoint.parent}' has another {part} ({_shown(getattr(before, part))}, not "
                f"{_shown(getattr(recipe, part))}): resume it with its own recipe, or train in another folder."
            )
    if before.stages[:begun] != recipe.stages[:begun]:
        raise ModelFileError(
            f"The run in '{checkpoint.parent}' was trained by another recipe so far: resume it with its own, or train "
            "in another folder."
        )
    trainer.load(checkpoint)


def _shown(part: Any) -> str:
    return str(part) if isinstance(part, int) else ", ".join(f"{name} {value}" for name, value in asdict(part).items())


def _train(trainer: Trainer, stream: TaskStream, simulators: int, journal: Journal) -> None:
    objective = COURSES[type(trainer.recipe.network)].objective(trainer.encoder)
    if stream.trainers > 1:
        objective = DistributedDataParallel(objective)
    ahead = 8 if simulators else None
    batches = iter(DataLoader(stream, batch_size=None, num_workers=simulators, prefetch_factor=ahead))
    while not journal.over():
        batch = next(batches)
        trainer.restart_if_due()
        with _generator_of_step(trainer):
            loss, figures = objective(batch)
        trainer.update(loss)
        journal.note(figures)
    journal.close()


@contextmanager
def _generator_of_step(trainer: Trainer) -> Iterator[None]:
    """Let dropout depend on the recipe and the step alone, and leave PyTorch's global generator as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(np.random.default_rng([trainer.recipe.seed, trainer.step]).integers(2**63)))
        yield


def _export(trainer: Trainer, path: Path) -> None:
    """Write the averaged weights as a file to ship, with what made them."""
    facts = {"steps": trainer.step, "minutes": round(trainer.seconds / 60, 1)}
    save_encoder(cast(Encoder, trainer.average.module), path, trainer.recipe.content(), facts)


@contextmanager
def _process_group() -> Iterator[tuple[int, int]]:
    """Join the other trainers if torchrun started several; yields this one's rank and their number."""
    if "WORLD_SIZE" not in os.environ:
        yield 0, 1
        return
    dist.init_process_group("gloo")
    try:
        yield dist.get_rank(), dist.get_world_size()
        dist.barrier()  # no trainer may leave while another still sends
    finally:
        dist.destroy_process_group()
