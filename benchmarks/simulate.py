"""How many data sets the simulators make per second on one core: python benchmarks/simulate.py.

The bars are 150 per second at d = 20, n = 200, averaged over P_IN (half linear, half Fourier), and 40 per second at
d = 20, n = 1,000 for every family of the training prior.
"""

from collections.abc import Callable
from time import perf_counter

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from fipscm.simulate import PRIORS, sample_scm
from fipscm.simulate.prior.training_table import TABLE_FAMILIES

NODES, ROWS, COUNT = 20, 200, 150
TRAINING_ROWS = 1_000
BAR, TRAINING_BAR = 150, 40


def seconds_each(draw: Callable[[np.random.Generator], object]) -> float:
    rng = np.random.default_rng(0)
    draw(rng)
    started = perf_counter()
    for _ in range(COUNT):
        draw(rng)
    return (perf_counter() - started) / COUNT


def collection(name: str, preset: str) -> Callable[[np.random.Generator], object]:
    return lambda rng: sample_scm(name, NODES, rng, preset).sample_arrays(ROWS, rng)


def main() -> None:
    torch.set_num_threads(1)
    table = Table("preset", "distribution", "rows", "data sets / s", title=f"d = {NODES}, one core")
    plain = []
    for preset, priors in PRIORS.items():
        for name in priors:
            seconds = seconds_each(collection(name, preset))
            plain += [seconds] if name in ("lin-in", "rff-in") else []
            table.add_row(preset, name, str(ROWS), f"{1 / seconds:.0f}")
    table.add_section()
    table.add_row("both", "lin-in and rff-in", str(ROWS), f"{1 / np.mean(plain):.0f} (bar: {BAR})")
    for family, draw in TABLE_FAMILIES.items():
        seconds = seconds_each(lambda rng, draw=draw: draw(NODES, TRAINING_ROWS, rng))
        table.add_row("training", family, str(TRAINING_ROWS), f"{1 / seconds:.0f} (bar: {TRAINING_BAR})")
    Console().print(table)


if __name__ == "__main__":
    main()
