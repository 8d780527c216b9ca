"""Summarise tables of the training stream for the novelty check: python benchmarks/order_reference.py."""

import numpy as np
import torch
import typer
from rich.progress import track

from fipscm.order.evidence.observations import Observations
from fipscm.order.evidence.view import View
from fipscm.order.novelty import summarise, write_reference
from fipscm.order.training.examples import draw_nodes, draw_rows
from fipscm.order.training.recipe import Recipe, Stage
from fipscm.simulate.prior.training_table import sample_training_table


def summary_of_table(index: int, sizes: Stage) -> torch.Tensor:
    rng = np.random.default_rng([0, index, 1])  # training draws from [seed, stage, batch]: no table is the same
    nodes = draw_nodes(sizes, rng)
    drawn = sample_training_table(nodes, draw_rows(sizes, nodes, rng), rng, sizes.families)
    return summarise(View.of(Observations.of(drawn.values, drawn.kinds).numbers).evidence())


def main(tables: int = 400) -> None:
    torch.set_num_threads(1)
    sizes = Recipe.read("shipped").stages[-1]
    write_reference(torch.stack([summary_of_table(index, sizes) for index in track(range(tables), "Simulating")]))


if __name__ == "__main__":
    typer.run(main)
