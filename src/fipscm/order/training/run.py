"""Pretraining of the order model: simulator processes feed the trainer, and a killed run resumes bit for bit.

Step t trains on batch t of the task stream, a function of the seed and t alone, so a checkpoint needs no random state.
Under torchrun every process trains on batches of its own, and gradients are averaged.
"""

import math
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, cast

from torch import distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from fipscm.errors import ModelFileError
from fipscm.order.training.config import PretrainConfig
from fipscm.order.training.examples import batch_of_step, curriculum
from fipscm.order.training.journal import CHECKPOINT, Journal, Tell
from fipscm.order.training.objectives import COURSES
from fipscm.order.training.pool import BatchPool, in_the_other_scale
from fipscm.order.training.trainer import Trainer
from fipscm.order.weights import Encoder, load_encoder, save_encoder
from fipscm.tables.archive import load_archive

__all__ = ["PretrainConfig", "curriculum", "pretrain"]


class TaskStream(IterableDataset[Any]):
    """The batches of one trainer from a given step on, dealt out to its simulator processes in turn."""

    def __init__(self, config: PretrainConfig, folder: Path, start: int, rank: int = 0, trainers: int = 1):
        self.config, self.pool, self.start = config, BatchPool(folder), start
        self.rank, self.trainers = rank, trainers

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        step = self.start + worker
        while True:
            yield self._batch(step)
            step += workers

    def _batch(self, step: int) -> Any:
        tasks = self.config.tasks
        number, in_other_scale = batch_of_step(tasks, step)
        index = number * self.trainers + self.rank
        simulate = partial(COURSES[type(self.config.encoder)].batch, tasks, self.config.encoder, index)
        if tasks.passes == 1:
            return simulate()
        self.pool.forget((number - tasks.pool) * self.trainers + self.rank)
        batch = self.pool.batch(index, simulate)
        return in_the_other_scale(batch) if in_other_scale else batch


def pretrain(
    config: PretrainConfig,
    run: Path,
    minutes: float = math.inf,
    steps: float = math.inf,
    *,
    start: Path | None = None,
    simulators: int = 1,
    weights: Path | None = None,
    tell: Tell = lambda line: None,
) -> Trainer:
    """Train for some minutes, or until a number of steps in all; a run folder with a checkpoint is resumed.

    Args:
        config: what is trained, and how.
        run: folder of the log, the learning curve and the checkpoint.
        minutes: how long this call may take.
        steps: how many steps the run may have in all, those before a resume included.
        start: weights that a new run begins with; without, it begins with random ones.
        simulators: processes that simulate training tables; with 0 the trainer does it itself.
        weights: where to write the averaged weights at the end.
        tell: called with every line of the log.
    """
    run.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(config.encoder, config.optimizer, config.tasks.seed)
    if (run / CHECKPOINT).exists():
        _resume(trainer, run / CHECKPOINT, config)
        if start is not None:
            warnings.warn(
                f"The run in '{run}' goes on from its own checkpoint, so the weights in '{start}' are not used.",
                stacklevel=2,
            )
    elif start is not None:
        _begin(trainer, start)
    with _process_group() as (rank, trainers):
        stream = TaskStream(config, run / "batches", trainer.step, rank, trainers)
        _train(trainer, stream, simulators, Journal(config, run, trainer, minutes, steps, tell, writes=rank == 0))
        if weights is not None and rank == 0:
            _export(trainer, config, weights)
    return trainer


def _resume(trainer: Trainer, checkpoint: Path, config: PretrainConfig) -> None:
    before = load_archive(checkpoint, "checkpoint")[1]["config"]
    if before["encoder"] != asdict(config.encoder):
        raise ModelFileError(
            f"The run in '{checkpoint.parent}' trains another encoder ({_sizes(before['encoder'])}, not "
            f"{_sizes(asdict(config.encoder))}): resume it with its own, or train in another folder."
        )
    if before["tasks"]["seed"] != config.tasks.seed:
        raise ModelFileError(
            f"The run in '{checkpoint.parent}' has the seed {before['tasks']['seed']}, not {config.tasks.seed}: "
            "resume it with its own seed, or train in another folder."
        )
    trainer.load(checkpoint)


def _begin(trainer: Trainer, start: Path) -> None:
    encoder = load_encoder(start)
    found, wanted = encoder.description(), trainer.encoder.description()
    if found != wanted and not _can_grow(found, wanted):
        raise ModelFileError(
            f"The weights in '{start}' are of another encoder ({_sizes(found)}) than the one to train "
            f"({_sizes(wanted)}): name weights of the same encoder, or train the one of the weights."
        )
    trainer.begin_with(encoder)


def _can_grow(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Tell whether one encoder can begin with what another has learned: one of both views, with as many rounds."""
    grown = found | {"evidence": "views", "rounds": wanted.get("rounds")}
    return wanted == grown and found["rounds"] <= wanted["rounds"]


def _sizes(description: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in description.items())


def _train(trainer: Trainer, stream: TaskStream, simulators: int, journal: Journal) -> None:
    objective = COURSES[type(trainer.encoder.config)].objective(trainer.encoder)
    if stream.trainers > 1:
        objective = DistributedDataParallel(objective)
    ahead = 4 if simulators else None
    batches = iter(DataLoader(stream, batch_size=None, num_workers=simulators, prefetch_factor=ahead))
    while not journal.over():
        loss, figures = objective(next(batches))
        trainer.update(loss)
        journal.note(figures)
    journal.close()


_P_IN = "P_IN, presets avici and released, half of the time with other noises; no Laplace noise, no P_OUT"
_PRIORS = {
    "p-in": _P_IN,
    "wide": f"one in four: {_P_IN}; half: the same with other functions, kinds of noise, hidden causes and sensors; "
    "the others mix mechanisms, noises, sensors, kinds",
}


def _export(trainer: Trainer, config: PretrainConfig, path: Path) -> None:
    """Write the averaged weights as a file to ship, with what made them; scores are added by whoever measures them."""
    facts: dict[str, Any] = {
        "command": config.command,
        "seed": config.tasks.seed,
        "steps": trainer.step,
        "minutes": round(trainer.seconds / 60, 1),
        "prior": _PRIORS[config.tasks.prior],
        "config": asdict(config),
        "scores": {},
    }
    save_encoder(cast(Encoder, trainer.average.module), path, facts)


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
