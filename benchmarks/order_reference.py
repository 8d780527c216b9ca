"""Summarise tables of the training stream for the novelty check: python benchmarks/order_reference.py."""

import numpy as np
import torch
import typer
from rich.progress import track

from fipscm.order.evidence.table import EvidenceTable
from fipscm.order.novelty import summarise, write_reference
from fipscm.order.training.examples import TaskConfig, draw_nodes, draw_rows
from fipscm.order.training.p_in import training_scm


def summary_of_table(index: int, sizes: TaskConfig) -> torch.Tensor:
    rng = np.random.default_rng([0, index, 1])  # training draws from [seed, step]: no table is the same
    nodes = draw_nodes(sizes, rng)
    rows = draw_rows(sizes, nodes, rng)
    values, _ = training_scm(nodes, rng).sample_arrays(rows, rng)
    return summarise(EvidenceTable.of(values).evidence())


def main(tables: int = 400) -> None:
    torch.set_num_threads(1)
    sizes = TaskConfig()
    write_reference(torch.stack([summary_of_table(index, sizes) for index in track(range(tables), "Simulating")]))


if __name__ == "__main__":
    typer.run(main)
