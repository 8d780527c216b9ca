"""Missing cells: at random, or depending on columns that are never missing. Shapes: N rows, D variables."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit

from fipscm.arrays import Array, Mask
from fipscm.errors import unknown_name
from fipscm.simulate.worlds import PLAIN

ALWAYS_OBSERVED = 3  # one column in so many, where what is missing depends on others
LOG_ODDS_SLOPE = 1.5  # of the log-odds that a cell is missing, per standard deviation of what it depends on
HoleMaker = Callable[[Array, float, np.random.Generator], Mask]


def at_random(rows: Array, share: float, rng: np.random.Generator) -> Mask:
    """(N, D) every cell with the same probability."""
    return rng.random(rows.shape) < share


def depending(rows: Array, share: float, rng: np.random.Generator) -> Mask:
    """(N, D) each column where another one, which is never missing, is large, or small; the same share over all."""
    nodes = rows.shape[1]
    seen = rng.choice(nodes, max(1, nodes // ALWAYS_OBSERVED), replace=False)
    share = share * nodes / (nodes - len(seen))
    holes: Mask = np.zeros(rows.shape, dtype=np.bool_)
    for column in np.setdiff1d(np.arange(nodes), seen):
        driver = rows[:, rng.choice(seen)]
        slope = LOG_ODDS_SLOPE * rng.choice([-1, 1]) * (driver - driver.mean()) / driver.std()
        odds = brentq(lambda level, slope=slope: expit(level + slope).mean() - share, -30, 30)
        holes[:, column] = rng.random(len(rows)) < expit(odds + slope)
    return holes


PATTERNS: dict[str, tuple[HoleMaker, float]] = {
    PLAIN: (at_random, 0.0),
    "missing-10": (at_random, 0.1),
    "missing-30": (at_random, 0.3),
    "missing-depending-10": (depending, 0.1),
    "missing-depending-30": (depending, 0.3),
}


def with_holes(table: pd.DataFrame, rows: Array, pattern: str, rng: np.random.Generator) -> pd.DataFrame:
    """The table without the cells of a pattern, which is one of PATTERNS; `rows` (N, D) are its codes."""
    if pattern not in PATTERNS:
        raise unknown_name("pattern of missing cells", pattern, PATTERNS)
    make, share = PATTERNS[pattern]
    return table.mask(make(rows, share, rng)) if share else table
