"""How many data sets the simulators make per second on one core: python benchmarks/simulate.py.

The bar is 150 per second at d = 20, n = 200, averaged over the training distribution (half linear, half Fourier, P_IN).
"""

from time import perf_counter

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from fipscm.simulate import PRIORS, sample_scm

NODES, ROWS, COUNT = 20, 200, 150
BAR = 150


def seconds_each(name: str, preset: str) -> float:
    rng = np.random.default_rng(0)
    sample_scm(name, NODES, rng, preset).sample_arrays(ROWS, rng)
    started = perf_counter()
    for _ in range(COUNT):
        sample_scm(name, NODES, rng, preset).sample_arrays(ROWS, rng)
    return (perf_counter() - started) / COUNT


def main() -> None:
    torch.set_num_threads(1)
    table = Table("preset", "distribution", "data sets / s", title=f"d = {NODES}, n = {ROWS}, one core")
    training = []
    for preset, priors in PRIORS.items():
        for name in priors:
            seconds = seconds_each(name, preset)
            training += [seconds] if name.endswith("-in") else []
            table.add_row(preset, name, f"{1 / seconds:.0f}")
    table.add_section()
    table.add_row("both", "training mixture (lin-in, rff-in)", f"{1 / np.mean(training):.0f} (bar: {BAR})")
    Console().print(table)


if __name__ == "__main__":
    main()
