"""What each group of statistics is worth: python benchmarks/order_ablation.py.

Training goes on from trained weights on the same simulated tables with one group of pair statistics set to zero at a
time, long enough to learn to do without it; the scores are of other tables of the training distribution.
"""

from dataclasses import replace
from pathlib import Path

import torch
import typer

from fipscm.order.evidence.plan import ONE_VIEW
from fipscm.order.training.examples import Slab, curriculum, training_batch
from fipscm.order.training.objectives import EvidenceObjective
from fipscm.order.training.trainer import OptimizerConfig, Trainer
from fipscm.order.weights import WEIGHTS, load_encoder

GROUPS = {
    "nothing": (),
    "interaction residuals": ("interaction:",),
    "additive and interaction residuals": ("interaction:", "additive:"),
    "comparison with the rest of a residual": ("of the rest",),
    "comparison with values": ("of values",),
    "what a variable needs (drop losses, sizes)": ("need of", "size of i"),
    "every residual": ("interaction:", "additive:", "linear:"),
}


def kept_statistics(words: tuple[str, ...]) -> torch.Tensor:
    return torch.tensor([float(not any(word in name for word in words)) for name in ONE_VIEW.pair])


def blanked(batch: list[Slab], kept: torch.Tensor) -> list[Slab]:
    return [replace(slab, pair=slab.pair * kept) for slab in batch]


def main(
    batches: int = 120,
    epochs: int = 2,
    held_out: int = 60,
    seed: int = 1,
    weights: Path = WEIGHTS,
) -> None:
    torch.set_num_threads(1)
    start = load_encoder(weights)
    pool = [training_batch(curriculum("small", seed), index) for index in range(batches)]
    test = [training_batch(curriculum("small", seed + 1), index) for index in range(held_out)]
    print("| left out | leaf loss | parent loss | top-1 leaf, standardized | top-1 leaf, raw |")
    print("| --- | --- | --- | --- | --- |")
    for name, words in GROUPS.items():
        kept = kept_statistics(words)
        trainer = Trainer(start.config, OptimizerConfig(memory=50), seed)
        trainer.begin_with(start)
        objective = EvidenceObjective(trainer.encoder)
        for _ in range(epochs):
            for batch in pool:
                trainer.update(objective(blanked(batch, kept))[0])
        averaged = EvidenceObjective(trainer.average.module)
        with torch.no_grad():
            figures = torch.stack([averaged(blanked(batch, kept))[1] for batch in test]).mean(dim=0)
        print(f"| {name} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |", flush=True)


if __name__ == "__main__":
    typer.run(main)
