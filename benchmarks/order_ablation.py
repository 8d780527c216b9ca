"""What each group of statistics is worth: python benchmarks/order_ablation.py.

Training goes on from trained weights on the same simulated tables with one group of statistics left out at a time, long
enough to learn to do without it; the scores are of other tables of the training distribution.
"""

from dataclasses import replace
from pathlib import Path

import torch
import typer

from fipscm.order.evidence.contingency import CONTINGENCY
from fipscm.order.evidence.contrasts import CONTRASTS
from fipscm.order.evidence.table import CELL_STATISTICS, KIND_FLAGS, STATISTICS
from fipscm.order.training.examples import Slab, training_batch
from fipscm.order.training.objectives import COURSES, EvidenceObjective
from fipscm.order.training.recipe import OptimizerConfig, Recipe
from fipscm.order.training.trainer import Trainer
from fipscm.order.weights import WEIGHTS, load_encoder

# Words in the names of the statistics that are left out.
GROUPS: dict[str, tuple[str, ...]] = {
    "nothing": (),
    "the view by ranks": (", by ranks",),
    "the view by values": (", by values",),
    "contrasts of two columns alone": CONTRASTS,
    "regression error contrast": ("regression error contrast",),
    "dependences of binned columns": CONTINGENCY,
    "kinds of columns": KIND_FLAGS,
    "cells of columns": CELL_STATISTICS,
    "interaction residuals": ("interaction:", "the interaction residual"),
    "comparison with the rest of a residual": ("of the rest",),
}


def without(words: tuple[str, ...], slab: Slab) -> Slab:
    """Set every statistic to zero whose name has one of these words in it."""
    pair, node = (
        torch.tensor([float(not any(word in name for word in words)) for name in names])
        for names in (STATISTICS.pair, STATISTICS.node)
    )
    return replace(slab, pair=slab.pair * pair, node=slab.node * node)


def main(batches: int = 60, epochs: int = 2, held_out: int = 60, seed: int = 1, weights: Path = WEIGHTS) -> None:
    torch.set_num_threads(1)
    shipped, start = Recipe.read("shipped"), load_encoder(weights)
    sizes = replace(shipped.stages[-1], nodes=((3, 15, 1.0),), rows=(100, 2_000))
    stage = replace(sizes, steps=batches * epochs, rate=1e-4, warmup=20, cooldown=0)
    recipe = replace(shipped, stages=(stage,), optimizer=OptimizerConfig(weight_decay=1e-3, clip=1.0, memory=50))
    pool = [training_batch(stage, (seed, index)) for index in range(batches)]
    test = [training_batch(stage, (seed + 1, index)) for index in range(held_out)]
    names = COURSES[type(recipe.network)].figures
    print("| left out | " + " | ".join(names) + " |")
    print("| --- " * (len(names) + 1) + "|")
    for name, words in GROUPS.items():
        trainer = Trainer(recipe)
        for network in (trainer.encoder, trainer.average.module):
            network.load_state_dict(start.state_dict())
        objective = EvidenceObjective(trainer.encoder)
        for _ in range(epochs):
            for batch in pool:
                trainer.update(objective([without(words, slab) for slab in batch])[0])
        averaged = EvidenceObjective(trainer.average.module)
        with torch.no_grad():
            figures = torch.stack([averaged([without(words, slab) for slab in batch])[1] for batch in test])
        print(f"| {name} | " + " | ".join(f"{figure:.3f}" for figure in figures.mean(dim=0)) + " |", flush=True)


if __name__ == "__main__":
    typer.run(main)
