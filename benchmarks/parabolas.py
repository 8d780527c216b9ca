"""Do parabolas go on as they are beyond the rows of measured tables, or rather along their tangents?

    python benchmarks/parabolas.py ../shared/data

One column on another, learned from the rows in which the cause is not among its lowest or its highest fifth, and asked
about the rest. Printed for all columns that are found to be parabolas: the error of the mean there, in standard
deviations, of the parabola, of its tangents and of least squares.
"""

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from fipscm.arrays import Array
from fipscm.mechanism import fit_mechanism
from fipscm.mechanism.fitting.config import MechanismConfig

ROWS, FEWEST, PAIRS = 1_500, 150, 40  # of a table at most, to learn from at least, of columns of a table at most
LEVELS, CORRELATION = 20, 0.15  # that a column has at least, and that a pair has at least
TABLES = ("measured/tiers/*.csv", "measured/chamber/reference.csv", "sachs/observations.csv")


def errors(table: pd.DataFrame, rng: np.random.Generator) -> Iterator[tuple[float, float, float]]:
    """Of each parabola among the pairs of a table: of itself, of its tangents, of a line."""
    names = [name for name in table.select_dtypes("number") if table[name].nunique() > LEVELS]
    pairs = [[cause, effect] for cause in names for effect in names if cause != effect]
    for place in rng.permutation(len(pairs))[:PAIRS]:
        rows = rng.permutation(table[pairs[place]].dropna().to_numpy(dtype=np.float64))[:ROWS]
        if abs(np.corrcoef(rows.T)[0, 1]) < CORRELATION:
            continue
        low, high = np.quantile(rows[:, 0], [0.2, 0.8])
        for seen in (rows[:, 0] >= low, rows[:, 0] <= high):
            if seen.sum() >= FEWEST and not seen.all():
                yield from compared(rows[seen], rows[~seen])


def compared(seen: Array, beyond: Array) -> Iterator[tuple[float, float, float]]:
    """What is learned from some rows (N, 2), asked about others; nothing if it is no parabola."""
    allowed, config = np.array([[False, False], [True, False]]), MechanismConfig(noise="additive", provisional=True)
    model = fit_mechanism(pd.DataFrame(seen, columns=["cause", "effect"]), allowed, config, required=allowed)
    if not model.skip.is_parabola[1]:
        return
    parabola = model.centre[1] + model.scale[1] * model.skip.node((beyond - model.centre) / model.scale, 1)
    line = np.polyval(np.polyfit(*seen.T, 1), beyond[:, 0])
    missed = (abs((mean - beyond[:, 1]).mean()) for mean in (parabola, model.predict(beyond)[:, 1], line))
    one, two, three = (float(miss / seen[:, 1].std()) for miss in missed)
    yield one, two, three


def main(folder: Path) -> None:
    """Print the means of each table, and of all parabolas."""
    warnings.simplefilter("ignore")  # of outliers
    found, rng = [], np.random.default_rng(0)
    for file in sorted(file for pattern in TABLES for file in folder.glob(pattern)):
        own = list(errors(pd.read_csv(file), rng))
        print(file.stem, len(own), np.mean(own, axis=0).round(2) if own else "", flush=True)
        found += own
    print("all", len(found), np.mean(found, axis=0).round(2), "medians", np.median(found, axis=0).round(2))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
