"""Columns that say when a row was recorded. Shapes: N rows."""

import numpy as np

from fipscm.arrays import Array
from fipscm.simulate.ingredients.columns import is_informative
from fipscm.simulate.ingredients.functions import standardized
from fipscm.simulate.ingredients.survey.readers import LevelReader, NumberReader, SeasonReader


def sample_time(rows: int, rng: np.random.Generator) -> tuple[Array, LevelReader]:
    """Draw years that others follow a trend along, or months or hours that they follow a season along."""
    if rng.random() < 0.4:
        cycle = int(rng.choice([4, 7, 12, 24]))
        times = np.floor(cycle * rng.random(rows)) + (cycle in (4, 12))
        return times, SeasonReader(times, cycle)
    periods, step = int(rng.integers(2, 61)), float(rng.choice([1, 1, 1, 2, 5, 10]))
    first = (0.0, 1.0, float(rng.integers(1900, 2015)))[rng.integers(3)]
    period = np.floor(periods * rng.random(rows))
    if not is_informative(period):
        period = np.arange(rows) % periods + 0.0
    return first + step * period, NumberReader(standardized(period))
