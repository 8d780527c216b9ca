"""Score measured pairs of cause and effect: python benchmarks/measured_pairs.py --help.

The files are those of the package cdt: `Tuebingen_pairs.csv` with the cells of A and B of each pair in one line, and
`Tuebingen_targets.csv` with 1 where A is the cause.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import typer

from fipscm.order import infer_order


def score(values: Path, targets: Path, weights: Path | None = None) -> None:
    """Tell how many of the pairs are ordered right, by what ships or by weights."""
    truth = pd.read_csv(targets, index_col="SampleID")["Target"]
    right = []
    for name, first, second in pd.read_csv(values).itertuples(index=False):
        table = pd.DataFrame({"A": np.array(first.split(), float), "B": np.array(second.split(), float)})
        right.append((infer_order(table, weights=weights)[0] == "A") == (truth[name] > 0))
    print(f"{np.mean(right):.3f} of {len(right)} pairs are ordered right")


if __name__ == "__main__":
    typer.run(score)
