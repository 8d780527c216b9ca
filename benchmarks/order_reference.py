"""Summarise the tables the order model is trained on, for the novelty check: python benchmarks/order_reference.py."""

import numpy as np
import torch
from rich.progress import track

from fipscm.order.evidence.table import EvidenceTable
from fipscm.order.novelty import summarise, write_reference
from fipscm.order.training.tasks import training_scm

TABLES = 1000


def main() -> None:
    torch.set_num_threads(1)
    summaries = []
    for index in track(range(TABLES), "Simulating"):
        rng = np.random.default_rng([1, index])
        nodes = int(rng.integers(2, 31))
        rows = round(np.exp(rng.uniform(np.log(100), np.log(5000))))
        values, _ = training_scm(nodes, rng).sample_arrays(rows, rng)
        summaries.append(summarise(EvidenceTable.of(values).evidence()))
    write_reference(torch.stack(summaries))


if __name__ == "__main__":
    main()
