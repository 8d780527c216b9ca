"""What happens between a true value and the cell that records it. Shapes: N rows, D columns.

A measurement model maps a column (N,) of mean zero and variance one to what is recorded of it.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Array, Mask
from fipscm.simulate.ingredients.noise_models import sample_transformation

MeasurementModel = Callable[[Array, np.random.Generator], Array]


def outliers(values: Array, rng: np.random.Generator) -> Array:
    """Replace up to 5 % of the cells by values far away, or all by the same one, as an error code would."""
    hit = rng.random(len(values)) < rng.uniform(0.002, 0.05)
    far = rng.uniform(4, 30, len(values)) * rng.choice([-1, 1], len(values))
    return np.where(hit, far[0] if rng.random() < 0.5 else far, values)


def in_steps(values: Array, rng: np.random.Generator) -> Array:
    """Record multiples of a step."""
    step = rng.uniform(0.05, 0.7)
    return np.asarray(np.round(values / step) * step)


def clipped(values: Array, rng: np.random.Generator) -> Array:
    """Record nothing beyond the range of the instrument, on one side or both."""
    low, high = np.quantile(values, [rng.uniform(0, 0.3), rng.uniform(0.7, 1)])
    side = rng.integers(3)
    return np.clip(values, None if side == 0 else low, None if side == 1 else high)


def few_levels(values: Array, rng: np.random.Generator) -> Array:
    """Record which of three to seven classes a value falls into, of any widths or all of the same."""
    shares = np.sort(rng.uniform(0.05, 0.95, rng.integers(2, 7)))
    cuts = np.quantile(values, shares)
    if rng.random() < 0.5:
        cuts = np.linspace(cuts[0], cuts[-1], len(cuts))
    return np.searchsorted(cuts, values).astype(np.float64)


def two_levels(values: Array, rng: np.random.Generator) -> Array:
    """Record only whether a threshold is crossed."""
    return (values > np.quantile(values, rng.uniform(0.15, 0.85))).astype(np.float64)


def many_zeros(values: Array, rng: np.random.Generator) -> Array:
    """Record the same lowest value in many rows, whatever the truth there."""
    return np.where(rng.random(len(values)) < rng.uniform(0.1, 0.5), values.min(), values)


def measurement_error(values: Array, rng: np.random.Generator) -> Array:
    """Add normal noise that no effect ever sees."""
    return values + rng.uniform(0.1, 0.7) * rng.standard_normal(len(values))


def monotone_transformation(values: Array, rng: np.random.Generator) -> Array:
    """Record an increasing function of the value, as an amount stands for its logarithm."""
    return sample_transformation(rng)(values)


DISCRETE: dict[str, MeasurementModel] = {"few-levels": few_levels, "binary": two_levels}
# What these record may be the true value itself, which the effects read: a switch is either on or off.
COARSE: dict[str, MeasurementModel] = {**DISCRETE, "rounded": in_steps, "clipped": clipped, "many-zeros": many_zeros}
MEASUREMENT_MODELS: dict[str, MeasurementModel] = {
    **COARSE,
    "outliers": outliers,
    "measurement-error": measurement_error,
    "monotone-transformation": monotone_transformation,
}


def shared_error(values: Array, rng: np.random.Generator) -> Array:
    """(N, D) -> (N, D) with an error that columns have in common, as where one sample is larger than another."""
    loadings = rng.uniform(0.1, 0.7) * rng.uniform(0.3, 1.0, values.shape[1]) * values.std(axis=0)
    return np.asarray(values + rng.standard_normal((len(values), 1)) * loadings)


def missing_at_random(values: Array, rng: np.random.Generator) -> Mask:
    """(N, D) -> (N, D), true where a cell is lost, whatever the row."""
    share = rng.uniform(0.01, 0.3)
    return np.asarray((rng.random(values.shape) < share) & (rng.random(values.shape[1]) < 0.7))


def missing_by_column(values: Array, rng: np.random.Generator) -> Mask:
    """(N, D) -> (N, D), true where a cell is lost; the higher another column, the more often."""
    rows, columns = values.shape
    driver = int(rng.integers(columns))
    high = np.argsort(np.argsort(values[:, driver])) / rows
    lost = rng.random((rows, columns)) < rng.uniform(0.1, 0.6) * high[:, None]
    lost[:, driver] = False
    return np.asarray(lost & (rng.random(columns) < 0.5))


def repeated_rows(rows: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """(N,) which row stands in each place: up to half of them are copies of others."""
    places = np.arange(rows)
    copies = rng.random(rows) < rng.uniform(0.05, 0.5)
    return np.where(copies, rng.integers(rows, size=rows), places)
