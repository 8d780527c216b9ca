"""What each group of statistics is worth: python benchmarks/order_ablation.py.

Training goes on from trained weights on the same simulated tables with one group of statistics left out at a time, long
enough to learn to do without it; the scores are of other tables of the training distribution.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
import typer

from fipscm.order.evidence.pairs import PAIR_CONTRASTS
from fipscm.order.evidence.plan import SCALED
from fipscm.order.evidence.views import RELIABILITY, STATISTICS
from fipscm.order.training.examples import Slab, curriculum, training_batch
from fipscm.order.training.objectives import EvidenceObjective
from fipscm.order.training.trainer import OptimizerConfig, Trainer
from fipscm.order.weights import SMOOTH_WEIGHTS, load_encoder

NAMES = STATISTICS["views"]


def without(words: tuple[str, ...], slab: Slab) -> Slab:
    """Set every statistic to zero whose name has one of these words in it."""
    pair, node = (
        torch.tensor([float(not any(word in name for word in words)) for name in names])
        for names in (NAMES.pair, NAMES.node)
    )
    return replace(slab, pair=slab.pair * pair, node=slab.node * node)


def twice(view: int, slab: Slab) -> Slab:
    """Show one view in place of both; pair and node are (B, V, D, ...)."""
    return replace(slab, pair=slab.pair[:, [view, view]], node=slab.node[:, [view, view]])


GROUPS: dict[str, Callable[[Slab], Slab]] = {
    "nothing": lambda slab: slab,
    "the view by ranks": partial(twice, 0),
    "the view by values": partial(twice, 1),
    "residuals freed of mean and scale": partial(without, (f"{SCALED}:", f"the {SCALED} residual")),
    "asymmetry of residuals": partial(without, ("sign,", "cube,")),
    "contrasts of two columns alone": partial(without, PAIR_CONTRASTS),
    "reliability of columns": partial(without, RELIABILITY),
    "interaction residuals": partial(without, ("interaction:", "the interaction residual")),
    "comparison with the rest of a residual": partial(without, ("of the rest",)),
}


def main(batches: int = 60, epochs: int = 2, held_out: int = 60, seed: int = 1, weights: Path = SMOOTH_WEIGHTS) -> None:
    torch.set_num_threads(1)
    start, sizes = load_encoder(weights), replace(curriculum("wide", seed), nodes=((3, 15, 1.0),), rows=(100, 2_000))
    pool = [training_batch(sizes, index, "views") for index in range(batches)]
    test = [training_batch(replace(sizes, seed=seed + 1), index, "views") for index in range(held_out)]
    print("| left out | leaf loss | parent loss | hidden-cause loss | world loss | top-1 leaf, standardized | raw |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, change in GROUPS.items():
        trainer = Trainer(start.config, OptimizerConfig(rate=1e-4, warmup=20, memory=50), seed)
        trainer.begin_with(start)
        objective = EvidenceObjective(trainer.encoder)
        for _ in range(epochs):
            for batch in pool:
                trainer.update(objective([change(slab) for slab in batch])[0])
        averaged = EvidenceObjective(trainer.average.module)
        with torch.no_grad():
            figures = torch.stack([averaged([change(slab) for slab in batch])[1] for batch in test]).mean(dim=0)
        print(f"| {name} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |", flush=True)


if __name__ == "__main__":
    typer.run(main)
