"""Training the transformer on the residuals of the skip. Shapes: N rows, D variables, Q trained nodes."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn

from fipscm.mechanism.network.transformer import CausalTransformer, Parents
from fipscm.tables.archive import load_archive, save_archive
from fipscm.tables.checkpoint import optimizer_arrays, restore_module, restore_optimizer, to_arrays, to_tensors

CELLS = 2**19  # rows times slots at a time: intermediate results should stay in the processor's cache


@dataclass(frozen=True)
class TrainingConfig:
    """How the transformer is trained: AdamW with warm-up, cosine decay and early stopping."""

    epochs: int = 30
    batch: int = 256
    rate: float = 2e-3
    warm_up: float = 0.05
    weight_decay: float = 0.1
    clip: float = 1.0
    validation: float = 0.1
    patience: int = 3


@dataclass
class Progress:
    """Where a training run stands; everything a resumed run needs besides the data."""

    network: CausalTransformer
    optimizer: torch.optim.Optimizer
    generator: torch.Generator
    epoch: int = 0
    best: float = math.inf
    best_epoch: int = 0
    best_weights: dict[str, Tensor] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Write the state; an interrupted write leaves the old one whole."""
        arrays = {
            **to_arrays(self.network.state_dict(), "network."),
            **to_arrays(self.best_weights, "best."),
            **optimizer_arrays(self.optimizer),
            "generator": self.generator.get_state().numpy(),
        }
        facts = {"epoch": self.epoch, "best": self.best, "best_epoch": self.best_epoch}
        save_archive(path, "checkpoint", arrays, facts)

    def load(self, path: Path) -> None:
        """Continue from a saved state."""
        arrays, facts = load_archive(path, "checkpoint")
        restore_module(self.network, arrays, "network.")
        restore_optimizer(self.optimizer, arrays)
        self.generator.set_state(torch.from_numpy(arrays["generator"].copy()))
        self.epoch, self.best, self.best_epoch = facts["epoch"], facts["best"], facts["best_epoch"]
        self.best_weights = to_tensors(arrays, "best.")


def train(
    network: CausalTransformer,
    parents: Parents,
    x: Tensor,
    target: Tensor,
    fitted: int,
    config: TrainingConfig,
    generator: torch.Generator,
    report: Callable[[Progress], None] = lambda progress: None,
    checkpoint: Path | None = None,
) -> Progress:
    """Fit the network's nodes (N, Q) to the target on the first rows; keep the weights best on the later ones.

    The target is NaN where a row does not tell about a node.
    Training stops when the held-out error has not improved for `patience` epochs. A loss that is not finite stops it
    too, with the last good weights and a warning.
    """
    progress = Progress(network, _optimizer(network, config), generator)
    if checkpoint is not None and checkpoint.exists():
        progress.load(checkpoint)
    else:
        _keep_best(progress, held_out_errors(network, parents, x, target, fitted).mean().item())
    while progress.epoch < config.epochs and progress.epoch - progress.best_epoch < config.patience:
        finite = _epoch(progress, parents, x[:fitted], target[:fitted], config)
        progress.epoch += 1
        error = held_out_errors(network, parents, x, target, fitted).mean().item()
        if not (finite and math.isfinite(error)):
            warnings.warn(
                f"Training diverged in epoch {progress.epoch} (the loss is not finite): the weights of epoch "
                f"{progress.best_epoch} are kept. Lower the learning rate, or look for extreme values in the table.",
                RuntimeWarning,
                stacklevel=2,
            )
            break
        if error < progress.best:
            _keep_best(progress, error)
        if checkpoint is not None:
            progress.save(checkpoint)
        report(progress)
    network.load_state_dict(progress.best_weights)
    return progress


def chunked_backward(network: CausalTransformer, parents: Parents, x: Tensor, target: Tensor) -> None:
    """Add the gradient of the mean loss over (B, Q), a few rows at a time: the same sum, in less memory."""
    rows = max(1, CELLS // parents.slots)
    for inputs, wanted in zip(torch.split(x, rows), torch.split(target, rows), strict=True):
        loss = network.losses(inputs, parents, wanted).sum() / target.numel()
        loss.backward()  # type: ignore[no-untyped-call]


def held_out_errors(network: CausalTransformer, parents: Parents, x: Tensor, target: Tensor, fitted: int) -> Tensor:
    """Losses of the rows after the first ones: (N - fitted, Q), zero where the target is not known."""
    with torch.no_grad():
        rows = max(1, CELLS // parents.slots)
        pieces = zip(torch.split(x[fitted:], rows), torch.split(target[fitted:], rows), strict=True)
        return torch.cat([network.losses(inputs, parents, wanted) for inputs, wanted in pieces])


def _epoch(progress: Progress, parents: Parents, x: Tensor, target: Tensor, config: TrainingConfig) -> bool:
    """Go through the rows once; stop and return False as soon as a gradient is not finite."""
    batches = max(1, len(x) // config.batch)
    for step, rows in enumerate(torch.randperm(len(x), generator=progress.generator).tensor_split(batches)):
        for group in progress.optimizer.param_groups:
            group["lr"] = config.rate * _schedule((progress.epoch + step / batches) / config.epochs, config.warm_up)
        progress.optimizer.zero_grad()
        chunked_backward(progress.network, parents, x[rows], target[rows])
        if not math.isfinite(nn.utils.clip_grad_norm_(progress.network.parameters(), config.clip).item()):
            return False
        progress.optimizer.step()
    return True


def _keep_best(progress: Progress, error: float) -> None:
    progress.best, progress.best_epoch = error, progress.epoch
    progress.best_weights = {name: value.detach().clone() for name, value in progress.network.state_dict().items()}


def _schedule(done: float, warm_up: float) -> float:
    """Share of the peak rate after this share of the run."""
    return min(1.0, (done + 1e-3) / warm_up) * 0.5 * (1 + math.cos(math.pi * done))


def _optimizer(network: CausalTransformer, config: TrainingConfig) -> torch.optim.Optimizer:
    matrices = [parameter for parameter in network.parameters() if parameter.dim() == 2]
    others = [parameter for parameter in network.parameters() if parameter.dim() != 2]
    groups = [{"params": matrices, "weight_decay": config.weight_decay}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=config.rate, betas=(0.9, 0.99))
